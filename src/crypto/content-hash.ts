import { createHash } from 'node:crypto'

/** 16 hexadecimal digits of SHA-256: tells revisions apart; proves nothing. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
