import fc from 'fast-check'
import t from 'tap'
import {
  BORDER,
  buildAutomaton,
  ROW_BITS,
  type WordPattern,
} from '../../../../src/domain/guardrails/masking/word-automaton.ts'

/** Two letters and two signs. */
const COLUMNS = 4
const FIRST_SIGN = 2
/** Of no pattern. */
const OTHER_SIGN = COLUMNS

/** Offset of the unit at which the first pattern is found, and how far back it begins; the end is a border. */
function findFirst(table: Uint16Array, text: readonly number[]): readonly [at: number, back: number] | undefined {
  let state = BORDER
  for (const [at, column] of [...text, OTHER_SIGN].entries()) {
    state = table[(state << ROW_BITS) + column] ?? 0
    if (state < BORDER) return [at, state]
  }
  return undefined
}

/** The same by trying every pattern at every place. */
function searchFirst(patterns: readonly WordPattern[], text: readonly number[]): number | undefined {
  const isSign = (at: number) => at < 0 || at >= text.length || (text[at] ?? 0) >= FIRST_SIGN
  for (let at = 0; at <= text.length; at++)
    for (const { columns, beginsWord = false, endsWord = false } of patterns) {
      const end = endsWord ? at : at + 1
      const start = end - columns.length
      if (start < 0 || end > text.length || !columns.every((column, index) => text[start + index] === column)) continue
      if ((!beginsWord || isSign(start - 1)) && (!endsWord || isSign(end))) return at
    }
  return undefined
}

const columns = (maxLength: number) => fc.array(fc.nat(COLUMNS - 1), { minLength: 1, maxLength })
const pattern: fc.Arbitrary<WordPattern> = fc.oneof(
  columns(4).map((found) => ({ columns: found, back: found.length - 1 })),
  columns(4).map((found) => ({ columns: found, beginsWord: true, back: found.length - 1 })),
  fc
    .array(fc.nat(FIRST_SIGN - 1), { minLength: 1, maxLength: 4 })
    .map((found) => ({ columns: found, endsWord: true, back: 0 })),
  fc
    .array(fc.nat(FIRST_SIGN - 1), { minLength: 1, maxLength: 4 })
    .map((found) => ({ columns: found, beginsWord: true, endsWord: true, back: 0 })),
)

t.test('property: it finds first what trying every pattern at every place finds first', async () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 8 }),
      fc.array(fc.nat(COLUMNS - 1), { maxLength: 24 }),
      (patterns, text) => {
        return findFirst(buildAutomaton(patterns, FIRST_SIGN), text)?.[0] === searchFirst(patterns, text)
      },
    ),
    { numRuns: 2000 },
  )
})

t.test('of patterns that end together the one that begins first says where', async (t) => {
  const [letter, other, sign] = [0, 1, FIRST_SIGN]
  const table = buildAutomaton(
    [
      { columns: [letter], back: 0 },
      { columns: [sign, other, letter], back: 2 },
      { columns: [other, letter], back: 1 },
    ],
    FIRST_SIGN,
  )
  t.strictSame(findFirst(table, [sign, other, letter]), [2, 2])
  t.strictSame(findFirst(table, [other, other, letter]), [2, 1])
})
