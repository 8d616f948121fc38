/**
 * How many tokens a prompt can have at most, and probably has, without any vendor's tokenizer.
 *
 * Upper bound: a token of a byte-level tokenizer covers at least one byte, so a text has at most as many tokens as
 * UTF-8 bytes. What vendors add on top (role marks, the tool preamble) and what is not text has documented maxima,
 * all at or above the dearest vendor's published figure. Known limit: a tokenizer that first expands a text by Unicode
 * normalisation can exceed the bound for rare ligatures; settlement charges the truth in any case.
 */
import type { CompletionRequest, DocumentPart, Message, MediaSource } from '../completion/request.ts'
import { measureDocument, type DocumentSize } from './document-size.ts'
import { utf8Size } from './utf8-size.ts'

/** Role marks and separators; OpenAI counts 3 to 4 a message, others fewer than 8. */
const TOKENS_PER_MESSAGE = 8
/** Start of the conversation and of the answer. */
const TOKENS_PER_REQUEST = 16
/** The preamble that a vendor adds when tools are there: Anthropic documents up to 530. */
const TOOL_PREAMBLE_TOKENS = 600
/** Wrapping of one tool definition. */
const TOKENS_PER_TOOL = 32
/** Audio is at most 32 tokens a second (Gemini), and no codec in use goes below 512 bytes a second. */
const AUDIO_BYTES_PER_TOKEN = 16
/** `data:` and `;base64,` */
const DATA_URL_BYTES = 13

export interface PromptSize {
  /** UTF-8 bytes of all texts, tool definitions, tool calls and schemas. */
  readonly textBytes: number
  /** How many of them belong to characters outside ASCII. */
  readonly wideBytes: number
  /** Role marks, preambles and inline audio, at their maximum. */
  readonly overheadTokens: number
  readonly images: number
  /** Something whose tokens cannot be told from here: a PDF, a file id, media by URL other than an image. */
  readonly unmeasurable: boolean
}

/** Measures a request: one pass over its texts, and one over its document, which may say more than the neutral request knows. */
export function measurePrompt(request: CompletionRequest): PromptSize {
  const size = new Measure(request.source.format === 'generate-content')
  for (const part of request.system) size.text(part.text)
  size.tokens(TOKENS_PER_REQUEST + TOKENS_PER_MESSAGE * (request.system.length + request.messages.length))
  for (const message of request.messages) measureMessage(size, message)
  if (request.tools.length > 0) size.tokens(TOOL_PREAMBLE_TOKENS)
  for (const tool of request.tools) {
    size.tokens(TOKENS_PER_TOOL)
    size.text(tool.name)
    size.text(tool.description ?? '')
    size.json(tool.parameters)
  }
  if (request.responseFormat?.type === 'json-schema') size.json(request.responseFormat.schema)
  size.rest(measureDocument(request.source.document))
  return size
}

/** Tokens that `bytes` of text probably are: 4 bytes of ASCII or 2 bytes of other scripts each, rounded up. */
export function probableTokens(textBytes: number, wideBytes: number): number {
  return Math.ceil((textBytes - wideBytes) / 4 + wideBytes / 2)
}

class Measure implements PromptSize {
  textBytes = 0
  wideBytes = 0
  overheadTokens = 0
  images = 0
  unmeasurable = false
  /** What the document says of media: data and addresses. */
  #mediaBytes = 0
  #references = 0
  readonly #refersByUri: boolean

  /** @param refersByUri media elsewhere are references of the document (`measureDocument`) */
  constructor(refersByUri: boolean) {
    this.#refersByUri = refersByUri
  }

  text(text: string): void {
    const { bytes, wide } = utf8Size(text)
    this.textBytes += bytes
    this.wideBytes += wide
  }

  json(value: unknown): void {
    if (value !== undefined) this.text(JSON.stringify(value))
  }

  tokens(count: number): void {
    this.overheadTokens += count
  }

  /** What the document holds beyond what is counted: as text, or as something elsewhere. */
  rest({ bytes, wide, references }: DocumentSize): void {
    const rest = Math.max(0, bytes - this.textBytes - this.#mediaBytes)
    this.wideBytes += Math.min(rest, Math.max(0, wide - this.wideBytes))
    this.textBytes += rest
    if (references > this.#references) this.unmeasurable = true
  }

  image(media: MediaSource): void {
    this.images++
    this.#media(media)
  }

  document(media: DocumentPart['media']): void {
    if (media.type === 'text') return this.text(media.text)
    this.unmeasurable = true
    this.#media(media)
  }

  #media(media: MediaSource): void {
    if (media.type === 'base64') this.#mediaBytes += media.data.length + DATA_URL_BYTES + media.mediaType.length
    else this.#mediaBytes += utf8Size(media.type === 'url' ? media.url : media.id).bytes
    if (media.type !== 'base64' && this.#refersByUri) this.#references++
  }

  audio(media: MediaSource): void {
    this.#media(media)
    if (media.type === 'base64') this.tokens(Math.ceil(media.data.length / AUDIO_BYTES_PER_TOKEN))
    else this.unmeasurable = true
  }
}

function measureMessage(size: Measure, message: Message): void {
  for (const part of message.content) {
    switch (part.type) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        size.text(part.text)
        break
      case 'image':
        size.image(part.media)
        break
      case 'document':
        size.document(part.media)
        break
      case 'audio':
        size.audio(part.media)
        break
      case 'tool-call':
        size.tokens(TOKENS_PER_MESSAGE)
        size.text(part.name)
        size.text(part.arguments)
        break
      case 'tool-result':
        size.tokens(TOKENS_PER_MESSAGE)
        for (const item of part.content) {
          if (item.type === 'text') size.text(item.text)
          else if (item.type === 'image') size.image(item.media)
          else size.document(item.media)
        }
        break
      default:
        part satisfies never
    }
  }
}
