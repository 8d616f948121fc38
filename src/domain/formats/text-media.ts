/** Texts that come as media in base64: documents that guardrails must see, and that some vendors read only as texts. */
import { parseDataUrl, renderDataUrl, type Base64Media } from './data-url.ts'

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

/**
 * The document's data with the text that `rewrite` makes of its own; the same text leaves it as it is. One that is not
 * UTF-8 is read a character a byte, which all older encodings have in common as far as addresses and numbers go.
 * @returns undefined where there is nothing to read: no text, or not base64
 */
export function rewriteMedia(media: Base64Media, rewrite: (text: string) => string): string | undefined {
  const bytes = bytesOfText(media)
  if (bytes === undefined || bytes.length === 0) return undefined
  const utf8 = decoded(bytes)
  const text = utf8 ?? binaryOf(bytes)
  const rewritten = rewrite(text)
  if (rewritten === text) return media.data
  const isLatin = utf8 === undefined && !/[^\0-\xff]/.test(rewritten)
  return btoa(isLatin ? rewritten : binaryOf(new TextEncoder().encode(rewritten)))
}

/** The same of a `data:` URL. */
export function rewriteDataUrl(url: string, rewrite: (text: string) => string): string | undefined {
  const media = parseDataUrl(url)
  if (media === undefined) return undefined
  const data = rewriteMedia(media, rewrite)
  if (data === undefined) return undefined
  return data === media.data ? url : renderDataUrl({ ...media, data })
}

/** Whether media of this type is a text. */
export function isTextType(mediaType: string): boolean {
  return TEXT_TYPE.test(mediaType)
}

/** Whether it says something: other bytes than these are hardly a text, so that it may be no base64 either. */
export function isPlainText(media: Base64Media): boolean {
  const text = textOfMedia(media)
  // oxlint-disable-next-line no-control-regex
  return text !== undefined && !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(text)
}

/** Whether a file of this name is a text. */
export function isTextName(name: string): boolean {
  return /\.(?:txt|text|md|csv|tsv|log|jsonl?|ndjson|xml|ya?ml|html?|sql|eml|vcf|ics)$/i.test(name)
}

/** In the usual alphabet, which is the only one that some vendors know: Gemini's clients write that of addresses. */
export function standardBase64(data: string): string {
  if (!data.includes('-') && !data.includes('_')) return data
  const standard = data.replaceAll('-', '+').replaceAll('_', '/')
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=')
}

function bytesOfText({ mediaType, data }: Base64Media): Uint8Array | undefined {
  if (!TEXT_TYPE.test(mediaType)) return undefined
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
