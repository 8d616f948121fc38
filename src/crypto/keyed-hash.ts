/**
 * HMAC-SHA256 (RFC 2104) of short texts under one key, as two hashes of a block made of the key and what follows. Node's `createHmac` makes a
 * stream and a native object for every text, which costs twice as much; these are asked for by every request.
 */
import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c
/** Texts are virtual keys and masked values; one that may take more bytes gets a buffer of its own. */
const SCRATCH_BYTES = 1024
/** UTF-8 has at most three bytes for a UTF-16 code unit. */
const BYTES_PER_UNIT = 3

/** The HMAC of a text (UTF-8), written as asked: `binary` has one character for each of the 32 bytes. */
export type KeyedHash = (text: string, encoding: 'hex' | 'binary') => string

export function createKeyedHash(key: Uint8Array): KeyedHash {
  const inner = paddedBlock(key, INNER_PAD, SCRATCH_BYTES)
  const outer = paddedBlock(key, OUTER_PAD, DIGEST_BYTES)
  return (text, encoding) => {
    const fits = text.length * BYTES_PER_UNIT <= SCRATCH_BYTES
    const message = fits ? inner : paddedBlock(key, INNER_PAD, text.length * BYTES_PER_UNIT)
    const end = BLOCK_BYTES + message.write(text, BLOCK_BYTES)
    outer.write(hash('sha256', message.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary')
    // What a request has masked must not outlive it.
    message.fill(0, BLOCK_BYTES, end)
    return hash('sha256', outer, encoding)
  }
}

/** The key's block, with room for what is hashed after it. */
function paddedBlock(key: Uint8Array, pad: number, room: number): Buffer {
  const short = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key
  const block = Buffer.alloc(BLOCK_BYTES + room)
  for (let index = 0; index < BLOCK_BYTES; index++) block[index] = (short[index] ?? 0) ^ pad
  return block
}
