/** The texts of parts, of a request or an answer, visited and replaced in place. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { TextPlace, TextWalk } from '../text-walk.ts'
import { camelOf } from './spelling.ts'

const TOOL_INPUT: TextPlace = { scope: 'tool-input', role: 'assistant' }
const TOOL_OUTPUT: TextPlace = { scope: 'tool-output', role: 'tool' }

/** Fields that are no text: media, marks and signatures. */
const OPAQUE: ReadonlySet<string> = new Set([
  'inlineData',
  'fileData',
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
])

/**
 * Visits one part. A signature stands beside its text and is no checksum of it, so that signed texts are visited as well.
 * Parts that this codec does not know are visited leaf by leaf.
 */
export function visitPart(part: JsonObject, place: TextPlace, walk: TextWalk): void {
  for (const [name, value] of Object.entries(part)) visitField(part, name, value, place, walk)
}

function visitField(
  part: JsonObject,
  name: string,
  value: JsonValue | undefined,
  place: TextPlace,
  walk: TextWalk,
): void {
  const field = camelOf(name)
  if (OPAQUE.has(field)) return
  if (field === 'text') walk.text(part, name, place)
  else if (field === 'functionCall' && isJsonObject(value)) visitObject(value, 'args', TOOL_INPUT, walk)
  else if (field === 'functionResponse' && isJsonObject(value)) visitObject(value, 'response', TOOL_OUTPUT, walk)
  else if (field === 'codeExecutionResult') walk.leaves(part, name, TOOL_OUTPUT)
  else if (field === 'executableCode' && isJsonObject(value)) walk.text(value, 'code', place)
  else walk.leaves(part, name, place)
}

/** Every string value of an object that a tool wrote or reads: whatever its name, `id` and `type` included, it is data. */
function visitObject(holder: JsonObject, field: string, place: TextPlace, walk: TextWalk): void {
  if (typeof holder[field] === 'object') walk.values(holder, field, place)
}
