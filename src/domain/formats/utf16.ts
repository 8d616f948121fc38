/** Texts in UTF-16 as Windows writes them: with a mark before them that tells the order of their bytes. */

/** Name of an encoding, as `TextDecoder` knows it. */
export type Utf16 = 'utf-16le' | 'utf-16be'

const MARK = 0xfeff

/** The encoding that the mark tells; undefined where there is none. */
export function utf16Of([one, other]: Uint8Array): Utf16 | undefined {
  if (one === 0xff && other === 0xfe) return 'utf-16le'
  return one === 0xfe && other === 0xff ? 'utf-16be' : undefined
}

/** What the bytes say, without the mark. */
export function decodeUtf16(bytes: Uint8Array, encoding: Utf16): string {
  return new TextDecoder(encoding).decode(bytes)
}

/** The text with its mark. */
export function encodeUtf16(text: string, encoding: Utf16): Uint8Array {
  const bytes = new Uint8Array(2 * text.length + 2)
  const view = new DataView(bytes.buffer)
  const isLittleEndian = encoding === 'utf-16le'
  view.setUint16(0, MARK, isLittleEndian)
  for (let index = 0; index < text.length; index++)
    view.setUint16(2 * index + 2, text.charCodeAt(index), isLittleEndian)
  return bytes
}
