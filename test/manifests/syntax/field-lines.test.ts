import t from 'tap'
import { isNode, LineCounter, parseDocument } from 'yaml'
import { fieldLines, lineOfField, type FieldLines } from '../../../src/manifests/syntax/field-lines.ts'

function linesOf(text: string): FieldLines {
  const lines = new LineCounter()
  const { contents } = parseDocument(text, { lineCounter: lines })
  if (!isNode(contents)) throw new Error('it is empty')
  return fieldLines(contents, lines)
}

/** With all of it, however deep. */
function countOf({ within = new Map() }: FieldLines): number {
  return [...within.values()].reduce((count, one) => count + countOf(one), 1)
}

const TEXT = `metadata: { name: a,
  labels: { b: c } }
spec:
  models:
    - name: one
      aliases: [x,
        y]
    - { name: two, aliases: [z] }
  countries:
    [it]
  1: numbered
`

t.test(
  'a field has the line at which its value begins, one that is not there that of its nearest parent',
  async (t) => {
    const lines = linesOf(TEXT)
    const expected: readonly (readonly [number, ...(string | number)[]])[] = [
      [1],
      [1, 'metadata', 'name'],
      [2, 'metadata', 'labels'],
      [2, 'metadata', 'labels', 'b'],
      [1, 'metadata', 'annotations', 'b'],
      [4, 'spec'],
      [5, 'spec', 'models'],
      [5, 'spec', 'models', 0, 'name'],
      [7, 'spec', 'models', 0, 'aliases', 1],
      [6, 'spec', 'models', 0, 'aliases', 2],
      [8, 'spec', 'models', 1, 'aliases', 0],
      [10, 'spec', 'countries', 0],
      [11, 'spec', '1'],
    ]
    for (const [line, ...field] of expected) t.equal(lineOfField(lines, field), line, field.join('.'))
  },
)

t.test('kept are at most as many lines as there are, however much is on one', async (t) => {
  t.strictSame(linesOf(`{ a: [${'1, '.repeat(10_000)}], b: { c: { d: e } } }`), { line: 1 })
  const items = Array.from({ length: 1_000 }, () => `  - [${'x, '.repeat(50)}]\n`).join('')
  t.ok(countOf(linesOf(`items:\n${items}`)) <= 1_001)
})

t.test('what an alias brings has the line of the alias', async (t) => {
  const lines = linesOf('a: &x\n  b:\n    c: 1\nd:\n  *x\n')
  t.equal(lineOfField(lines, ['d', 'b', 'c']), 5)
})

t.test('what is nested deeper than any field of ours is not kept', async (t) => {
  const deep = Array.from({ length: 100 }, (_, index) => `${' '.repeat(index)}a:\n`).join('')
  const lines = linesOf(`${deep}${' '.repeat(100)}b\n`)
  const field = Array.from({ length: 100 }, () => 'a')
  t.strictSame([lineOfField(lines, field.slice(0, 5)), lineOfField(lines, field)], [6, 17])
})
