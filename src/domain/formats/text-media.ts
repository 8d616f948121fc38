/** Texts that come as media in base64: documents that guardrails must see, and that some vendors read only as texts. */
import type { ToolResultPart } from '../completion/request.ts'
import { binaryOf, bytesOfBase64, isBase64, isBase64OfMedia, MIN_MEDIA_CHARACTERS } from './base64.ts'
import { MAX_HEAD_CHARACTERS, parseDataUrl, type Base64Media } from './data-url.ts'
import { decodeUtf16, encodeUtf16, utf16Of, type Utf16 } from './utf16.ts'

type ResultPart = ToolResultPart['content'][number]

const TEXT_TYPE =
  /^(?:text\/|message\/|application\/(?:[\w.+-]+\+)?(?:x-)?(?:json|jsonl|ndjson|xml|yaml|toml|csv|sql|sh|python|javascript|typescript|www-form-urlencoded)\b)/i

const MEDIA_TYPE = /^(?:(?:image|audio|video)\/|application\/pdf\b)/i

/** A document as a text, for formats that have no place for its name. */
export function titled(name: string | undefined, text: string): string {
  return name === undefined ? text : `${name}\n${text}`
}

/** What such a document says; undefined where it is no text, or not base64 of UTF-8 or of UTF-16 with its mark. */
export function textOfMedia(media: Base64Media): string | undefined {
  const bytes = bytesOfText(media)
  if (bytes === undefined) return undefined
  const utf16 = utf16Of(bytes)
  return utf16 === undefined ? decoded(bytes) : decodeUtf16(bytes, utf16)
}

/** What a part of a tool's result says: a text, or a document that is one; undefined of another part. */
export function textOfResultPart(part: ResultPart): string | undefined {
  if (part.type === 'text') return part.text
  return part.type === 'document' && part.media.type === 'text' ? titled(part.name, part.media.text) : undefined
}

export type Rewrite = (text: string) => string

