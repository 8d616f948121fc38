/**
 * The text of a generated virtual key: `tollgate_<id>_<secret>_<checksum>`.
 * - id: 12 characters of base32 (60 bits), for people and logs; says nothing of the secret;
 * - secret: 43 characters of base64url (256 bits);
 * - checksum: CRC-32 of everything before its underscore, 6 characters of base62: a typo is known without a lookup.
 */

/** Random bytes that `renderVirtualKey` takes: 8 for the id, 32 for the secret. */
export const VIRTUAL_KEY_BYTES = 40

export interface VirtualKeyText {
  readonly id: string
  readonly text: string
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const SHAPE = /^(tollgate_([a-z2-7]{12})_[A-Za-z0-9_-]{43})_([0-9A-Za-z]{6})$/

/** A new key from 40 random bytes. @throws {RangeError} where there are not exactly that many. */
export function renderVirtualKey(random: Uint8Array): VirtualKeyText {
  if (random.length !== VIRTUAL_KEY_BYTES) throw new RangeError(`a virtual key takes ${VIRTUAL_KEY_BYTES} random bytes`)
  const id = digits(random.subarray(0, 8), 5, BASE32).slice(0, 12)
  const body = `tollgate_${id}_${digits(random.subarray(8), 6, BASE64URL)}`
  return { id, text: `${body}_${checksum(body)}` }
}

/** The id of a key whose form and checksum are right, else undefined. Says nothing about whether the key is valid. */
export function parseVirtualKeyId(text: string): string | undefined {
  const [, body, id, sum] = SHAPE.exec(text) ?? []
  return body !== undefined && sum === checksum(body) ? id : undefined
}

/** `bytes` in digits of `bits` bits each, the last one filled up with zeros, most significant first. */
function digits(bytes: Uint8Array, bits: number, alphabet: string): string {
  let held = 0
  let count = 0
  let text = ''
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff
    for (count += 8; count >= bits; count -= bits) text += alphabet[(held >>> (count - bits)) & ((1 << bits) - 1)]
  }
  return count === 0 ? text : text + alphabet[(held << (bits - count)) & ((1 << bits) - 1)]
}

function checksum(text: string): string {
  let rest = crc32(text)
  let sum = ''
  for (let place = 0; place < 6; place += 1) {
    sum = `${BASE62[rest % 62]}${sum}`
    rest = Math.floor(rest / 62)
  }
  return sum
}

/** CRC-32 as in zlib (IEEE 802.3, reflected), of ASCII text. Bit by bit: it runs once a key. */
function crc32(text: string): number {
  let crc = 0xffff_ffff
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1
  }
  return (crc ^ 0xffff_ffff) >>> 0
}
