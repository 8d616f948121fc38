/**
 * How entries look outside the process: compressed where that pays, then sealed with AES-256-GCM.
 *
 *     version (1 byte) | flags (1) | salt (16) | sequence (4) | tag (16) | ciphertext
 *
 * Salt and sequence say which key and nonce: a key seals many entries, each with the next number as its nonce, see
 * `sealing-keys.ts`. The entry's full name (organization, project and digest are in it) and the flags are bound in as
 * associated data, so an entry that somebody copies to another name, project or organization does not open; another
 * organization's would not anyway, having another secret. A changed salt or sequence is another key or nonce.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib'
import type { Secret } from '../../../domain/secret.ts'
import { SALT_BYTES, sealingKeysOf } from './sealing-keys.ts'

/** Entries of version 1 had a key for each name. */
const VERSION = 2
const PLAIN = 0
const COMPRESSED = 1
const SALT_AT = 2
const SEQUENCE_AT = SALT_AT + SALT_BYTES
const TAG_AT = SEQUENCE_AT + 4
const TAG_BYTES = 16
/** Before the ciphertext. No two sealed entries have the same. */
export const HEAD_BYTES = TAG_AT + TAG_BYTES

const NONCE_BYTES = 12

/**
 * Below, the saving (two kilobytes of Redis for an hour) is not worth what it takes: 40 to 100 microseconds for each miss,
 * as much as all other work on its answer.
 */
const COMPRESS_FROM_BYTES = 4 * 1024
/** Up to here another thread costs twice what it takes off this one. */
const THREAD_FROM_BYTES = 16 * 1024
/** Bound of what a sealed entry may inflate to. */
export const MAX_OPENED_BYTES = 4 * 1024 * 1024

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Seals `bytes` for the entry `name`; a promise only where another thread compresses them. */
export function seal(bytes: Uint8Array, name: string, secret: Secret): Buffer | Promise<Buffer> {
  if (bytes.length < COMPRESS_FROM_BYTES) return sealBody(bytes, PLAIN, name, secret)
  const options = { level: constants.Z_BEST_SPEED }
  if (bytes.length < THREAD_FROM_BYTES) return sealBody(deflateRawSync(bytes, options), COMPRESSED, name, secret)
  return deflate(bytes, options).then((body) => sealBody(body, COMPRESSED, name, secret))
}

/** Undefined where the bytes were not sealed for this name with this secret, or are damaged. */
export async function open(sealed: Buffer, name: string, secret: Secret): Promise<Uint8Array | undefined> {
  if (sealed.length < HEAD_BYTES || sealed[0] !== VERSION) return undefined
  try {
    const body = openBody(sealed, name, secret)
    return sealed[1] === COMPRESSED ? await inflated(body) : body
  } catch {
    return undefined
  }
}

function inflated(body: Buffer): Buffer | Promise<Buffer> {
  const options = { maxOutputLength: MAX_OPENED_BYTES }
  return body.length < THREAD_FROM_BYTES ? inflateRawSync(body, options) : inflate(body, options)
}

function sealBody(body: Uint8Array, flags: number, name: string, secret: Secret): Buffer {
  const { key, salt, sequence } = sealingKeysOf(secret).next()
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(sequence))
  cipher.setAAD(associated(flags, name))
  const ciphertext = cipher.update(body)
  // Of a stream cipher nothing is left for the end; it makes the tag.
  cipher.final()
  const entry = Buffer.allocUnsafe(HEAD_BYTES + ciphertext.length)
  entry[0] = VERSION
  entry[1] = flags
  entry.set(salt, SALT_AT)
  entry.writeUInt32BE(sequence, SEQUENCE_AT)
  entry.set(cipher.getAuthTag(), TAG_AT)
  entry.set(ciphertext, HEAD_BYTES)
  return entry
}

/** @throws where the tag does not fit */
function openBody(sealed: Buffer, name: string, secret: Secret): Buffer {
  const key = sealingKeysOf(secret).opening(sealed.toString('latin1', SALT_AT, SEQUENCE_AT))
  const cipher = createDecipheriv('aes-256-gcm', key, nonceOf(sealed.readUInt32BE(SEQUENCE_AT)))
  cipher.setAAD(associated(sealed[1] ?? PLAIN, name))
  cipher.setAuthTag(sealed.subarray(TAG_AT, HEAD_BYTES))
  const body = cipher.update(sealed.subarray(HEAD_BYTES))
  cipher.final()
  return body
}

/** Written anew for each entry: ciphers copy it when they are made. */
const nonce = Buffer.alloc(NONCE_BYTES)

function nonceOf(sequence: number): Buffer {
  nonce.writeUInt32BE(sequence, NONCE_BYTES - 4)
  return nonce
}

function associated(flags: number, name: string): Buffer {
  return Buffer.from(`${VERSION} ${flags} ${name}`)
}
