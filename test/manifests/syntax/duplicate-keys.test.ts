import fc from 'fast-check'
import t from 'tap'
import { parseDocument } from 'yaml'
import { addDuplicates } from '../../../src/manifests/syntax/duplicate-keys.ts'
import { loadTexts } from '../../../src/manifests/load.ts'

const OPTIONS = { version: '1.1', prettyErrors: false } as const

const KEYS = fc.constantFrom(
  'a',
  'b',
  '"a"',
  "'b'",
  '1',
  '01',
  '"1"',
  'null',
  '~',
  'yes',
  'true',
  '<<',
  '&x a',
  '!!str a',
)

/** Maps in blocks and in brackets, lists and texts, as lines without indentation. */
const { lines: LINES } = fc.letrec<{ lines: string[]; flow: string }>((tie) => ({
  flow: fc.oneof(
    { depthSize: 'small' },
    fc.constant('v'),
    fc.array(fc.tuple(KEYS, tie('flow')), { maxLength: 4 }).map((pairs) => `{ ${pairs.map(pair).join(', ')} }`),
    fc.array(tie('flow'), { maxLength: 3 }).map((items) => `[ ${items.join(', ')} ]`),
  ),
  lines: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        fc.tuple(KEYS, tie('flow')).map((entry) => [pair(entry)]),
        fc.tuple(KEYS, tie('lines')).map(([key, inner]) => [`${key}:`, ...inner.map((line) => `  ${line}`)]),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((blocks) => blocks.flat()),
}))

function pair([key, value]: readonly [string, string]): string {
  return `${key}: ${value}`
}

t.test('the keys that are given twice are those that the library finds, each at its place', async (t) => {
  fc.assert(
    fc.property(LINES, (lines) => {
      const text = lines.join('\n')
      const theirs = parseDocument(text, OPTIONS)
      const ours = parseDocument(text, { ...OPTIONS, uniqueKeys: false })
      addDuplicates(ours)
      const told = ({ errors }: typeof ours) => errors.map(({ code, pos, message }) => [pos[0], code, message])
      t.strictSame(told(ours), told(theirs), text)
    }),
  )
})

t.test('a map of as many fields as a file has room for is read, with those that are there twice', async (t) => {
  const fields = Array.from({ length: 100_000 }, (_, index) => `  k${index}: v`)
  const text = (more: string[]) => ['apiVersion: v1', 'kind: ConfigMap', 'data:', ...fields, ...more, ''].join('\n')
  t.match(loadTexts({ 'a.yaml': text([]) }, {}), { type: 'loaded' })
  t.match(loadTexts({ 'a.yaml': text(['  k7: v']) }, {}), {
    type: 'invalid',
    problems: [{ line: 100_004, message: /given twice, first on line 11$/ }],
  })
})

t.test('of very many keys that are there twice a few are told', async (t) => {
  const fields = Array.from({ length: 50_000 }, () => '  k: v')
  const result = loadTexts({ 'a.yaml': ['data:', ...fields, ''].join('\n') }, {})
  t.equal(result.type === 'invalid' && result.problems.length, 5)
})
