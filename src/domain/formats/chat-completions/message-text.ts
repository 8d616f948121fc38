/** The texts of the messages of a chat-completions request, visited and replaced in place. */
import { asArray, asObject, asString, isJsonObject, type JsonObject } from '../../json.ts'
import { mediaTypeOf } from '../opaque-text.ts'
import { visitSource } from '../source-text.ts'
import { ASSISTANT, SYSTEM, TOOL_OUTPUT, USER, type TextPlace } from '../text-place.ts'
import type { TextWalk } from '../text-walk.ts'
import { REASONING_FIELDS } from './answer-content.ts'
import { visitSentCalls, visitSigned } from './tool-text.ts'

const PLACE_OF_ROLE: Readonly<Record<string, TextPlace>> = {
  system: SYSTEM,
  developer: SYSTEM,
  user: USER,
  assistant: ASSISTANT,
  tool: TOOL_OUTPUT,
  function: TOOL_OUTPUT,
}

/** Fields that vendors know, of a message and of a part. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'audio',
  'annotations',
  'cache_control',
  'prefix',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'reasoning_details',
  ...REASONING_FIELDS,
])
/** Where media is, in parts of several vendors. */
const ADDRESS_FIELDS = [
  'image_url',
  'video_url',
  'audio_url',
  'document_url',
  'file_url',
  'image',
  'video',
  'audio',
  'url',
] as const
const PART_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'text',
  'input_audio',
  'file',
  'filename',
  'file_data',
  'cache_control',
  'source',
  ...ADDRESS_FIELDS,
])
const FILE_FIELDS: ReadonlySet<string> = new Set(['filename', 'file_data', 'file_id'])
const ADDRESSED_FIELDS: ReadonlySet<string> = new Set(['url', 'file_id'])
const SOUND_FIELDS: ReadonlySet<string> = new Set(['data', 'format'])
const AUDIO_FIELDS: ReadonlySet<string> = new Set(['id', 'data', 'format', 'expires_at', 'transcript'])

/** Visits one message of the conversation. */
export function visitMessage(message: JsonObject, walk: TextWalk): void {
  const place = PLACE_OF_ROLE[asString(message.role) ?? ''] ?? USER
  const mediaType = mediaTypeOf(message)
  for (const field in message) visitMessageField(message, field, mediaType, place, walk)
  visitSigned(message, place, walk)
  visitSentCalls(message, walk)
  walk.names(message, MESSAGE_FIELDS, place)
}

function visitMessageField(
  message: JsonObject,
  field: string,
  mediaType: string | undefined,
  place: TextPlace,
  walk: TextWalk,
): void {
  switch (field) {
    case 'role':
    case 'tool_call_id':
    case 'cache_control':
    case 'tool_calls':
    case 'function_call':
    case 'extra_content':
    case 'provider_specific_fields':
      return
    case 'content':
      visitContent(message, place, walk)
      return
    case 'name': // of the author, or of the function that answered, which must stay
      if (place.scope !== 'tool-output') walk.textOrAll(message, field, place)
      return
    case 'audio':
      visitAudio(message, place, walk)
      return
    default:
      walk.leaves(message, field, place, mediaType)
  }
}

/** What an assistant has said aloud earlier. A client sends back all of an answer, whose transcript was restored. */
function visitAudio(message: JsonObject, place: TextPlace, walk: TextWalk): void {
  walk.values(asObject(message.audio) ?? {}, 'transcript', place)
  walk.extrasIn(message, 'audio', AUDIO_FIELDS, place)
}

/** Visits `content`, a text or parts. */
export function visitContent(message: JsonObject, place: TextPlace, walk: TextWalk): void {
  if (typeof message.content === 'string') walk.text(message, 'content', place)
  else for (const part of asArray(message.content)) if (isJsonObject(part)) visitPart(part, place, walk)
}

function visitPart(part: JsonObject, place: TextPlace, walk: TextWalk): void {
  walk.textOrAll(part, 'text', place)
  if (part.file !== undefined) visitFile(part, place, walk)
  if (part.input_audio !== undefined) walk.extrasIn(part, 'input_audio', SOUND_FIELDS, place)
  for (const field of ADDRESS_FIELDS) if (part[field] !== undefined) visitAddress(part, field, place, walk)
  if (part.source !== undefined) visitSource(part, place, walk)
  visitFileFields(part, place, walk)
  walk.others(part, PART_FIELDS, place)
}

/** Several servers take the bare address. */
function visitAddress(part: JsonObject, field: string, place: TextPlace, walk: TextWalk): void {
  const media = part[field]
  if (!isJsonObject(media)) return walk.address(part, field, place)
  walk.address(media, 'url', TOOL_OUTPUT)
  walk.reference(media, 'file_id', place)
  walk.extras(media, ADDRESSED_FIELDS, place)
}

function visitFile(part: JsonObject, place: TextPlace, walk: TextWalk): void {
  const file = asObject(part.file) ?? {}
  visitFileFields(file, place, walk)
  walk.reference(file, 'file_id', place)
  walk.othersIn(part, 'file', FILE_FIELDS, place)
}

/** Its name, and what a text says: like a tool's output, whoever sends it. */
function visitFileFields(file: JsonObject, place: TextPlace, walk: TextWalk): void {
  // Before the name, which may be masked.
  walk.file(file, 'file_data', file.filename, TOOL_OUTPUT)
  walk.textOrAll(file, 'filename', place)
}
