/** Suffixes of redaction tokens: HMAC-SHA256 under the organization's secret. */
import { TextHmac } from '../../crypto/hmac.ts'
import { SUFFIX_LENGTH } from '../../domain/guardrails/masking/restoring/redaction-token.ts'
import type { TokenSuffix } from '../../domain/guardrails/masking/restoring/redaction-token.ts'
import type { Secret } from '../../domain/secret.ts'

/** RFC 4648 base 32 in lower case: 5 bits a character, no sign that markdown or JSON would escape. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const BITS = 5

/**
 * A suffix function for one organization. The same kind and value give the same suffix in every process that has the secret; the
 * fields are separated by a zero byte and the attempt is one of them, so no two inputs are the same bytes.
 */
export function createTokenSuffix(secret: Secret): TokenSuffix {
  const hmac = new TextHmac(Buffer.from(secret.reveal()))
  return (kind, value, attempt) => {
    // As a string of its bytes: a buffer of Node's takes as long to make as half the digest.
    const digest = hmac.digest(`${attempt}\0${kind}\0${value}`, 'binary')
    let suffix = ''
    for (let index = 0; index < SUFFIX_LENGTH; index++) suffix += ALPHABET[bitsAt(digest, index * BITS)] ?? ''
    return suffix
  }
}

function bitsAt(digest: string, offset: number): number {
  const first = digest.charCodeAt(offset >> 3)
  const second = digest.charCodeAt((offset >> 3) + 1)
  return (((first << 8) | second) >> (16 - BITS - (offset & 7))) & 31
}
