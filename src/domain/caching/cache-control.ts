/**
 * What a client's `Cache-Control` asks of the gateway's cache.
 *
 * `no-cache`: make a new answer, keep it for others. `no-store`: neither look nor keep. `max-age=N`: take only answers
 * that are at most N seconds old. Everything else, and every value that is none, is ignored, as RFC 9111 section 5.2 has it.
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

/** More than a field of directives can need; what is longer is not looked at. */
const MAX_LENGTH = 1_024

/** Directive names are tokens, values tokens or quoted strings. */
const DIRECTIVE = /(?:^|,)\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:=(?:"([^"\\]*)"|([^\s,"]*)))?\s*(?=,|$)/g

/** Reads the field's lines, as they came; several lines are one list. Of several `max-age` the smallest counts. */
export function parseCacheControl(lines: readonly string[]): CacheWish {
  if (lines.length === 0) return ANY_ANSWER
  let { read, store, maxAgeSeconds } = ANY_ANSWER
  const text = lines.join(',')
  if (text.length > MAX_LENGTH) return ANY_ANSWER
  for (const [, name = '', quoted, plain] of text.matchAll(DIRECTIVE)) {
    const value = quoted ?? plain
    switch (name.toLowerCase()) {
      case 'no-store':
        store = false
        read = false
        break
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
  return { read, store, maxAgeSeconds }
}
