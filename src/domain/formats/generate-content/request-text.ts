/** The texts of a generate-content request, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { visitSchema } from '../schema-text.ts'
import { ASSISTANT, SYSTEM, TOOL_DEFINITION, USER, ANY_NAME, type TextPlace } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'
import { visitPart } from './part-text.ts'
import { bothSpellings, itemsIn, nameIn, valueIn } from './spelling.ts'
import { visitTurn } from './turn-text.ts'

/** Fields beside the prompt that say who asks: names and values are the client's. */
const PARAMETERS = ['labels'] as const

const CONTENT_FIELDS: ReadonlySet<string> = new Set(['role', 'parts'])

const SCHEMAS = ['responseSchema', 'responseJsonSchema', '_responseJsonSchema'] as const
const GENERATION_CONFIG_FIELDS = bothSpellings([
  ...SCHEMAS,
  'stopSequences',
  'responseMimeType',
  'responseModalities',
  'speechConfig',
  'thinkingConfig',
  'imageConfig',
  'mediaResolution',
  'routingConfig',
  'modelSelectionConfig',
  'candidateCount',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
])
const DECLARATION_SCHEMAS = ['parameters', 'parametersJsonSchema', 'response', 'responseJsonSchema'] as const
const DECLARATION_FIELDS = bothSpellings(['name', 'description', 'behavior', ...DECLARATION_SCHEMAS])

/** Of the vendor's searches: the way to each, every step in both spellings. */
const FILTERS = [
  ['fileSearch', 'metadataFilter'],
  ['retrieval', 'vertexAiSearch', 'filter'],
  ['retrieval', 'vertexAiSearch', 'dataStoreSpecs', 'filter'],
  ['retrieval', 'vertexRagStore', 'ragRetrievalConfig', 'filter', 'metadataFilter'],
].map((path) => path.map((step) => [...bothSpellings([step])]))

/** Fields of the request that are visited for what they are, or hold no text for the model. */
const DOCUMENT_FIELDS = bothSpellings([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'serviceTier',
  'store',
  'generateContentRequest',
  ...PARAMETERS,
])

/** @returns whether a text was changed. @see Format.visitRequestText */
export function visitRequestText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  visitDocument(document, walk)
  // A request to be counted may stand inside a field.
  const wrapped = valueIn(document, 'generateContentRequest')
  if (isJsonObject(wrapped)) visitDocument(wrapped, walk)
  return walk.changed
}

function visitDocument(document: JsonObject, walk: TextWalk): void {
  visitContent(asObject(valueIn(document, 'systemInstruction')) ?? {}, SYSTEM, walk)
  visitContents(document, walk)
  for (const tool of itemsIn(document, 'tools')) if (isJsonObject(tool)) visitTool(tool, walk)
  const config = asObject(valueIn(document, 'generationConfig')) ?? {}
  for (const field of SCHEMAS) visitSchema(config, nameIn(config, field), TOOL_DEFINITION, walk)
  walk.parameters(config, [nameIn(config, 'stopSequences')])
  walk.extras(config, GENERATION_CONFIG_FIELDS, TOOL_DEFINITION)
  walk.parameters(document, PARAMETERS, undefined, ANY_NAME)
  walk.extras(document, DOCUMENT_FIELDS, USER)
}

function visitContents(document: JsonObject, walk: TextWalk): void {
  const empty = new Set<unknown>()
  let turn: JsonObject[] = []
  const endTurn = () => {
    for (const content of visitTurn(turn, ASSISTANT, walk)) empty.add(content)
    turn = []
  }
  for (const content of itemsIn(document, 'contents')) {
    if (!isJsonObject(content)) continue
    if (content.role === 'model') {
      turn.push(content)
      walk.others(content, CONTENT_FIELDS, ASSISTANT)
      continue
    }
    endTurn()
    visitContent(content, USER, walk)
  }
  endTurn()
  // The vendor refuses a content without parts.
  if (empty.size > 0) document.contents = itemsIn(document, 'contents').filter((content) => !empty.has(content))
}

function visitContent(content: JsonObject, place: TextPlace, walk: TextWalk): void {
  for (const part of itemsIn(content, 'parts')) if (isJsonObject(part)) visitPart(part, place, walk)
  walk.others(content, CONTENT_FIELDS, place)
}

/** The vendor's own tools hold settings, and what to look for. */
function visitTool(tool: JsonObject, walk: TextWalk): void {
  for (const declaration of itemsIn(tool, 'functionDeclarations')) {
    if (!isJsonObject(declaration)) continue
    walk.text(declaration, 'description', TOOL_DEFINITION)
    for (const field of DECLARATION_SCHEMAS) visitSchema(declaration, nameIn(declaration, field), TOOL_DEFINITION, walk)
    walk.extras(declaration, DECLARATION_FIELDS, TOOL_DEFINITION)
  }
  for (const path of FILTERS) visitFilter(tool, path, walk)
}

/** Visits what stands at the end of `path`; a path is short. */
function visitFilter(holder: JsonObject, [names = [], ...rest]: readonly string[][], walk: TextWalk): void {
  if (rest.length === 0) return walk.parameters(holder, names)
  for (const name of names) {
    for (const inner of itemsIn(holder, name)) if (isJsonObject(inner)) visitFilter(inner, rest, walk)
  }
}
