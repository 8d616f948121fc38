/**
 * First and last letters of words as numbers, and sets of them, for what is asked of every word of a text: may a rule begin with it? A
 * number is four code units of eight bits, which the scanner makes as it goes; a set is a bit table (a Bloom filter of two hashes),
 * small enough for the processor's nearest cache. Where a set says yes, the rule itself has to be asked; its no is certain.
 */

/** Two to this power are the bits of a set: 8 kB, of which two thousand words take six in a hundred. */
const HASH_BITS = 16
const HASH_MASK = (1 << HASH_BITS) - 1
/** Knuth's multiplier, 2^32 divided by the golden ratio: every bit of a number reaches the upper ones of the product. */
const MULTIPLIER = 0x9e3779b1

/** Letters a unit further; 0 stands for none. Only the last four count. */
export function addLetter(letters: number, unit: number): number {
  return (letters << 8) ^ unit
}

/** The same number for upper and lower case of ASCII: they differ in one bit. */
export function ignoreCase(letters: number): number {
  return letters | 0x20202020
}

export class LetterSet {
  readonly #bits = new Uint32Array(1 << (HASH_BITS - 5))

  add(letters: number): void {
    const product = Math.imul(letters, MULTIPLIER)
    this.#mark(product >>> (32 - HASH_BITS))
    this.#mark((product ^ (product >>> 13)) & HASH_MASK)
  }

  /** Whether the letters may have been added; false is certain. */
  mayHave(letters: number): boolean {
    const product = Math.imul(letters, MULTIPLIER)
    return this.#isMarked(product >>> (32 - HASH_BITS)) && this.#isMarked((product ^ (product >>> 13)) & HASH_MASK)
  }

  #mark(hash: number): void {
    this.#bits[hash >>> 5] = (this.#bits[hash >>> 5] ?? 0) | (1 << (hash & 31))
  }

  #isMarked(hash: number): boolean {
    return (((this.#bits[hash >>> 5] ?? 0) >>> (hash & 31)) & 1) !== 0
  }
}
