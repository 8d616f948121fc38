import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { OPTIONAL_KINDS, type KindFinder } from '../../../../src/domain/guardrails/masking/personal/optional-kinds.ts'
import { WINDOW, windowedMatches } from '../../../../src/domain/guardrails/masking/windowed-matches.ts'

/** The longest of each kind, with all that is looked at about them. */
const LONG: Readonly<Record<string, readonly string[]>> = {
  PHONE: [
    '|+4 - 9 - 1 - 7 - 1 - 1 - 2 - 3 - 4 - 5 - 6 - 7 - 8 |',
    '|mobile phone number:  "  \\n 601  - 234  - 567  -  8',
    '|"mobile phone number" : { \\n\\n\\n\\n "value" : "601 234 567 8"',
    '|42 +49 171 1234567 0 41',
  ],
  SSN: ['|"socialSecurityNumber" : { \\n\\n\\n\\n\\n "value" : \\"\\"123.45.6789|', '|123-45-6789 123-45-678'],
  IBAN: ['|MT84 MALT 0110 0001 2345 MTLC AST0 01S|', '|M T84'],
  IP: ['|fe80:1111:2222:3333:4444:5555:6666:7777|', '|::ffff:192.168.100.200 version: 10.20.30.40 11.20.30.40'],
}

t.test('a number on the border of two windows is what it is within one', async (t) => {
  for (const [kind, finders] of Object.entries(OPTIONAL_KINDS)) {
    for (const text of LONG[kind] ?? []) {
      const near = places(finders, text)
      const found = Array.from({ length: text.length + 1 }, (_, shift) => {
        const at = WINDOW - shift
        return places(finders, '\n'.repeat(at) + text, at)
      })
      t.strictSame(new Set(found.map(String)), new Set([String(near)]), `${kind}: ${text}`)
    }
  }
  t.ok(
    Object.entries(OPTIONAL_KINDS).every(([kind, finders]) =>
      LONG[kind]?.some((text) => places(finders, text).length > 0),
    ),
  )
})

t.test('matches of a text of several windows are those of matchAll', async () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'a', 'b'), minLength: 60, maxLength: 200 })
  const property = fc.property(letters, letters, (one, other) => {
    const text = one + other.repeat(Math.ceil((WINDOW * 3) / other.length))
    for (const pattern of [/a[ab]{31}(?=b)/g, /(?<=b[ab]{180})ab+/g, /ab/g]) {
      const found = [...windowedMatches(text, pattern)].flatMap((match) => match ?? [])
      const expected = Array.from(text.matchAll(pattern), (match) => ({ text: match[0], start: match.index }))
      if (!isDeepStrictEqual(found, expected)) throw new Error(`${pattern} finds something else`)
    }
  })
  fc.assert(property, { numRuns: 40 })
})

t.test('it pauses between the windows of a text without a match', async (t) => {
  const text = '1 '.repeat(WINDOW * 2)
  t.strictSame([...windowedMatches(text, /9/g)], [undefined, undefined, undefined])
  t.strictSame([...windowedMatches('9'.repeat(2), /9/g)].length, 2, 'a short text is one window')
  t.strictSame([...windowedMatches('', /9/g)], [])
})

t.test('it pauses between many matches of one window, as who asks may look at each for long', async (t) => {
  let row = 0
  let longest = 0
  let all = 0
  for (const match of windowedMatches('1 '.repeat(WINDOW), /1/g)) {
    row = match === undefined ? 0 : row + 1
    all += match === undefined ? 0 : 1
    longest = Math.max(longest, row)
  }
  t.equal(all, WINDOW)
  t.ok(longest <= 1024, `${longest} in a row`)
})

t.test('two who ask by one pattern in turns do not move each other', async (t) => {
  const pattern = /\d+/g
  const [one, other] = [windowedMatches('1 22 333', pattern), windowedMatches('4444 5', pattern)]
  const texts = [one, other, one, other, one].map((matches) => matches.next().value?.text)
  t.strictSame(texts, ['1', '4444', '22', '5', '333'])
})

/** Where the numbers are, counted from `at`. */
function places(finders: readonly KindFinder[], text: string, at = 0): number[] {
  return finders
    .flatMap((find) => [...find(text)])
    .flatMap((found) => (found ? [found.start - at, found.end - at] : []))
}
