/** Neutral parts -> content blocks of a request in this format. */
import type {
  AssistantPart,
  DocumentPart,
  ImagePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  TranslationWarning,
  UserPart,
} from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { withoutUndefined } from '../fields.ts'
import type { InnerJson } from '../inner-json.ts'
import { textOfMedia } from '../text-media.ts'

/** The block; undefined where it is empty or has no place here, the latter with a warning. */
export function renderUserPart(part: UserPart, path: string, warnings: TranslationWarning[]): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return renderText(part)
    case 'image':
      return renderImage(part, path, warnings)
    case 'document':
      return renderDocument(part, path, warnings)
    case 'audio':
      return lost(path, 'messages takes no audio; it was left out', warnings)
  }
}

/** The block, which may be a text of white space alone; undefined where it cannot be sent. */
export function renderAssistantPart(
  part: AssistantPart,
  path: string,
  warnings: TranslationWarning[],
  inner: InnerJson,
): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return textBlock(part)
    case 'refusal':
      return textBlock({ type: 'text', text: part.text })
    case 'tool-call':
      return renderToolCall(part, path, warnings, inner)
    case 'reasoning': // it did not come in this format, so this vendor has not signed it
      return lost(path, "earlier thinking of another vendor's model cannot be sent; it was left out", warnings)
  }
}

export function renderToolResult(part: ToolResultPart, path: string, warnings: TranslationWarning[]): JsonObject {
  const content = part.content.flatMap<JsonObject>(
    (inner, index) => renderUserPart(inner, `${path}.content[${index}]`, warnings) ?? [],
  )
  const [only] = content
  const isPlain = content.length === 1 && only?.type === 'text' && only.cache_control === undefined
  return withoutUndefined({
    type: 'tool_result',
    tool_use_id: toolUseId(part.toolCallId),
    content: content.length === 0 ? undefined : isPlain ? only.text : content,
    is_error: part.isError === true ? true : undefined,
    cache_control: part.cacheControl,
  })
}

/**
 * Arguments as the object that this format has in place of JSON text. What is no object (a model may write anything), or
 * too much to be read, stands inside one, so that it can be seen.
 */
export function inputOf(
  { arguments: text }: ToolCallPart,
  path: string,
  warnings: TranslationWarning[],
  inner: InnerJson,
): JsonObject {
  if (text.trim() === '') return {}
  const input = inner.object(text)
  if (typeof input !== 'string') return input
  warnings.push({ field: path, message: `the arguments are ${input}; they were put inside an object` })
  return { invalid_json: text }
}

function renderToolCall(
  call: ToolCallPart,
  path: string,
  warnings: TranslationWarning[],
  inner: InnerJson,
): JsonObject {
  return withoutUndefined({
    type: 'tool_use',
    id: toolUseId(call.id),
    name: call.name,
    input: inputOf(call, path, warnings, inner),
    cache_control: call.cacheControl,
  })
}

/** A longer one is the vendor's to refuse. */
const MAX_MENDED_ID = 1_024

/** The vendor takes letters, digits, `_` and `-`; some servers make up ids like `functions.f:0`, or none. Equal ids stay equal. */
function toolUseId(id: string): string {
  if (id === '') return '_'
  if (id.length > MAX_MENDED_ID) return id
  return id.replaceAll(/[^A-Za-z0-9_-]/g, (character) => `_${(character.codePointAt(0) ?? 0).toString(16)}`)
}

function renderText(part: TextPart): JsonObject | undefined {
  return /\S/.test(part.text) ? textBlock(part) : undefined
}

/** It may be white space alone, which the vendor refuses. */
export function textBlock({ text, cacheControl }: TextPart): JsonObject {
  return withoutUndefined({ type: 'text', text, cache_control: cacheControl })
}

function renderImage(part: ImagePart, path: string, warnings: TranslationWarning[]): JsonObject | undefined {
  if (part.media.type === 'file') return lost(path, 'an image by file id cannot be carried over', warnings)
  const source =
    part.media.type === 'url'
      ? { type: 'url', url: part.media.url }
      : { type: 'base64', media_type: imageType(part.media.mediaType), data: part.media.data }
  if (part.detail !== undefined && part.detail !== 'auto') {
    warnings.push({ field: `${path}.detail`, message: 'messages has no detail of images; it was left out' })
  }
  return withoutUndefined({ type: 'image', source, cache_control: part.cacheControl })
}

/** `image/jpg`, which many write, is no media type: the vendor takes the one that is. */
function imageType(mediaType: string): string {
  return /^image\/jpg$/i.test(mediaType) ? 'image/jpeg' : mediaType
}

function renderDocument(part: DocumentPart, path: string, warnings: TranslationWarning[]): JsonObject | undefined {
  const source = documentSource(part.media)
  if (source === undefined) return lost(path, 'messages takes PDF and plain text by value or PDF by URL', warnings)
  return withoutUndefined({ type: 'document', source, title: part.name, cache_control: part.cacheControl })
}

const PDF = 'application/pdf'

function textSource(data: string | undefined): JsonObject | undefined {
  return data === undefined ? undefined : { type: 'text', media_type: 'text/plain', data }
}

function documentSource(media: DocumentPart['media']): JsonObject | undefined {
  switch (media.type) {
    case 'text':
      return textSource(media.text)
    case 'base64':
      if (media.mediaType === PDF) return { type: 'base64', media_type: PDF, data: media.data }
      return textSource(textOfMedia(media))
    case 'url':
      return (media.mediaType ?? PDF) === PDF ? { type: 'url', url: media.url } : undefined
    case 'file': // ids are the vendor's who gave them
      return undefined
  }
}

function lost(field: string, message: string, warnings: TranslationWarning[]): undefined {
  warnings.push({ field, message })
}
