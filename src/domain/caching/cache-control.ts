/**
 * What a client's `Cache-Control` asks of the gateway's cache.
 *
 * `no-cache`: make a new answer, keep it for others. `no-store`: neither look nor keep. `max-age=N`: take only answers
 * that are at most N seconds old. Everything else, and every value that is none, is ignored, as RFC 9111 section 5.2 has
 * it; but where the field cannot be read (`no-store; no-cache`, too long) and names `no-store`, that is taken at its word.
 */

export interface CacheWish {
  /** Whether an answer from the cache may be given. */
  readonly read: boolean
  /** Whether the answer may be kept. */
  readonly store: boolean
  /** Seconds; undefined: any age that the policy allows. */
  readonly maxAgeSeconds: number | undefined
}

export const ANY_ANSWER: CacheWish = { read: true, store: true, maxAgeSeconds: undefined }

const NOTHING: CacheWish = { read: false, store: false, maxAgeSeconds: undefined }

/** More than a field of directives can need; what is longer is not looked at. */
const MAX_LENGTH = 1_024

/** Directive names are tokens, values tokens or quoted strings. */
const DIRECTIVE = /(?:^|,)\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:=(?:"([^"\\]*)"|([^\s,"]*)))?\s*(?=,|$)/g

/** Reads the field's lines, as they came; several lines are one list. Of several `max-age` the smallest counts. */
export function parseCacheControl(lines: readonly string[]): CacheWish {
  if (lines.length === 0) return ANY_ANSWER
  let { read, maxAgeSeconds } = ANY_ANSWER
  const text = lines.join(',')
  if (isForbidden(text)) return NOTHING
  if (text.length > MAX_LENGTH) return ANY_ANSWER
  for (const [, name = '', quoted, plain] of text.matchAll(DIRECTIVE)) {
    const value = quoted ?? plain
    switch (name.toLowerCase()) {
      case 'no-cache':
        read = false
        break
      case 'max-age':
        if (value !== undefined && /^\d{1,10}$/.test(value)) {
          maxAgeSeconds = Math.min(Number(value), maxAgeSeconds ?? Infinity)
        }
        break
      default:
    }
  }
  return { read, store: true, maxAgeSeconds }
}

/** Of all directives a `no-store` that goes unread does harm, so a wrong separator or a length does not hide it. */
function isForbidden(text: string): boolean {
  const unquoted = text.includes('"') ? text.replaceAll(/"[^"]*"/g, '') : text
  return /(?:^|[,;\s])no-store(?:$|[,;\s=])/i.test(unquoted)
}
