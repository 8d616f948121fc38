import fc from 'fast-check'
import * as prometheus from 'prom-client'
import t from 'tap'
import { Counter, Histogram } from '../../../src/proxy/telemetry/metric-families.ts'

const BUCKETS = [0.25, 1, 16]
const HELP = 'What it is,\nand a \\.'
const label = fc.oneof(fc.constantFrom('a', 'b', 'a"b', 'a\\b', 'a\nb', ''), fc.string({ maxLength: 3 }))
// Eighths, whose sums are exact in whatever order they are made.
const amount = fc.oneof(
  fc.constantFrom(0, 0.25, 1, 16, 17),
  fc.nat(1_000_000).map((eighths) => eighths / 8),
)
const touch = fc.record({ family: fc.constantFrom('counter', 'histogram', 'page'), one: label, other: label, amount })

t.test('the page is what the library makes of the same touches, whenever it is asked for', async (t) => {
  const property = fc.asyncProperty(fc.array(touch, { maxLength: 40 }), async (touches) => {
    const theirs = new prometheus.Registry()
    const shared = { help: HELP, labelNames: ['one', 'other'], registers: [theirs] }
    const theirCounter = new prometheus.Counter({ name: 'counter_total', ...shared })
    const theirHistogram = new prometheus.Histogram({ name: 'histogram', buckets: [...BUCKETS], ...shared })
    const ours = new prometheus.Registry()
    const counter = new Counter(ours, 'counter_total', HELP, ['one', 'other'])
    const histogram = new Histogram(ours, 'histogram', HELP, BUCKETS, ['one', 'other'])
    for (const { family, one, other, amount } of touches) {
      if (family === 'page') await ours.metrics()
      else if (family === 'counter') {
        theirCounter.inc({ one, other }, amount)
        counter.at(one, other).add(amount)
      } else {
        theirHistogram.observe({ one, other }, amount)
        histogram.at(one, other).observe(amount)
      }
    }
    t.strictSame(samples(await ours.metrics()), samples(await theirs.metrics()))
  })
  await fc.assert(property)
})

/** The series may come in another order. */
function samples(page: string): string[] {
  return page.split('\n').toSorted()
}

t.test('the same label values are the same series, others are others', async (t) => {
  const counter = new Counter(new prometheus.Registry(), 'c', 'Help.', ['one', 'other'])
  t.equal(counter.at('a', 'b'), counter.at('a', 'b'))
  t.not(counter.at('a', 'b'), counter.at('b', 'a'))
  t.not(counter.at('ab', ''), counter.at('a', 'b'))
})

t.test('a counter does not fall, and what is no number does not spoil it', async (t) => {
  const registry = new prometheus.Registry()
  const series = new Counter(registry, 'c', 'Help.', ['one']).at('a')
  series.add(2)
  for (const amount of [-1, Number.NaN, Infinity]) series.add(amount)
  series.add()
  t.match(await registry.metrics(), /^c\{one="a"\} 3$/m)
})

t.test('what is no number does not spoil a histogram, and many values need no page', async (t) => {
  const registry = new prometheus.Registry()
  const histogram = new Histogram(registry, 'h', 'Help.', [1], ['one'])
  for (const value of [Number.NaN, Infinity, -Infinity]) histogram.at('a').observe(value)
  for (let index = 0; index < 1_000; index++) histogram.at('a').observe(index < 400 ? 1 : 3)
  const page = await registry.metrics()
  t.match(page, /^h_bucket\{le="1",one="a"\} 400$/m)
  t.match(page, /^h_sum\{one="a"\} 2200$/m)
  t.match(page, /^h_count\{one="a"\} 1000$/m)
})

t.test('a sum that is told in parts is exact, whenever it is asked for', async (t) => {
  const registry = new prometheus.Registry()
  const cost = new Counter(registry, 'usd_total', HELP, ['one'], 1e6)
  for (let i = 1; i <= 30; i++) {
    cost.at('a').add(10_500)
    cost.at('b').add(1)
    if (i % 7 === 0) await registry.metrics()
  }
  const page = await registry.metrics()
  t.match(page, 'usd_total{one="a"} 0.315\n')
  t.match(page, 'usd_total{one="b"} 0.00003\n')
})