/** Where media may be fetched: what is signed there is destroyed by every change. Somebody's address is none. */
const ADDRESS =
  /^\s*(?:(?:https?|file|ftps?|gs|s3|oss):\/\/\S|(?:[a-z][a-z\d+.-]*:)?\/\/[^\s/?#@]+(?=[\s/?#]|$)|(?!(?:mailto|sms|tel):)[a-z][a-z\d+.-]*:\/\/(?=\/[^\s/]))\S*/i
/** Such an address that is written carelessly goes on behind a blank: `my photo.png`. */
const GOES_ON = /[/?%]|\.[a-z][a-z\d]{1,4}(?:[\s?#]|$)/i
/** What no address has: another line, or a person's address. */
const ENDS = /[\r\n]|\s\S+(?:@|%40)\S/

/** Whether media of this type is a text. */
export function isTextType(mediaType: string): boolean {
  return TEXT_TYPE.test(mediaType)
}

const TEXT_NAME =
  /\.(?:txt|text|md|rst|tex|csv|tsv|log|jsonl?|ndjson|ipynb|xml|ya?ml|toml|ini|conf|cfg|properties|env|html?|css|sql|sh|bash|ps1|bat|py|rb|go|rs|java|c|h|cpp|cs|php|[cm]?js|jsx|tsx?|pem|eml|mbox|vcf|ics|srt|vtt)$/i

/** Whether a file of this name is a text. */
function isTextName(name: string): boolean {
  return TEXT_NAME.test(name)
}

/** What a document in base64 says. */
interface Said {
  readonly text: string
  readonly encoding: 'utf-8' | 'latin1' | Utf16
  /** Whether it is a text: what holds other bytes hardly is, so that it may be no base64 either. */
  readonly isPlain: boolean
}

// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/

/**
 * Undefined where there is nothing to read: no text, or not base64. One that is neither UTF-8 nor, as its mark says, UTF-16 is
 * read a character a byte, which all older encodings have in common as far as addresses and numbers go.
 */
function saidIn(media: Base64Media): Said | undefined {
  const bytes = bytesOfText(media)
  if (bytes === undefined || bytes.length === 0) return undefined
  const utf16 = utf16Of(bytes)
  if (utf16 !== undefined) return said(decodeUtf16(bytes, utf16), utf16)
  const utf8 = decoded(bytes)
  return utf8 === undefined ? { text: binaryOf(bytes), encoding: 'latin1', isPlain: false } : said(utf8, 'utf-8')
}

function said(text: string, encoding: Said['encoding']): Said {
  return { text, encoding, isPlain: !UNPRINTABLE.test(text) }
}

/** `data` with the text that `rewrite` makes of what it says; the same text leaves it as it is. */
function rewriteSaid({ text, encoding }: Said, data: string, rewrite: Rewrite): string {
  const rewritten = rewrite(text)
  if (rewritten === text) return data
  return btoa(encoded(rewritten, encoding))
}

/** A character a byte. What does not fit the older encoding is written in UTF-8. */
function encoded(text: string, encoding: Said['encoding']): string {
  if (encoding === 'latin1' && !/[^\0-\xff]/.test(text)) return text
  const isUtf16 = encoding === 'utf-16le' || encoding === 'utf-16be'
  return binaryOf(isUtf16 ? encodeUtf16(text, encoding) : new TextEncoder().encode(text))
}

/** The document's data, rewritten; undefined where there is nothing to read. */
export function rewriteMedia(
  media: Base64Media,
  rewrite: Rewrite,
): Pick<Base64Media & Said, 'data' | 'isPlain'> | undefined {
  const read = saidIn(media)
  return read && { data: rewriteSaid(read, media.data, rewrite), isPlain: read.isPlain }
}

/** What should be base64 of this type: a text is read, other media is not, and what is no base64 is read as it is. */
export function rewriteBase64(data: string, mediaType: string, rewrite: Rewrite): string {
  if (parseDataUrl(data.trimStart()) !== undefined) return rewriteAddress(data, rewrite)
  return rewriteBare(data, mediaType, rewrite)
}

/** The same where a `data:` URL has been taken off: another one inside is no base64, and could hold the next. */
function rewriteBare(data: string, mediaType: string, rewrite: Rewrite): string {
  if (MEDIA_TYPE.test(mediaType)) return isBase64OfMedia(data) ? data : rewrite(data)
  if (!isTextType(mediaType)) return isBase64(data, mediaType === '' ? undefined : 0) ? data : rewrite(data)
  const document = rewriteMedia({ mediaType, data }, rewrite)
  if (document === undefined) return rewrite(data)
  // A number may happen to be a letter or two.
  return document.isPlain && HAS_LETTERS.test(data) ? document.data : besides(document.data, data, rewrite)
}

const HAS_LETTERS = /[A-Za-z]/

/** The same of what need not be base64 at all, as nobody but a field beside it says so; undefined where none does. */
export function rewriteBeside(data: string, mediaType: string, rewrite: Rewrite): string | undefined {
  if (MEDIA_TYPE.test(mediaType)) return isBase64OfMedia(data, MIN_MEDIA_CHARACTERS) ? data : undefined
  if (!isTextType(mediaType)) return isBase64(data) ? data : undefined
  const read = saidIn({ mediaType, data })
  if (!read?.isPlain) return undefined
  return besides(rewriteSaid(read, data, rewrite), data, rewrite)
}

/** Read as it is, too: it may be a secret. Always, so that it is the same each time. */
function besides(document: string, data: string, rewrite: Rewrite): string {
  const raw = isBase64(data) ? data : rewrite(data)
  return document === data ? raw : document
}

/** Where the address ends that the text begins with; 0 where it begins with none. */
function endOfAddress(text: string): number {
  const end = ADDRESS.exec(text)?.[0].length ?? 0
  const behind = text.slice(end).trimEnd()
  return end > 0 && (behind === '' || (GOES_ON.test(behind) && !ENDS.test(behind))) ? text.length : end
}

/** A text in a `data:` URL; undefined of all else. */
export function rewriteDataUrl(url: string, rewrite: Rewrite): string | undefined {
  const media = parseDataUrl(url.trimStart())
  return media !== undefined && isTextType(media.mediaType) ? rewriteInUrl(url, media, rewrite) : undefined
}

function rewriteInUrl(url: string, { mediaType, data }: Base64Media, rewrite: Rewrite): string {
  const stays = !isTextType(mediaType) && PERCENT_ENCODED.test(data)
  return rewriteHead(url, mediaType, rewrite) + (stays ? data : rewriteBare(data, mediaType, rewrite))
}

/** As base64 is in an address. */
const PERCENT_ENCODED = /^[^\s@]*%[^\s@]*$/

/** What a `data:` URL says before its data: a name may stand there. */
function rewriteHead(url: string, mediaType: string, rewrite: Rewrite): string {
  const head = url.slice(0, url.indexOf(',') + 1)
  if (PLAIN_HEAD.test(head)) return head
  const rewritten = rewrite(head)
  if (rewritten === head || rewritten.length <= MAX_HEAD_CHARACTERS) return rewritten
  // It would not be read as a head again.
  return `data:${isTextType(mediaType) ? 'text/plain' : 'application/octet-stream'};base64,`
}

const PLAIN_HEAD = /^\s*data:[\w.+-]*\/?[\w.+-]*(?:;charset=[\w-]+)?;base64,$/i

/** Media that stays, but for what a `data:` URL says before it. */
export function rewriteHeadOnly(text: string, rewrite: Rewrite): string {
  const media = parseDataUrl(text)
  return media === undefined ? text : rewriteHead(text, media.mediaType, rewrite) + media.data
}

/** Where media is: an address or a `data:` URL of what is no text stays, as does bare base64. What is none of it is text. */
export function rewriteAddress(url: string, rewrite: Rewrite): string {
  const end = endOfAddress(url)
  if (end > 0) return url.slice(0, end) + (end === url.length ? '' : rewrite(url.slice(end)))
  const media = parseDataUrl(url.trimStart())
  if (media !== undefined) return rewriteInUrl(url, media, rewrite)
  return isBase64(url) ? url : rewrite(url)
}

/** The same of a file, whose name may say what bare base64 is, and what is of a type that says nothing. */
export function rewriteFile(data: string, name: string, rewrite: Rewrite): string {
  if (!isTextName(name) || (endOfAddress(data) > 0 && !isBase64OfUtf16(data))) return rewriteAddress(data, rewrite)
  const media = parseDataUrl(data.trimStart())
  // A browser that knows no type for `.csv` writes `application/octet-stream`, or that of a spreadsheet.
  if (media === undefined || MEDIA_TYPE.test(media.mediaType)) return rewriteBase64(data, 'text/plain', rewrite)
  return rewriteHead(data, media.mediaType, rewrite) + rewriteBare(media.data, 'text/plain', rewrite)
}

/** Base64 of a text in UTF-16 whose mark reads like the two slashes of an address: `//5oAGk=`. */
function isBase64OfUtf16(data: string): boolean {
  return WRITTEN_MARK.test(data) && isBase64(data, 0)
}

const WRITTEN_MARK = /^\s*\/\/[4-7]/

function bytesOfText({ mediaType, data }: Base64Media): Uint8Array | undefined {
  return isTextType(mediaType) ? bytesOfBase64(data) : undefined
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
