/** The texts of parts, of a request or an answer, visited and replaced in place. */
import { asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { mediaTypeOf } from '../opaque-text.ts'
import { isTextType } from '../text-media.ts'
import { TOOL_INPUT, TOOL_OUTPUT, type TextPlace } from '../text-place.ts'
import type { TextWalk } from '../text-walk.ts'
import { bothSpellings, camelOf, itemsIn, spellings } from './spelling.ts'

/** Fields that are no text: media, marks and signatures. */
const OPAQUE: ReadonlySet<string> = new Set(['thought', 'thoughtSignature', 'mediaResolution'])

const PART_FIELDS = bothSpellings([
  ...OPAQUE,
  'videoMetadata',
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
])
const CALL_FIELDS = bothSpellings(['id', 'name', 'args', 'willContinue'])
const RESPONSE_FIELDS = bothSpellings(['id', 'name', 'response', 'parts', 'willContinue', 'scheduling'])
const MEDIA_FIELDS = bothSpellings(['mimeType', 'data', 'fileUri', 'displayName'])
const VIDEO_FIELDS = bothSpellings(['startOffset', 'endOffset', 'fps'])
const CODE_FIELDS = bothSpellings(['id', 'code', 'language'])

/**
 * Visits one part. A signature stands beside its text and is no checksum of it, so that signed texts are visited as well.
 * Parts that this codec does not know are visited leaf by leaf.
 */
export function visitPart(part: JsonObject, place: TextPlace, walk: TextWalk): void {
  const mediaType = mediaTypeOf(part)
  for (const [name, value] of Object.entries(part)) visitField(part, name, value, mediaType, place, walk)
  walk.names(part, PART_FIELDS, place)
}

function visitField(
  part: JsonObject,
  name: string,
  value: JsonValue | undefined,
  mediaType: string | undefined,
  place: TextPlace,
  walk: TextWalk,
): void {
  const field = camelOf(name)
  if (OPAQUE.has(field)) return
  if (field === 'text') walk.textOrAll(part, name, place)
  else if (field === 'functionCall' && isJsonObject(value)) visitCall(value, walk)
  else if (field === 'functionResponse' && isJsonObject(value)) visitResponse(value, walk)
  else if ((field === 'inlineData' || field === 'fileData') && isJsonObject(value)) visitMedia(value, place, walk)
  else if (field === 'videoMetadata') walk.othersIn(part, name, VIDEO_FIELDS, place)
  else if (field === 'codeExecutionResult') walk.leaves(part, name, TOOL_OUTPUT)
  else if (field === 'executableCode' && isJsonObject(value)) visitCode(value, place, walk)
  else walk.leaves(part, name, place, mediaType)
}

function visitCode(code: JsonObject, place: TextPlace, walk: TextWalk): void {
  walk.text(code, 'code', place)
  walk.extras(code, CODE_FIELDS, place)
}

/** Every string value of what a tool reads or wrote: whatever its name, `id` and `type` included, it is data. */
function visitCall(call: JsonObject, walk: TextWalk): void {
  walk.values(call, 'args', TOOL_INPUT)
  walk.extras(call, CALL_FIELDS, TOOL_INPUT)
}

/** With the media that go with it. */
function visitResponse(response: JsonObject, walk: TextWalk): void {
  walk.values(response, 'response', TOOL_OUTPUT)
  for (const part of itemsIn(response, 'parts')) if (isJsonObject(part)) visitPart(part, TOOL_OUTPUT, walk)
  walk.extras(response, RESPONSE_FIELDS, TOOL_OUTPUT)
}

/** Of media its name, and what a text says: like a tool's output, whoever sends it. */
function visitMedia(media: JsonObject, place: TextPlace, walk: TextWalk): void {
  // Whichever spelling the vendor obeys where both are there.
  const types = spellings('mimeType').flatMap((name) => asString(media[name]) ?? [])
  for (const name of spellings('mimeType')) if (typeof media[name] === 'object') walk.all(media, name, place)
  for (const name of spellings('displayName')) walk.textOrAll(media, name, place)
  walk.base64(media, 'data', types.find(isTextType) ?? types[0], TOOL_OUTPUT)
  for (const name of spellings('fileUri')) walk.address(media, name, TOOL_OUTPUT)
  walk.extras(media, MEDIA_FIELDS, place)
}
