/** Texts that come as media in base64: documents that guardrails must see, and that some vendors read only as texts. */
import { parseDataUrl, type Base64Media } from './data-url.ts'

const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|jsonl|x-ndjson|xml|yaml|x-yaml|csv|sql)\b)/i

/** Code units that go into one call. */
const CHUNK = 8_192

/** A document as a text, for formats that have no place for its name. */
export function titled(name: string | undefined, text: string): string {
  return name === undefined ? text : `${name}\n${text}`
}

/** What such a document says; undefined where it is no text, or not base64 of UTF-8. */
export function textOfMedia(media: Base64Media): string | undefined {
  const bytes = bytesOfText(media)
  return bytes === undefined ? undefined : decoded(bytes)
}

export type Rewrite = (text: string) => string

/** Shorter text in the alphabet of base64 may be a secret, which must be seen; media is longer than this. */
export const MIN_MEDIA_CHARACTERS = 1024

const ALPHABET = /^[A-Za-z0-9+/_=-]*$/

/** Old encoders break base64 into lines of 64 or 76 characters: a column of numbers has shorter ones. */
const MIN_LINE = 57

/** Where media may be fetched, however carelessly it is written (`my photo.png`): what is signed there is destroyed by every change. */
const ADDRESS = /^\s*(?:[a-z][a-z\d+.-]*:)?\/\/\S/i
/** What is behind such an address, and none of it: another line, or a person's address. */
const BEHIND_ADDRESS = /[\r\n]|\s\S*@/

/** Whether media of this type is a text. */
export function isTextType(mediaType: string): boolean {
  return TEXT_TYPE.test(mediaType)
}

/** Whether a file of this name is a text. */
function isTextName(name: string): boolean {
  return /\.(?:txt|text|md|csv|tsv|log|jsonl?|ndjson|xml|ya?ml|html?|sql|eml|vcf|ics)$/i.test(name)
}

/** What a document in base64 says. */
interface Said {
  readonly text: string
  readonly isUtf8: boolean
  /** Whether it is a text: what holds other bytes hardly is, so that it may be no base64 either. */
  readonly isPlain: boolean
}

// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/

/**
 * Undefined where there is nothing to read: no text, or not base64. One that is not UTF-8 is read a character a byte,
 * which all older encodings have in common as far as addresses and numbers go.
 */
function saidIn(media: Base64Media): Said | undefined {
  const bytes = bytesOfText(media)
  if (bytes === undefined || bytes.length === 0) return undefined
  const utf8 = decoded(bytes)
  if (utf8 === undefined) return { text: binaryOf(bytes), isUtf8: false, isPlain: false }
  return { text: utf8, isUtf8: true, isPlain: !UNPRINTABLE.test(utf8) }
}

/** `data` with the text that `rewrite` makes of what it says; the same text leaves it as it is. */
function rewriteSaid({ text, isUtf8 }: Said, data: string, rewrite: Rewrite): string {
  const rewritten = rewrite(text)
  if (rewritten === text) return data
  const isLatin = !isUtf8 && !/[^\0-\xff]/.test(rewritten)
  return btoa(isLatin ? rewritten : binaryOf(new TextEncoder().encode(rewritten)))
}

/** The document's data, rewritten; undefined where there is nothing to read. */
export function rewriteMedia(
  media: Base64Media,
  rewrite: Rewrite,
): Pick<Base64Media & Said, 'data' | 'isPlain'> | undefined {
  const said = saidIn(media)
  return said && { data: rewriteSaid(said, media.data, rewrite), isPlain: said.isPlain }
}

/** What should be base64 of this type: a text is read, other media is not, and what is no base64 is read as it is. */
export function rewriteBase64(data: string, mediaType: string, rewrite: Rewrite): string {
  if (parseDataUrl(data.trimStart()) !== undefined) return rewriteAddress(data, rewrite)
  return rewriteBare(data, mediaType, rewrite)
}

