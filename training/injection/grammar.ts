/**
 * Seeds are sentences with choices: `[a|b|]` takes one of the alternatives (nesting allowed), `{name}` an entry of a word list.
 * Expansion draws from a seeded generator, so that the data set is the same every time.
 */

export type Random = () => number
export type WordLists = Readonly<Record<string, readonly string[]>>

/** Mulberry32: uniform in 0..1, the same sequence for the same seed on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new RangeError('nothing to pick from')
  return item
}

/** One sentence of a seed. @throws {RangeError} where the seed names an unknown list or leaves a bracket open. */
export function expand(seed: string, lists: WordLists, random: Random): string {
  let text = seed
  for (let round = 0; round < 40; round++) {
    const next = text
      .replace(/\[([^[\]]*\|[^[\]]*)\]/g, (_, options: string) => pick(options.split('|'), random))
      .replace(/\{([a-zA-Z]+)\}/g, (whole, name: string) => {
        const list = lists[name]
        return list === undefined ? whole : pick(list, random)
      })
    if (next === text)
      return text
        .replace(/ {2,}/g, ' ')
        .replace(/ ([.,!?])/g, '$1')
        .trim()
    text = next
  }
  throw new RangeError(`seed does not end: ${seed}`)
}
