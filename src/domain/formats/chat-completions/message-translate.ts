/**
 * Neutral messages -> chat-completions messages. Plain text is written as a string, which every compatible server
 * takes; an array of parts only where a part is not text. Where others take pieces in any order, this vendor has rules:
 *
 * - all calls of a step are in one message, so neighbours of the model's become one;
 * - their results follow at once, before everything else that is said in that turn;
 * - the model's messages have a text or calls: one that is left with neither is left out;
 * - so is one of the user's of which nothing can be sent.
 */
import {
  NO_ARGUMENTS,
  type AssistantPart,
  type CompletionRequest,
  type DocumentPart,
  type ImagePart,
  type MediaSource,
  type Message,
  type TextPart,
  type ToolResultPart,
  type TranslationWarning,
  type UserPart,
} from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { renderDataUrl } from '../data-url.ts'
import { withoutUndefined } from '../fields.ts'
import { textOfMedia, textOfResultPart, titled } from '../text-media.ts'
import { demandsThinking, renderThinking } from './earlier-thinking.ts'

/** Between texts that become one string. */
const PARAGRAPH = '\n\n'

/** The messages, system instructions first. Adds to `warnings` what is lost. */
export function translateMessages(
  request: CompletionRequest,
  model: string,
  warnings: TranslationWarning[],
): JsonObject[] {
  const withThinking = demandsThinking(model, request.messages)
  const system = request.system.length === 0 ? [] : [renderSystem(request.system, 'system', warnings)]
  const rest = joined(request).flatMap(([message, index]) =>
    renderMessage(message, `messages[${index}]`, withThinking, warnings),
  )
  return [...system, ...resultsFirst(rest)]
}

/**
 * The model's neighbours as one: streamed turns come back piece by piece from Google's clients, others write whole messages. Each with
 * its index in the request.
 */
function joined({ messages, source }: CompletionRequest): [Message, number][] {
  const arePieces = source.format === 'generate-content'
  const list: [Message, number][] = []
  /** Of the last message, where that is the model's: a list of our own, as there may be a hundred thousand. */
  let turn: AssistantPart[] | undefined
  let said: string | undefined
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') {
      turn = undefined
      list.push([message, index])
      continue
    }
    const texts = message.content.filter((part) => part.type === 'text').filter(({ text }) => text !== '')
    if (turn === undefined) {
      turn = [...message.content]
      said = undefined
      list.push([{ role: 'assistant', content: turn }, index])
    } else {
      if (!arePieces && needParting(said, texts[0]?.text)) turn.push({ type: 'text', text: PARAGRAPH })
      for (const part of message.content) turn.push(part)
    }
    said = texts.at(-1)?.text ?? said
  }
  return list
}

/** Neither of which brings white space of its own. */
function needParting(before: string | undefined, after: string | undefined): boolean {
  return before !== undefined && after !== undefined && !/\s$/.test(before.slice(-1)) && !/^\s/.test(after)
}

/** Results right after their calls, the others in their order. Results of no call, which the vendor refuses, keep their place. */
function resultsFirst(messages: readonly JsonObject[]): JsonObject[] {
  const ordered: JsonObject[] = []
  /** What was said since the model spoke. */
  let since: JsonObject[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const earlier of since) ordered.push(earlier)
      since = []
      ordered.push(message)
    } else if (message.role === 'tool' && mayHaveResult(ordered.at(-1))) {
      ordered.push(message)
    } else {
      since.push(message)
    }
  }
  return [...ordered, ...since]
}

function mayHaveResult(last: JsonObject | undefined): boolean {
  return last?.role === 'tool' || last?.tool_calls !== undefined
}

function renderMessage(
  message: Message,
  path: string,
  withThinking: boolean,
  warnings: TranslationWarning[],
): JsonObject[] {
  switch (message.role) {
    case 'system':
      return [renderSystem(message.content, path, warnings)]
    case 'user': {
      const content = renderUser(message.content, path, warnings)
      return isLost(message, content) ? [] : [{ role: 'user', content }]
    }
    case 'assistant':
      return renderAssistant(message.content, path, withThinking, warnings)
    case 'tool':
      return renderToolResults(message.content, path, warnings)
  }
}

/** Of an empty message nothing is lost: the vendor takes it. */
function isLost(
  { content, isUnread }: { content: readonly UserPart[]; isUnread?: true },
  rendered: string | JsonObject[],
) {
  return isUnread === true || (content.length > 0 && rendered.length === 0 && typeof rendered !== 'string')
}

function renderSystem(content: readonly TextPart[], path: string, warnings: TranslationWarning[]): JsonObject {
  warnOfCacheControl(content, path, warnings)
  return { role: 'system', content: content.map((part) => part.text).join(PARAGRAPH) }
}

function warnOfCacheControl(
  parts: readonly { readonly cacheControl?: unknown }[],
  path: string,
  warnings: TranslationWarning[],
): void {
  if (parts.every((part) => part.cacheControl === undefined)) return
  warnings.push({
    field: `${path}.cache_control`,
    message: 'chat-completions caches on its own; the mark was left out',
  })
}

function renderUser(content: readonly UserPart[], path: string, warnings: TranslationWarning[]): string | JsonObject[] {
  warnOfCacheControl(
    content.filter((part) => part.type !== 'audio'),
    path,
    warnings,
  )
  const [first] = content
  if (first === undefined) return ''
  if (content.length === 1 && first.type === 'text') return first.text
  return content.flatMap<JsonObject>((part, index) => renderUserPart(part, `${path}.content[${index}]`, warnings) ?? [])
}

