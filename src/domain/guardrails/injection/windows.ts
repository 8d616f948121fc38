/** Windows that a text is scored in, so that a long clean document does not dilute the attack in it. */

/** Tokens from (inclusive) and to (exclusive). */
export interface Window {
  readonly from: number
  readonly to: number
}

/** In tokens: a sentence or two, and a paragraph (about 0.8 KB of English). Each window starts half a window after the last one. */
const SIZES = [32, 128]
/** Shorter sentences say too little, longer ones have sliding windows enough. In tokens. */
const SHORTEST_SENTENCE = 5
const LONGEST_SENTENCE = 40

/**
 * All windows of a text: at most four a 32 tokens and one a sentence or line; one where the text is not longer than the smallest.
 * @param places where the tokens stand (places.ts)
 */
export function windowsOf(places: Int32Array): Window[] {
  const tokens = places.length
  const windows: Window[] = []
  for (const size of SIZES) {
    for (let from = 0; from < tokens; from += size / 2) {
      const to = Math.min(from + size, tokens)
      windows.push({ from, to })
      if (to === tokens) break
    }
    if (tokens <= size) break
  }
  if (windows.length > 1) addSentences(places, windows)
  return windows
}

/** An order is often a sentence or a line of its own between others. */
function addSentences(places: Int32Array, windows: Window[]): void {
  let from = 0
  for (let to = 1; to <= places.length; to++) {
    if (to < places.length && (places[to] ?? 0) === (places[to - 1] ?? 0) + 1) continue
    if (to - from >= SHORTEST_SENTENCE && to - from <= LONGEST_SENTENCE) windows.push({ from, to })
    from = to
  }
}
