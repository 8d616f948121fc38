import t from 'tap'
import { structureCost } from '../../../src/proxy/server/structure-cost.ts'

const cost = (text: string) => structureCost(Buffer.from(text))

t.test('values and containers cost, texts do not', async (t) => {
  t.equal(cost('"prose, with: [all] {signs}"'), 0)
  t.equal(cost('[1,2]'), cost('[]') + cost(','))
  t.ok(cost('{"a":1}') > cost('[1]'))
  t.equal(cost('{"a": "x, y: [z]"}'), cost('{"a":1}'))
})

t.test('quotes within a text do not end it', async (t) => {
  t.equal(cost(JSON.stringify('she said "[yes], {no}" \\')), 0)
  t.equal(cost(`["a\\\\",[]]`), cost('[1,[]]'))
})

t.test('a text without an end, and no text at all', async (t) => {
  t.equal(cost('"[[[['), 0)
  t.equal(cost(''), 0)
})
