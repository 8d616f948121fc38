/** The texts of content blocks, in requests and answers alike. */
import { isJsonObject, type JsonObject } from '../../json.ts'
import { mediaTypeOf } from '../opaque-text.ts'
import { visitSource } from '../source-text.ts'
import { TOOL_INPUT, TOOL_OUTPUT, type TextPlace } from '../text-place.ts'
import type { TextWalk } from '../text-walk.ts'

/** Visits `holder[field]`, content as a string or as blocks. */
export function visitContent(holder: JsonObject, field: string, place: TextPlace, walk: TextWalk): void {
  const content = holder[field]
  if (!Array.isArray(content) || !content.every(isJsonObject)) walk.textOrAll(holder, field, place)
  else for (const block of content) visitBlock(block, place, walk)
}

/**
 * Visits one block. Thinking is visited though it is signed: what is restored in it for the client is masked by the
 * same tokens when it comes back, which gives the signed text again; unvisited it would tell the provider the values.
 */
export function visitBlock(block: JsonObject, place: TextPlace, walk: TextWalk): void {
  switch (block.type) {
    case 'text':
      walk.text(block, 'text', place)
      walk.leaves(block, 'citations', place)
      break
    case 'thinking':
      walk.text(block, 'thinking', place)
      break
    case 'image':
      visitSource(block, TOOL_OUTPUT, walk)
      break
    case 'redacted_thinking':
      break
    case 'document':
      visitDocument(block, walk)
      break
    case 'search_result':
      walk.textOrAll(block, 'title', TOOL_OUTPUT)
      walk.textOrAll(block, 'source', TOOL_OUTPUT)
      visitContent(block, 'content', TOOL_OUTPUT, walk)
      if (block.citations !== undefined) walk.othersIn(block, 'citations', CITATION_FIELDS, TOOL_OUTPUT)
      break
    case 'tool_result':
      visitContent(block, 'content', TOOL_OUTPUT, walk)
      break
    case 'tool_use':
      walk.values(block, 'input', TOOL_INPUT)
      break
    default:
      visitUnknown(block, place, walk)
      return
  }
  walk.others(block, FIELDS_OF_TYPE.get(block.type) ?? BLOCK_FIELDS, place)
}

const FIELDS_OF_TYPE: ReadonlyMap<unknown, ReadonlySet<string>> = new Map(
  Object.entries({
    text: ['text', 'citations'],
    thinking: ['thinking', 'signature'],
    redacted_thinking: ['data'],
    image: ['source'],
    document: ['source', 'title', 'context', 'citations'],
    search_result: ['source', 'title', 'content', 'citations'],
    tool_result: ['tool_use_id', 'content', 'is_error'],
    tool_use: ['id', 'name', 'input', 'caller'],
  }).map(([type, fields]) => [type, new Set(['type', 'cache_control', ...fields])]),
)

/** Names that the vendor gives to fields of blocks. */
const BLOCK_FIELDS: ReadonlySet<string> = new Set([...FIELDS_OF_TYPE.values()].flatMap((fields) => [...fields]))

/** A document's words are data from elsewhere, like a tool's output, whoever sends it. */
function visitDocument(block: JsonObject, walk: TextWalk): void {
  walk.textOrAll(block, 'title', TOOL_OUTPUT)
  walk.textOrAll(block, 'context', TOOL_OUTPUT)
  visitSource(block, TOOL_OUTPUT, walk, (source) => {
    if (source.type === 'content') visitContent(source, 'content', TOOL_OUTPUT, walk)
    else walk.textOrAll(source, 'content', TOOL_OUTPUT)
  })
  if (block.citations !== undefined) walk.othersIn(block, 'citations', CITATION_FIELDS, TOOL_OUTPUT)
}

const CITATION_FIELDS: ReadonlySet<string> = new Set(['enabled'])

/** Blocks of the vendor's own tools: inputs like a client tool's, everything else their output. */
function visitUnknown(block: JsonObject, place: TextPlace, walk: TextWalk): void {
  const mediaType = mediaTypeOf(block)
  for (const field of Object.keys(block)) {
    if (field === 'input') walk.values(block, field, TOOL_INPUT)
    else if (field === 'content') walk.leaves(block, field, TOOL_OUTPUT)
    else if (!OPAQUE.has(field)) walk.leaves(block, field, place, mediaType)
  }
  walk.names(block, BLOCK_FIELDS, place)
}

const OPAQUE: ReadonlySet<string> = new Set(['type', 'name', 'cache_control', 'caller'])
