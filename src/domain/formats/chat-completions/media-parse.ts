/** Images, audio and files among the parts of a chat-completions message. */
import type { AudioPart, DocumentPart, ImagePart, MediaSource } from '../../completion/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import type { JsonObject } from '../../json.ts'
import { parseDataUrl } from '../data-url.ts'
import { optionalString, requiredObject, requiredString } from '../fields.ts'

/** The part as media; undefined where its type is not one of media. @throws {InvalidRequestError} naming the field. */
export function parseMedia(
  part: JsonObject,
  type: string,
  path: string,
): ImagePart | AudioPart | DocumentPart | undefined {
  switch (type) {
    case 'image_url':
      return parseImage(part, path)
    case 'input_audio':
      return parseAudio(requiredObject(part, 'input_audio', path), `${path}.input_audio`)
    case 'file':
      return parseFile(requiredObject(part, 'file', path), `${path}.file`)
    default:
      return undefined
  }
}

function parseImage(part: JsonObject, path: string): ImagePart {
  // Several servers (Mistral among them) also take the bare URL.
  if (typeof part.image_url === 'string') return { type: 'image', media: mediaOf(part.image_url) }
  const image = requiredObject(part, 'image_url', path)
  const media = mediaOf(requiredString(image, 'url', `${path}.image_url`))
  const detail = optionalString(image, 'detail', `${path}.image_url`)
  return detail === undefined ? { type: 'image', media } : { type: 'image', media, detail }
}

/** By URL, or inline in one. */
export function mediaOf(url: string): MediaSource {
  const inline = parseDataUrl(url)
  return inline === undefined ? { type: 'url', url } : { type: 'base64', ...inline }
}

function parseAudio(audio: JsonObject, path: string): AudioPart {
  const data = requiredString(audio, 'data', path)
  return { type: 'audio', media: { type: 'base64', mediaType: `audio/${requiredString(audio, 'format', path)}`, data } }
}

function parseFile(file: JsonObject, path: string): DocumentPart {
  const name = optionalString(file, 'filename', path)
  const named = name === undefined ? {} : { name }
  const id = optionalString(file, 'file_id', path)
  if (id !== undefined) return { type: 'document', media: { type: 'file', id }, ...named }
  const data = optionalString(file, 'file_data', path)
  if (data === undefined) {
    throw new InvalidRequestError(`Invalid value for '${path}': expected 'file_id' or 'file_data'.`, path)
  }
  return { type: 'document', media: fileDataOf(data), ...named }
}

/** What a file holds. Bare base64 is taken for a PDF, the only type that the vendor documents. */
export function fileDataOf(data: string): MediaSource {
  return { type: 'base64', ...(parseDataUrl(data) ?? { mediaType: 'application/pdf', data }) }
}
