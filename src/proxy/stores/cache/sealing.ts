/**
 * How entries look outside the process: compressed where that pays, then sealed with AES-256-GCM.
 *
 *     version (1 byte) | flags (1) | nonce (12) | tag (16) | ciphertext
 *
 * The key of an entry is derived from the organization's secret and the entry's own name (HMAC-SHA256), so that no key
 * ever seals more than the versions of one entry (random nonces stay far from their bound) and an entry that somebody
 * copies to another name, project or organization does not open. The name is bound in as associated data as well.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomFillSync,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'
import { constants, deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib'
import type { Secret } from '../../../domain/secret.ts'

const VERSION = 1
const COMPRESSED = 1
const HEAD_BYTES = 2
const NONCE_BYTES = 12
const TAG_BYTES = 16
const OVERHEAD_BYTES = HEAD_BYTES + NONCE_BYTES + TAG_BYTES

/** Below, the saving is not worth a thread's time: a JSON answer of this size is one network packet. */
const COMPRESS_FROM_BYTES = 1_024
/** Up to here another thread costs twice what it takes off this one: some 20 microseconds for an answer of 3 KB. */
const THREAD_FROM_BYTES = 16 * 1024
/** Bound of what a sealed entry may inflate to. */
export const MAX_OPENED_BYTES = 4 * 1024 * 1024

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Seals `bytes` for the entry `name`. */
export async function seal(bytes: Uint8Array, name: string, secret: Secret): Promise<Buffer> {
  const compress = bytes.length >= COMPRESS_FROM_BYTES
  const body = compress ? await compressed(bytes) : bytes
  const nonce = newNonce()
  const cipher = createCipheriv('aes-256-gcm', entryKeyOf(name, secret), nonce)
  const head = Buffer.of(VERSION, compress ? COMPRESSED : 0)
  cipher.setAAD(associated(head, name))
  const sealed = cipher.update(body)
  const rest = cipher.final()
  return Buffer.concat([head, nonce, cipher.getAuthTag(), sealed, rest])
}

/** Undefined where the bytes were not sealed for this name with this secret, or are damaged. */
export async function open(sealed: Buffer, name: string, secret: Secret): Promise<Uint8Array | undefined> {
  if (sealed.length < OVERHEAD_BYTES || sealed[0] !== VERSION) return undefined
  try {
    const body = decipher(sealed, name, secret)
    return sealed[1] === COMPRESSED ? await inflated(body) : body
  } catch {
    return undefined
  }
}

function compressed(bytes: Uint8Array): Buffer | Promise<Buffer> {
  const options = { level: constants.Z_BEST_SPEED }
  return bytes.length < THREAD_FROM_BYTES ? deflateRawSync(bytes, options) : deflate(bytes, options)
}

function inflated(body: Buffer): Buffer | Promise<Buffer> {
  const options = { maxOutputLength: MAX_OPENED_BYTES }
  return body.length < THREAD_FROM_BYTES ? inflateRawSync(body, options) : inflate(body, options)
}

function decipher(sealed: Buffer, name: string, secret: Secret): Buffer {
  const nonce = sealed.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
  const cipher = createDecipheriv('aes-256-gcm', entryKeyOf(name, secret), nonce)
  cipher.setAAD(associated(sealed.subarray(0, HEAD_BYTES), name))
  cipher.setAuthTag(sealed.subarray(HEAD_BYTES + NONCE_BYTES, OVERHEAD_BYTES))
  return Buffer.concat([cipher.update(sealed.subarray(OVERHEAD_BYTES)), cipher.final()])
}

/** Key objects throughout: from bytes Node makes one at every call, in a way that costs more than all the rest here. */
function entryKeyOf(name: string, secret: Secret): KeyObject {
  return createSecretKey(createHmac('sha256', keyOf(secret)).update(`entry ${name}`).digest())
}

const keys = new WeakMap<Secret, KeyObject>()

function keyOf(secret: Secret): KeyObject {
  const known = keys.get(secret) ?? createSecretKey(Buffer.from(secret.reveal(), 'hex'))
  keys.set(secret, known)
  return known
}

/** Random bytes are drawn for many nonces at once; each byte is used once. */
const pool = Buffer.alloc(NONCE_BYTES * 256)
let used = pool.length

function newNonce(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += NONCE_BYTES
  return Buffer.from(pool.subarray(used - NONCE_BYTES, used))
}

function associated(head: Buffer, name: string): Buffer {
  return Buffer.concat([head, Buffer.from(name)])
}
