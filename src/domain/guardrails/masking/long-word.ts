/**
 * What is left of a word when a rule goes on in its midst, without reading it to its end again: a word may be as long as the text, and hold a
 * key every twenty letters.
 */
import { classOf } from './character-classes.ts'

/** A shorter rest is read again: that is cheaper. */
export const SHORTEST_LONG_REST = 256

const BITS = 16

export class LongWord {
  readonly end: number
  /** For each class bit the offset of its last unit in the word; -1: none. */
  readonly #last = new Int32Array(BITS).fill(-1)

  /** The word's rest `[start, end)`, which is read once. */
  constructor(text: string, start: number, end: number) {
    this.end = end
    let open = 0
    for (let at = end - 1; at >= start; at--) {
      const news = classOf(text.charCodeAt(at)) & ~open
      if (news === 0) continue
      open |= news
      for (let bit = 0; bit < BITS; bit++) if ((news & (1 << bit)) !== 0) this.#last[bit] = at
    }
  }

  /** Class bits of the units from `start` on. */
  bitsFrom(start: number): number {
    let bits = 0
    for (let bit = 0; bit < BITS; bit++) if ((this.#last[bit] ?? -1) >= start) bits |= 1 << bit
    return bits
  }
}
