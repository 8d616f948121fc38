/** Base64 as clients write it: in two alphabets, in lines, without its end. */

/** Shorter text in the alphabet of base64 may be a secret, which must be seen; media is longer than this. */
export const MIN_MEDIA_CHARACTERS = 1024

/** Encoders break base64 into lines of 48 to 76 characters: a column of numbers or keys has shorter ones. */
const MIN_LINE = 48
/** In the alphabet of addresses, which keys have, too, of which many are longer. */
const MAX_ADDRESS_LINE = 100

/** Code units that go into one call. */
const CHUNK = 8_192

const DASH = 0x2d
const UNDERSCORE = 0x5f
const PLUS = 0x2b
const SLASH = 0x2f
const EQUALS = 0x3d
const BLANK = 0x20
const TAB = 0x09
const CARRIAGE_RETURN = 0x0d

const LINE_BREAK = /[\r\n]/
const USUAL_ALPHABET = /^[A-Za-z0-9+/=]*$/
const ADDRESS_ALPHABET = /^[A-Za-z0-9_=-]*$/

/**
 * In the usual alphabet, without blanks, which is the only one that some vendors know: Gemini's clients write that of
 * addresses. Byte by byte: replacing ten million characters one by one takes a gigabyte.
 */
export function standardBase64(data: string): string {
  if (!/[-_\s]/.test(data)) return data
  const bytes = new TextEncoder().encode(data)
  let length = 0
  for (const byte of bytes) {
    if (byte === BLANK || (byte >= TAB && byte <= CARRIAGE_RETURN)) continue
    bytes[length++] = byte === DASH ? PLUS : byte === UNDERSCORE ? SLASH : byte
  }
  const missing = (4 - (length % 4)) % 4
  const padded = new Uint8Array(length + missing).fill(EQUALS)
  padded.set(bytes.subarray(0, length))
  return new TextDecoder().decode(padded)
}

/** Undefined where it is no base64. */
export function bytesOfBase64(data: string): Uint8Array | undefined {
  try {
    const binary = atob(standardBase64(data))
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index)
    return bytes
  } catch {
    return undefined
  }
}

/** A character for each byte. Spread over the arguments, ten megabytes took more than a second. */
export function binaryOf(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const chunk: string = Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + CHUNK))
    binary += chunk
  }
  return binary
}

/** Whether it is base64 of at least so many characters and nothing else, as far as its letters and lines say. */
export function isBase64(data: string, minCharacters = MIN_MEDIA_CHARACTERS): boolean {
  if (data.length < minCharacters) return false
  const trimmed = data.trim()
  // No encoder writes both alphabets.
  return USUAL_ALPHABET.test(trimmed) || ADDRESS_ALPHABET.test(trimmed) || isInLines(trimmed)
}

/** All as long as the first, but the last. One by one: a pattern for all would exhaust its stack. */
function isInLines(data: string, alphabet = USUAL_ALPHABET, maxLine = Infinity): boolean {
  let length = 0
  // Blanks part words, too.
  const mayBeBlanks = data.length >= MIN_MEDIA_CHARACTERS
  return everyLine(data, (line, isLast, behind) => {
    length ||= line.length
    if (!alphabet.test(line) || !(isLast || mayBeBlanks || LINE_BREAK.test(behind))) return false
    if (isLast) return line.length <= length
    return line.length === length && length >= MIN_LINE && length <= maxLine && length % 4 === 0
  })
}

/** The same where its type says that it is a picture, a sound, a film or a PDF: in lines as somebody has broken them. */
export function isBase64OfMedia(data: string, minCharacters = 0): boolean {
  if (isBase64(data, minCharacters)) return true
  if (data.length < minCharacters) return false
  const trimmed = data.trim()
  if (isInLines(trimmed, ADDRESS_ALPHABET, MAX_ADDRESS_LINE)) return true
  // The head of a `data:` URL may have had a part of the first line.
  let mayBeShort = data.length >= MIN_MEDIA_CHARACTERS
  return everyLine(trimmed, (line, isLast, behind) => {
    const isGood = USUAL_ALPHABET.test(line) && (mayBeShort || isLast || line.length >= MIN_LINE)
    mayBeShort = false
    return isGood && (isLast || LINE_BREAK.test(behind))
  })
}

function everyLine(data: string, isGood: (line: string, isLast: boolean, behind: string) => boolean): boolean {
  const breaks = /\s+/g
  for (let start = 0; start < data.length; start = breaks.lastIndex) {
    const found = breaks.exec(data)
    if (!isGood(data.slice(start, found?.index), found === null, found?.[0] ?? '')) return false
    if (found === null) break
  }
  return true
}
