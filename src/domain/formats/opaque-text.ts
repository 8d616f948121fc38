/** What of a document's strings is no text: ids, types and seals by their names, media by its form. */
import type { JsonObject, JsonValue } from '../json.ts'
import { isBase64, MIN_MEDIA_CHARACTERS } from './base64.ts'
import { parseDataUrl } from './data-url.ts'
import { isTextType } from './text-media.ts'

/** Whether the string in a field of this name is passed over. */
export type IsHidden = (key: string, value: string) => boolean

/** What a vendor has sealed, for its own eyes. */
const SEALED_FIELDS: ReadonlySet<string> = new Set([
  'signature',
  'thought_signature',
  'thoughtSignature',
  'encrypted_content', // what Anthropic's own tools found
  'encrypted_index',
  'encrypted_stdout',
])
const NAMING_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'role',
  'model',
  'media_type',
  'mime_type',
  ...SEALED_FIELDS,
])

/** Fields that give the type of the media beside them. @see mediaTypeOf */
export const MEDIA_TYPE_NAMES = ['media_type', 'mime_type', 'mimeType', 'mediaType', 'contentType'] as const
const MEDIA_TYPE_FIELDS: ReadonlySet<string> = new Set(['mimeType', 'mediaType', 'contentType'])
const MEDIA_TYPE = /^[a-z]+\/[\w.+-]+(?:; ?charset=[\w-]+)?$/i

/** Names of fields that stay where the format does not know them. */
export const LEAF_NAMES: ReadonlySet<string> = new Set([...NAMING_FIELDS, ...MEDIA_TYPE_FIELDS, 'file_id', 'detail'])

/** Types of objects whose `data` is a seal. */
const SEALED_TYPES: ReadonlySet<JsonValue> = new Set(['reasoning.encrypted', 'redacted_thinking'])
const SEAL = 'encrypted_content'

/** The field's name, or that of a seal where the object's type says that the field holds one. */
export function sealedKey({ type = null }: JsonObject, key: string): string {
  return key === 'data' && SEALED_TYPES.has(type) ? SEAL : key
}

/** Of media beside its type. */
export const DATA_FIELDS: ReadonlySet<string> = new Set(['data', 'blob'])

/** Of the names that stand for it, whichever says that the media is a text. */
export function mediaTypeOf({
  media_type,
  mime_type,
  mimeType,
  mediaType,
  contentType,
}: JsonObject): string | undefined {
  const first = media_type ?? mime_type ?? mimeType ?? mediaType ?? contentType
  if (first === undefined || first === null) return undefined
  const types = [media_type, mime_type, mimeType, mediaType, contentType].filter((type) => typeof type === 'string')
  return types.find(isTextType) ?? types[0]
}

/** What ids and types consist of. Addresses, words and tokens of masked values have more. */
const NAME = /^[\w.:/=+|~-]*$/

/** What no seal holds, and addresses and words do. */
const WORDS = /[@\s]/

/** Whether a string of an unknown field is no text: a name of a thing (unless something else stands for it), a seal, or media. */
export function isOpaque(key: string, value: string): boolean {
  if (isMedia(key, value)) return true
  if (SEALED_FIELDS.has(key)) return !WORDS.test(value)
  if (MEDIA_TYPE_FIELDS.has(key)) return MEDIA_TYPE.test(value)
  return (NAMING_FIELDS.has(key) || key.endsWith('_id')) && NAME.test(value)
}

/** Media in one piece: rows of numbers, keys and words have no letters of both cases, or signs of both alphabets, or blanks. */
export function isMedia(_key: string, value: string): boolean {
  if (value.length < MIN_MEDIA_CHARACTERS) return false
  const data = parseDataUrl(value)?.data ?? value
  return !/\s/.test(data) && isBase64(data, 0) && /[a-z]/.test(data) && /[A-Z]/.test(data)
}

export function seesAll(): boolean {
  return false
}
