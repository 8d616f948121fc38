import t from 'tap'
import { structureCost } from '../../../../src/proxy/pipeline/reading/structure-cost.ts'

const cost = (text: string) => structureCost(Buffer.from(text))

t.test('values and containers cost, texts do not', async (t) => {
  t.equal(cost('"prose, with: [all] {signs}"'), 0)
  t.equal(cost('[1,2]'), cost('[]') + cost(','))
  t.ok(cost('{"a":1}') > cost('[1]'))
  t.equal(cost('{"a": "x, y: [z]"}'), cost('{"a":1}'))
  t.equal(cost('[{"a":1},{"a":1}]') - cost('[{"a":1}]'), cost('[[],[1,1]]') - cost('[[]]'), 'a known name is a value')
})

t.test('objects with names of their own cost more than objects that are alike', async (t) => {
  const rows = (name: (index: number) => string) =>
    cost(JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ [name(index)]: 1 }))))
  const alike = rows(() => 'name')
  t.ok(alike < 20_000 * 128)
  t.ok(rows((index) => `n${index}`) > alike + 15_000 * 128)
  // A name that is long has its text counted elsewhere.
  t.equal(
    rows((index) => 'x'.repeat(100) + index),
    rows(() => 'x'.repeat(100)),
  )
})

t.test('quotes within a text do not end it', async (t) => {
  t.equal(cost(JSON.stringify('she said "[yes], {no}" \\')), 0)
  t.equal(cost(`["a\\\\",[]]`), cost('[1,[]]'))
})

t.test('a text without an end, and no text at all', async (t) => {
  t.equal(cost('"[[[['), 0)
  t.equal(cost(''), 0)
})
