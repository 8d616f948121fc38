/** Writes DER: as much of ASN.1 as a certificate needs. @see ITU-T X.690 */

const TAG = Object.freeze({
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
})
/** UTCTime has two digits for the year, which mean 1950 to 2049. @see RFC 5280, 4.1.2.5 */
const FIRST_GENERALIZED_YEAR = 2050

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(TAG.sequence, Buffer.concat(parts))
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return element(TAG.set, Buffer.concat(parts))
}

/** DER leaves out what has its default, so `false` is never written. */
export function booleanTrue(): Buffer {
  return element(TAG.boolean, Buffer.of(0xff))
}

/** Not negative; `bytes` are big-endian. */
export function unsignedInteger(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const significant = first < 0 ? Buffer.of(0) : Buffer.from(bytes.subarray(first))
  const isNegative = (significant[0] ?? 0) >= 0x80
  return element(TAG.integer, isNegative ? Buffer.concat([Buffer.of(0), significant]) : significant)
}

/** Whole bytes, or with the last `unusedBits` of them not counted. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.concat([Buffer.of(unusedBits), bytes]))
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(TAG.octetString, bytes)
}

export function utf8String(text: string): Buffer {
  return element(TAG.utf8String, Buffer.from(text, 'utf8'))
}

/** `"2.5.29.17"` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number)
  return element(TAG.objectIdentifier, Buffer.concat([first * 40 + second, ...others].map(base128)))
}

/** To the second; what is below is cut off. */
export function time(ms: number): Buffer {
  const digits = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '')
  return new Date(ms).getUTCFullYear() < FIRST_GENERALIZED_YEAR
    ? element(TAG.utcTime, Buffer.from(digits.slice(2)))
    : element(TAG.generalizedTime, Buffer.from(digits))
}

/** `[number] EXPLICIT`, or an implicit constructed one. */
export function contextConstructed(number: number, content: Uint8Array): Buffer {
  return element(0xa0 | number, content)
}

/** `[number] IMPLICIT` of a primitive type. */
export function contextPrimitive(number: number, content: Uint8Array): Buffer {
  return element(0x80 | number, content)
}

function element(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(tag), length(content.length), content])
}

function length(count: number): Buffer {
  if (count < 0x80) return Buffer.of(count)
  const bytes: number[] = []
  for (let rest = count; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.of(0x80 | bytes.length, ...bytes)
}

function base128(value: number): Buffer {
  const bytes = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128))
  return Buffer.from(bytes)
}