/** The same where a `data:` URL has been taken off: another one inside is no base64, and could hold the next. */
function rewriteBare(data: string, mediaType: string, rewrite: Rewrite): string {
  if (!isTextType(mediaType)) return isMedia(data, mediaType === '' ? MIN_MEDIA_CHARACTERS : 0) ? data : rewrite(data)
  const document = rewriteMedia({ mediaType, data }, rewrite)
  if (document === undefined) return rewrite(data)
  return document.isPlain ? document.data : besides(document.data, data, rewrite)
}

/** The same of what need not be base64 at all, as nobody but a field beside it says so; undefined where none does. */
export function rewriteBeside(data: string, mediaType: string, rewrite: Rewrite): string | undefined {
  if (!isTextType(mediaType)) return isMedia(data) ? data : undefined
  const said = saidIn({ mediaType, data })
  if (!said?.isPlain) return undefined
  return besides(rewriteSaid(said, data, rewrite), data, rewrite)
}

/** Read as it is, too: it may be a secret. Always, so that it is the same each time. */
function besides(document: string, data: string, rewrite: Rewrite): string {
  const raw = isMedia(data) ? data : rewrite(data)
  return document === data ? raw : document
}

function isMedia(data: string, minCharacters = MIN_MEDIA_CHARACTERS): boolean {
  return data.length >= minCharacters && isBase64(data.trim())
}

/** Line by line: one pattern for all would exhaust its stack. */
function isBase64(data: string): boolean {
  for (let start = 0, end = 0; start < data.length; start = end + 1) {
    end = data.indexOf('\n', start)
    if (end === -1) end = data.length
    const line = data.slice(start, end).trim()
    if ((end < data.length && line.length < MIN_LINE) || !ALPHABET.test(line)) return false
  }
  return true
}

function isAddress(url: string): boolean {
  return ADDRESS.test(url) && !BEHIND_ADDRESS.test(url.trim())
}

/** A text in a `data:` URL; undefined of all else. */
export function rewriteDataUrl(url: string, rewrite: Rewrite): string | undefined {
  const media = parseDataUrl(url.trimStart())
  return media !== undefined && isTextType(media.mediaType) ? rewriteInUrl(url, media, rewrite) : undefined
}

function rewriteInUrl(url: string, { mediaType, data }: Base64Media, rewrite: Rewrite): string {
  return rewriteHead(url, rewrite) + (isTextType(mediaType) ? rewriteBare(data, mediaType, rewrite) : data)
}

/** What a `data:` URL says before its data: a name may stand there. */
function rewriteHead(url: string, rewrite: Rewrite): string {
  const head = url.slice(0, url.indexOf(',') + 1)
  return PLAIN_HEAD.test(head) ? head : rewrite(head)
}

const PLAIN_HEAD = /^\s*data:[\w.+-]*\/?[\w.+-]*(?:;charset=[\w-]+)?;base64,$/i

/** Where media is: an address or a `data:` URL of what is no text stays, as does bare base64. What is none of it is text. */
export function rewriteAddress(url: string, rewrite: Rewrite): string {
  if (isAddress(url)) return url
  const media = parseDataUrl(url.trimStart())
  if (media !== undefined) return rewriteInUrl(url, media, rewrite)
  return isMedia(url) ? url : rewrite(url)
}

/** The same of a file, whose name may say what bare base64 is. */
export function rewriteFile(data: string, name: string, rewrite: Rewrite): string {
  return isTextName(name) && !isAddress(data)
    ? rewriteBase64(data, 'text/plain', rewrite)
    : rewriteAddress(data, rewrite)
}

/** In the usual alphabet, which is the only one that some vendors know: Gemini's clients write that of addresses. */
export function standardBase64(data: string): string {
  if (!data.includes('-') && !data.includes('_')) return data
  const standard = data.replaceAll('-', '+').replaceAll('_', '/')
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=')
}

function bytesOfText({ mediaType, data }: Base64Media): Uint8Array | undefined {
  if (!isTextType(mediaType)) return undefined
  try {
    const binary = atob(standardBase64(data))
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index)
    return bytes
  } catch {
    return undefined
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function binaryOf(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  return binary
}
