/**
 * JSON web tokens (signed: three parts, encrypted: five) and tokens built alike (Flask and itsdangerous sessions, Grafana).
 * The header must decode to the beginning of a JSON object; the algorithm's name is not asked for: recall first.
 */
import { BASE64_URL, classAt, skipForward, unitAt } from '../character-classes.ts'
import type { Finding } from '../finding.ts'

/** Longer than any header field of HTTP may be; beyond it the rest of a part is another text. */
const LONGEST_PART = 16_384
const SHORTEST_PART = 4

/** The token that begins at `start`, where `eyJ` stands. `from` of a failed try ends where its first part ends. */
export function findJsonWebToken(text: string, start: number): Finding | undefined {
  let end = skipForward(text, start, start + LONGEST_PART, BASE64_URL)
  if (end - start < 10) return undefined
  let parts = 1
  while (parts < 5 && unitAt(text, end) === 0x2e) {
    const next = skipForward(text, end + 1, end + 1 + LONGEST_PART, BASE64_URL)
    if (next - end - 1 < SHORTEST_PART && !(parts === 1 && next > end + 1)) break
    end = next
    parts++
  }
  if (parts < 2 || (parts === 2 && !text.startsWith('.eyJ', text.indexOf('.', start)))) return undefined
  if (unitAt(text, end) === 0x2e && parts === 2 && (classAt(text, end + 1) & BASE64_URL) === 0) end++
  return { kind: 'KEY', start, end, rule: 'json-web-token' }
}
