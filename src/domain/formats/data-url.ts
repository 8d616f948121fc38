/** `data:` URLs with base64, as the vendors pass media inside JSON. Reads the head only: the media may be megabytes. */

/** Media inside a `data:` URL. */
export interface Base64Media {
  readonly mediaType: string
  readonly data: string
}

/** What stands before the comma: longer ones are no head. */
export const MAX_HEAD_CHARACTERS = 256

/** Its code, in lower case. */
const D = 0x64

/** The media of a base64 `data:` URL; undefined for every other URL. */
export function parseDataUrl(url: string): Base64Media | undefined {
  // Most texts end here: every string of a document is asked.
  if ((url.charCodeAt(0) | 0x20) !== D || url.slice(0, 5).toLowerCase() !== 'data:') return undefined
  const comma = url.slice(0, MAX_HEAD_CHARACTERS).indexOf(',')
  if (comma === -1) return undefined
  const [mediaType = '', ...parameters] = url.slice(5, comma).split(';')
  if (parameters.at(-1)?.trim().toLowerCase() !== 'base64') return undefined
  return { mediaType: mediaType.trim() || 'text/plain', data: url.slice(comma + 1) }
}

/** The inverse of `parseDataUrl`. */
export function renderDataUrl(media: Base64Media): string {
  return `data:${media.mediaType};base64,${media.data}`
}
