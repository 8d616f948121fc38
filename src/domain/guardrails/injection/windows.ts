/** Windows that a text is scored in, so that a long clean document does not dilute the attack in it. */

/** Tokens from (inclusive) and to (exclusive). */
export interface Window {
  readonly from: number
  readonly to: number
}

/** In tokens: a sentence or two, and a paragraph (about 0.8 KB of English). Each window starts half a window after the last one. */
const SIZES = [32, 128]

/** All windows of a text, at most four a 32 tokens; one where the text is not longer than the smallest. */
export function windowsOf(tokens: number): Window[] {
  const windows: Window[] = []
  for (const size of SIZES) {
    for (let from = 0; from < tokens; from += size / 2) {
      const to = Math.min(from + size, tokens)
      windows.push({ from, to })
      if (to === tokens) break
    }
    if (tokens <= size) break
  }
  return windows
}
