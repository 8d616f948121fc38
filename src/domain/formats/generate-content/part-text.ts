/** The texts of parts, of a request or an answer, visited and replaced in place. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { TOOL_INPUT, TOOL_OUTPUT, type TextPlace, type TextWalk } from '../text-walk.ts'
import { camelOf, itemsIn, nameIn, snakeOf, valueIn } from './spelling.ts'

/** Fields that are no text: media, marks and signatures. */
const OPAQUE: ReadonlySet<string> = new Set(['thought', 'thoughtSignature', 'videoMetadata', 'mediaResolution'])

/** In both spellings. */
const PART_FIELDS: ReadonlySet<string> = new Set(
  [
    ...OPAQUE,
    'text',
    'inlineData',
    'fileData',
    'functionCall',
    'functionResponse',
    'executableCode',
    'codeExecutionResult',
  ].flatMap((field) => [field, snakeOf(field)]),
)

/**
 * Visits one part. A signature stands beside its text and is no checksum of it, so that signed texts are visited as well.
 * Parts that this codec does not know are visited leaf by leaf.
 */
export function visitPart(part: JsonObject, place: TextPlace, walk: TextWalk): void {
  for (const [name, value] of Object.entries(part)) visitField(part, name, value, place, walk)
  walk.names(part, PART_FIELDS, place)
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
  else if (field === 'functionResponse' && isJsonObject(value)) visitResponse(value, walk)
  else if (field === 'inlineData' || field === 'fileData') visitMedia(value, place, walk)
  else if (field === 'codeExecutionResult') walk.leaves(part, name, TOOL_OUTPUT)
  else if (field === 'executableCode' && isJsonObject(value)) walk.text(value, 'code', place)
  else walk.leaves(part, name, place)
}

/** What a tool answered, and the media that go with it. */
function visitResponse(response: JsonObject, walk: TextWalk): void {
  visitObject(response, 'response', TOOL_OUTPUT, walk)
  for (const part of itemsIn(response, 'parts')) if (isJsonObject(part)) visitPart(part, TOOL_OUTPUT, walk)
}

/** Of media its name, and what a text says: like a tool's output, whoever sends it. */
function visitMedia(media: JsonValue | undefined, place: TextPlace, walk: TextWalk): void {
  if (!isJsonObject(media)) return
  walk.text(media, nameIn(media, 'displayName'), place)
  walk.base64(media, 'data', valueIn(media, 'mimeType'), TOOL_OUTPUT)
}

/** Every string value of an object that a tool wrote or reads: whatever its name, `id` and `type` included, it is data. */
function visitObject(holder: JsonObject, field: string, place: TextPlace, walk: TextWalk): void {
  if (typeof holder[field] === 'object') walk.values(holder, field, place)
}
