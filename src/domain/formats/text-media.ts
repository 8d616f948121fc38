/** Texts that come as documents in base64: only some vendors read them so, and all of them read a text. */
import type { Base64Media } from './data-url.ts'

const TEXT_TYPE = /^text\/|^application\/(?:json|xml)$/

/** What such a document says; undefined where it is no text, or not base64 of UTF-8. */
export function textOfMedia({ mediaType, data }: Base64Media): string | undefined {
  if (!TEXT_TYPE.test(mediaType)) return undefined
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
