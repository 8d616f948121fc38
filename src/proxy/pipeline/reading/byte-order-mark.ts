/** The mark that some editors and servers put before UTF-8. In JSON it must not be sent, and strict parsers take none. */

/** @see https://www.rfc-editor.org/rfc/rfc8259#section-8.1 */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
