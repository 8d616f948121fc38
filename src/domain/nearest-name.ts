/** Which known name a wrong one was meant to be: cheap enough for thousands of known names, and for wrong ones that anybody sends. */

/** Characters of a wrong name that is compared; the name of a model has as many at most. */
const MAX_LENGTH = 128

/** More edits than any limit, with room for as many more in a byte. */
const BEYOND = 100

/**
 * The first of the known names with the fewest edits, three at most and no more than a third of the wrong one's length; undefined: none.
 * @param mayTell whether a name counts; asked only of names that are near enough
 */
export function nearest(
  wrong: string,
  known: readonly string[],
  mayTell: (name: string) => boolean = () => true,
): string | undefined {
  if (wrong.length > MAX_LENGTH) return undefined
  const lower = wrong.toLowerCase()
  let limit = Math.min(3, Math.max(1, Math.floor(wrong.length / 3)))
  let best: string | undefined
  for (const name of known) {
    const edits = distance(lower, name.toLowerCase(), limit)
    if (edits > limit || !mayTell(name)) continue
    if (edits === 0) return name
    best = name
    limit = edits - 1
  }
  return best
}

/** Edits between two texts; Infinity where they are more than `limit`. What both begin and end with needs none. */
function distance(left: string, right: string, limit: number): number {
  if (Math.abs(right.length - left.length) > limit) return Infinity
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start += 1
  let end = 0
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1
  return distanceInBand(left.slice(start, left.length - end), right.slice(start, right.length - end), limit)
}

/**
 * Levenshtein distance, one row at a time; two letters that have changed places are one edit. Of a row only the columns are looked
 * at that `limit` edits can reach, and a row where all are beyond it is the last. Place k of row i is column `i + k - limit - 1`,
 * so what is one up and one left of a place has the same k; the first place and the last are none.
 */
function distanceInBand(left: string, right: string, limit: number): number {
  const places = 2 * limit + 3
  let above = new Uint8Array(places).fill(BEYOND)
  let row = above.map((_, k) => (k <= limit || k === places - 1 ? BEYOND : k - limit - 1))
  let next = above.slice()
  for (let i = 1; i <= left.length; i += 1) {
    let least = BEYOND
    for (let k = 1; k < places - 1; k += 1) {
      const j = i + k - limit - 1
      const replaced = (row[k] ?? 0) + (left.charCodeAt(i - 1) === right.charCodeAt(j - 1) ? 0 : 1)
      let edits = Math.min(replaced, (row[k + 1] ?? 0) + 1, (next[k - 1] ?? 0) + 1)
      if (
        i > 1 &&
        j > 1 &&
        left.charCodeAt(i - 1) === right.charCodeAt(j - 2) &&
        left.charCodeAt(i - 2) === right.charCodeAt(j - 1)
      )
        edits = Math.min(edits, (above[k] ?? 0) + 1)
      next[k] = j < 0 || j > right.length ? BEYOND : edits
      least = Math.min(least, next[k] ?? 0)
    }
    if (least > limit) return Infinity
    ;[above, row, next] = [row, next, above]
  }
  return row[right.length - left.length + limit + 1] ?? Infinity
}
