/** The parts of a message's content, and of what a tool has given back. */
import type {
  AssistantPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  TextPart,
  ToolResultPart,
  UserPart,
} from '../../completion/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import type { JsonObject } from '../../json.ts'
import { fileDataOf, mediaOf, parseMedia } from '../chat-completions/media-parse.ts'
import { objectAt, optionalString, requiredString, wrongType } from '../fields.ts'

type Parse<Part> = (part: JsonObject, type: string, path: string) => Part | undefined

/**
 * Content as a text or as parts. A part that `parse` does not know stays in the document.
 * @param field of the content, for the error
 */
export function parseContent<Part>(
  holder: JsonObject,
  path: string,
  parse: Parse<Part | TextPart>,
  field = 'content',
): (Part | TextPart)[] {
  const { content } = holder
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrongType(content, 'a string or an array of parts', `${path}.${field}`)
  return content.flatMap((item, index) => {
    const partPath = `${path}.${field}[${index}]`
    const part = objectAt(item, partPath)
    return parse(part, requiredString(part, 'type', partPath), partPath) ?? []
  })
}

/** Of an assistant, whose empty texts other vendors would refuse. */
export function parseAssistantContent(item: JsonObject, path: string): AssistantPart[] {
  const parts = parseContent<AssistantPart>(item, path, (part, type, partPath) =>
    type === 'refusal'
      ? { type: 'refusal', text: requiredString(part, 'refusal', partPath) }
      : parseTextPart(part, type, partPath),
  )
  return parts.filter((part) => part.type !== 'text' || part.text !== '')
}

/** Clients mix the words for what goes in and what came out. */
export function parseTextPart(part: JsonObject, type: string, path: string): TextPart | undefined {
  if (type !== 'input_text' && type !== 'output_text' && type !== 'text') return undefined
  return { type: 'text', text: requiredString(part, 'text', path) }
}

export function parseUserPart(part: JsonObject, type: string, path: string): UserPart | undefined {
  switch (type) {
    case 'input_image':
      return parseImage(part, path)
    case 'input_file':
      return parseFile(part, path)
    case 'input_audio':
      return parseMedia(part, type, path)
    default:
      return parseTextPart(part, type, path)
  }
}

export function parseOutputPart(
  part: JsonObject,
  type: string,
  path: string,
): ToolResultPart['content'][number] | undefined {
  const read = parseUserPart(part, type, path)
  return read?.type === 'audio' ? undefined : read
}

function parseImage(part: JsonObject, path: string): ImagePart {
  const url = optionalString(part, 'image_url', path)
  const id = optionalString(part, 'file_id', path)
  const detail = optionalString(part, 'detail', path)
  if (url === undefined && id === undefined) throw expected(path, "'image_url' or 'file_id'")
  const media: MediaSource = url === undefined ? { type: 'file', id: id ?? '' } : mediaOf(url)
  // What the vendor takes for granted, and its SDKs write out.
  return detail === undefined || detail === 'auto' ? { type: 'image', media } : { type: 'image', media, detail }
}

function parseFile(part: JsonObject, path: string): DocumentPart {
  const name = optionalString(part, 'filename', path)
  return { type: 'document', media: fileOf(part, path), ...(name === undefined ? {} : { name }) }
}

function fileOf(part: JsonObject, path: string): MediaSource {
  const url = optionalString(part, 'file_url', path)
  if (url !== undefined) return mediaOf(url)
  const id = optionalString(part, 'file_id', path)
  if (id !== undefined) return { type: 'file', id }
  const data = optionalString(part, 'file_data', path)
  if (data === undefined) throw expected(path, "'file_data', 'file_id' or 'file_url'")
  return fileDataOf(data)
}

function expected(path: string, what: string): InvalidRequestError {
  return new InvalidRequestError(`Invalid value for '${path}': expected ${what}.`, path)
}