/** The part; undefined, with a warning, where it has no place here. */
export function renderUserPart(part: UserPart, path: string, warnings: TranslationWarning[]): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
      return renderImage(part, path, warnings)
    case 'document':
      return renderDocument(part, path, warnings)
    case 'audio':
      return renderAudio(part.media, path, warnings)
  }
}

function renderImage(part: ImagePart, path: string, warnings: TranslationWarning[]): JsonObject | undefined {
  if (part.media.type === 'file') return lost(path, 'an image by file id cannot be carried over', warnings)
  const url = part.media.type === 'url' ? part.media.url : renderDataUrl(part.media)
  return { type: 'image_url', image_url: withoutUndefined({ url, detail: part.detail }) }
}

function renderDocument(part: DocumentPart, path: string, warnings: TranslationWarning[]): JsonObject | undefined {
  switch (part.media.type) {
    case 'text':
      return { type: 'text', text: titled(part.name, part.media.text) }
    case 'base64': {
      // The vendor takes PDF files only.
      const text = textOfMedia(part.media)
      if (text !== undefined) return { type: 'text', text: titled(part.name, text) }
      return { type: 'file', file: { filename: fileName(part.name, part.media), file_data: renderDataUrl(part.media) } }
    }
    case 'url':
      return lost(path, 'a document by URL cannot be carried over', warnings)
    case 'file':
      return lost(path, 'a document by file id cannot be carried over', warnings)
  }
}

/**
 * The vendor tells what a file is by the end of its name, and refuses one without; titles of documents have none.
 * @see https://platform.openai.com/docs/guides/pdf-files
 */
function fileName(name = 'document', { mediaType }: { readonly mediaType: string }): string {
  return !/^application\/pdf\b/i.test(mediaType) || /\.pdf$/i.test(name) ? name : `${name}.pdf`
}

function renderAudio(media: MediaSource, path: string, warnings: TranslationWarning[]): JsonObject | undefined {
  if (media.type !== 'base64') return lost(path, 'audio by reference cannot be carried over', warnings)
  return { type: 'input_audio', input_audio: { data: media.data, format: audioFormatOf(media.mediaType) } }
}

/** The vendor takes `wav` and `mp3`, which also have other names among the media types. */
function audioFormatOf(mediaType: string): string {
  const name = mediaType.replace(/^audio\/(?:x-)?/, '')
  if (name === 'mpeg') return 'mp3'
  return name === 'wave' ? 'wav' : name
}

function lost(field: string, message: string, warnings: TranslationWarning[]): undefined {
  warnings.push({ field, message })
}

/** One message, or none where nothing is left to say. */
function renderAssistant(
  content: readonly AssistantPart[],
  path: string,
  withThinking: boolean,
  warnings: TranslationWarning[],
): JsonObject[] {
  const texts = content.filter((part) => part.type === 'text')
  const calls = content.filter((part) => part.type === 'tool-call')
  const refusals = content.filter((part) => part.type === 'refusal')
  warnOfCacheControl([...texts, ...calls], path, warnings)
  const text = joinTexts(texts)
  const refusal = joinTexts(refusals)
  const isSilent = text === '' && refusal === '' && calls.length === 0
  const thinking = content.filter((part) => part.type === 'reasoning')
  if (thinking.some(({ redacted }) => isSilent || !withThinking || redacted !== undefined)) {
    const message = 'earlier thinking cannot be sent in this format; it was left out'
    warnings.push({ field: `${path}.thinking`, message })
  }
  if (isSilent) return []
  const message = withoutUndefined({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(withThinking ? renderThinking(thinking) : {}),
    refusal: refusal === '' ? undefined : refusal,
    tool_calls: calls.length > 0 ? calls.map(renderToolCall) : undefined,
  })
  return [message]
}

function joinTexts(parts: readonly { readonly text: string }[]): string {
  return parts.map((part) => part.text).join('')
}

function renderToolCall(call: { readonly id: string; readonly name: string; readonly arguments: string }): JsonObject {
  // Empty arguments are «no arguments» elsewhere; here they must be JSON.
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments || NO_ARGUMENTS } }
}

const SAYS_ERROR = /^\W*(?:error|exception|fail|traceback)/i

/** This format has no mark for a failed call: a text that does not begin by saying so gets the word before it. */
function textOf({ content, isError }: ToolResultPart): string {
  const text = content.flatMap((part) => textOfResultPart(part) ?? []).join(PARAGRAPH)
  return isError === true && !SAYS_ERROR.test(text) ? `Error: ${text}`.trimEnd() : text
}

/** One message a result, with its texts. Media, which a result cannot hold here, follows in a user message after the last of them. */
function renderToolResults(
  results: readonly ToolResultPart[],
  path: string,
  warnings: TranslationWarning[],
): JsonObject[] {
  warnOfCacheControl(results, path, warnings)
  const messages = results.map((result, index): JsonObject => {
    if (result.isError === true) {
      const field = `${path}.content[${index}].is_error`
      warnings.push({ field, message: 'the mark of a failed tool call was put into its text' })
    }
    return { role: 'tool', tool_call_id: result.toolCallId, content: textOf(result) }
  })
  const media = results.flatMap((result) => result.content.filter((part) => textOfResultPart(part) === undefined))
  const content = renderUser(media, path, warnings)
  return content.length === 0 ? messages : [...messages, { role: 'user', content }]
}
