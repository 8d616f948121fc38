import fc from 'fast-check'
import * as reference from 'prom-client'
import t from 'tap'
import { renderPage } from '../../../src/proxy/telemetry/exposition.ts'
import { Counter, Histogram, readFamily } from '../../../src/proxy/telemetry/metric-families.ts'

const BOUNDS = [0.25, 1, 16]
const HELP = 'What it is,\nand a \\.'
const label = fc.oneof(fc.constantFrom('a', 'b', 'a"b', 'a\\b', 'a\nb', ''), fc.string({ maxLength: 3 }))
const amount = fc.oneof(fc.constantFrom(0, 0.25, 1, 16, 17), fc.double({ min: 0, max: 1e9, noNaN: true }))
const touch = fc.record({ family: fc.constantFrom('counter', 'histogram'), one: label, other: label, amount })

t.test('the page is what a client library makes of the same touches', async (t) => {
  const property = fc.asyncProperty(
    fc.array(touch, { maxLength: 40 }),
    fc.double({ noNaN: true }),
    async (touches, level) => {
      const registry = new reference.Registry()
      const shared = { help: HELP, labelNames: ['one', 'other'], registers: [registry] }
      const theirCounter = new reference.Counter({ name: 'counter_total', ...shared })
      const theirHistogram = new reference.Histogram({ name: 'histogram', buckets: [...BOUNDS], ...shared })
      new reference.Gauge({ name: 'level', help: HELP, registers: [registry] }).set(level)
      const counter = new Counter('counter_total', HELP, ['one', 'other'])
      const histogram = new Histogram('histogram', HELP, BOUNDS, ['one', 'other'])
      for (const { family, one, other, amount } of touches) {
        if (family === 'counter') {
          theirCounter.inc({ one, other }, amount)
          counter.at(one, other).add(amount)
        } else {
          theirHistogram.observe({ one, other }, amount)
          histogram.at(one, other).observe(amount)
        }
      }
      const page = renderPage([counter, histogram, readFamily('gauge', 'level', HELP, () => level)])
      t.strictSame(page, { contentType: registry.contentType, text: await registry.metrics() })
    },
  )
  await fc.assert(property)
})

t.test('the same label values are the same series, others are others', async (t) => {
  const counter = new Counter('c', 'Help.', ['one', 'other'])
  t.equal(counter.at('a', 'b'), counter.at('a', 'b'))
  t.not(counter.at('a', 'b'), counter.at('b', 'a'))
  t.not(counter.at('ab', ''), counter.at('a', 'b'))
})

t.test('a counter does not fall, and what is no number does not spoil it', async (t) => {
  const series = new Counter('c', 'Help.', []).at()
  series.add(2)
  for (const amount of [-1, Number.NaN, Infinity]) series.add(amount)
  series.add()
  t.equal(series.value, 3)
})

t.test('what is no number does not spoil a histogram', async (t) => {
  const histogram = new Histogram('h', 'Help.', [1], [])
  for (const value of [Number.NaN, Infinity, -Infinity, -2, 1, 3]) histogram.at().observe(value)
  t.strictSame(histogram.samples(), ['h_bucket{le="1"} 2', 'h_bucket{le="+Inf"} 3', 'h_sum 2', 'h_count 3'])
})
