/**
 * HMAC-SHA256 of texts (RFC 2104), several for each request. `createHmac` makes a native object for each of
 * them, which the collector has to see to as well: with two calls of `hash` instead a request takes 9 % less of the processor.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'

/** Of SHA-256, bytes. */
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c

/** Longer texts go another way, on which they are not copied and an object more is next to nothing. */
const MAX_TEXT_BYTES = 16 * 1024
/** What UTF-8 takes at most for a unit of a string. */
const UNIT_BYTES = 3

/** Where the inputs of both hashes are put together; of no use, and no secret, between two calls. */
const inner = Buffer.alloc(BLOCK_BYTES + MAX_TEXT_BYTES)
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)

type DigestEncoding = 'hex' | 'base64url' | 'binary'

/** One key, for any number of texts. */
export class TextHmac {
  readonly #key: KeyObject
  readonly #innerPad: Buffer
  readonly #outerPad: Buffer

  constructor(key: Buffer) {
    // A key object: from a buffer Node makes one at every call, which costs eight times the digest.
    this.#key = createSecretKey(key)
    const block = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key
    this.#innerPad = padded(block, INNER_PAD)
    this.#outerPad = padded(block, OUTER_PAD)
  }

  /** Of the text's UTF-8 bytes; `binary`: a character for each byte. */
  digest(text: string, encoding: DigestEncoding): string {
    if (text.length * UNIT_BYTES > MAX_TEXT_BYTES) return createHmac('sha256', this.#key).update(text).digest(encoding)
    inner.set(this.#innerPad)
    const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES)
    outer.set(this.#outerPad)
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary')
    inner.fill(0, 0, end)
    const digest = hash('sha256', outer, encoding)
    outer.fill(0)
    return digest
  }
}

function padded(block: Uint8Array, pad: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: BLOCK_BYTES }, (_, index) => (block[index] ?? 0) ^ pad))
}
