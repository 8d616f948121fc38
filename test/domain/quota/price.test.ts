import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import t from 'tap'
import { addCharges, chargeOf, NOTHING_USED, openCost, subtractCharges } from '../../../src/domain/quota/amounts.ts'
import { parseMicroUsd, parsePricePer1M } from '../../../src/domain/quota/money.ts'
import { costOf, costOfTokens, dearestInputPrice, dearestOutputPrice } from '../../../src/domain/quota/price.ts'
import type { Pricing } from '../../../src/domain/snapshot/snapshot.ts'

interface CostCase {
  readonly name: string
  readonly usdPer1M: Readonly<Record<string, string>>
  readonly usage: { input: number; cachedInput: number; cacheWrite: number; output: number; reasoning: number }
  readonly costMicroUsd: number
}

/** Costs computed by decimal arithmetic elsewhere, from usage objects as the vendors send them (`raw`). */
const CASES = JSON.parse(
  readFileSync(new URL('../../fixtures/quota/costs.json', import.meta.url), 'utf8'),
) as CostCase[]

for (const { name, usdPer1M, usage, costMicroUsd } of CASES) {
  t.test(`costs: ${name}`, async (t) => {
    t.equal(costOf(usage, pricingOf(usdPer1M)), costMicroUsd)
  })
}

t.test('the cost is the exact sum, rounded up once', async (t) => {
  const tokens = fc.integer({ min: 0, max: 10_000_000 })
  const price = fc.integer({ min: 0, max: 9_007_199_254_740_991 })
  const usages = fc.record({
    input: tokens,
    cachedInput: tokens,
    cacheWrite: tokens,
    output: tokens,
    reasoning: tokens,
  })
  const pricings = fc.record({ input: price, output: price, cachedInput: price, cacheWrite: price, reasoning: price })
  fc.assert(
    fc.property(usages, pricings, (usage, pricing) => {
      const reasoning = BigInt(Math.min(usage.reasoning, usage.output))
      const femto =
        BigInt(usage.input) * BigInt(pricing.input) +
        BigInt(usage.cachedInput) * BigInt(pricing.cachedInput) +
        BigInt(usage.cacheWrite) * BigInt(pricing.cacheWrite) +
        (BigInt(usage.output) - reasoning) * BigInt(pricing.output) +
        reasoning * BigInt(pricing.reasoning)
      const micro = femto / 1_000_000_000n + (femto % 1_000_000_000n === 0n ? 0n : 1n)
      return costOf(usage, pricing) === Number(micro)
    }),
  )
  t.pass()
})

t.test('a remainder is not lost where doubles are coarse', async (t) => {
  // 8,999,999 micro-dollars and one part in a thousand million: the quotient as a double has no room for it.
  t.equal(costOfTokens(1, 8_999_999_000_000_001), 9_000_000)
  t.equal(costOfTokens(1, 8_999_999_000_000_000), 8_999_999)
})

t.test('prices that are not stated fall back', async (t) => {
  const pricing = pricingOf({ input: '2', output: '8' })
  t.equal(costOf({ input: 0, cachedInput: 500_000, cacheWrite: 500_000, output: 0, reasoning: 0 }, pricing), 2_000_000)
  t.equal(
    costOf({ input: 0, cachedInput: 0, cacheWrite: 0, output: 1_000_000, reasoning: 400_000 }, pricing),
    8_000_000,
  )
  t.equal(dearestInputPrice(pricing), pricing.input)
  t.equal(dearestOutputPrice(pricing), pricing.output)
})

t.test('the dearest prices bound every way of counting', async (t) => {
  const pricing = pricingOf({ input: '3', output: '15', cacheWrite: '3.75', reasoning: '20' })
  t.equal(dearestInputPrice(pricing), pricing.cacheWrite)
  t.equal(dearestOutputPrice(pricing), pricing.reasoning)
})

t.test('the bound of an open answer is never below its cost', async (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000_000 }),
      fc.integer({ min: 0, max: 10_000_000_000_000 }),
      (tokens, price) => {
        return openCost({ choices: 1, minTokens: 0, maxTokens: tokens, price }, tokens) >= costOfTokens(tokens, price)
      },
    ),
  )
  t.pass()
})

t.test('the bound of an open answer is its cost, but where doubles cannot tell', async (t) => {
  const boundOf = (tokens: number, price: number) =>
    openCost({ choices: 1, minTokens: 0, maxTokens: tokens, price }, tokens)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 9_000_000_000 }), (tokens, price) => {
      return boundOf(tokens, price) === costOfTokens(tokens, price)
    }),
  )
  t.equal(boundOf(256, 1_000_000_000), 256, 'a whole number of micro-dollars is not one more')
  t.equal(boundOf(0, 1_000_000_000), 0)
  t.equal(boundOf(1, 1), 1)
  t.equal(boundOf(9_007_199_254_740_991, 1), 9_007_200, 'the last that doubles count to')
  t.equal(boundOf(9_007_199_254_740_991, 1_000), 9_007_199_255)
  t.equal(boundOf(20_000_000_000_000, 1_000), 20_000_001, 'beyond, one on top')
})

t.test('charges count every prompt token, and no money without a price', async (t) => {
  const usage = { input: 1, cachedInput: 2, cacheWrite: 4, output: 8, reasoning: 3 }
  t.strictSame(chargeOf(usage, undefined), { costMicroUsd: 0, inputTokens: 7, outputTokens: 8 })
  t.strictSame(chargeOf(usage, pricingOf({ input: '1', output: '1' })), {
    costMicroUsd: 15,
    inputTokens: 7,
    outputTokens: 8,
  })
})

t.test('charges add and subtract by part', async (t) => {
  const charge = { costMicroUsd: 1, inputTokens: 2, outputTokens: 3 }
  t.strictSame(addCharges(charge, charge), { costMicroUsd: 2, inputTokens: 4, outputTokens: 6 })
  t.strictSame(subtractCharges(charge, charge), { ...NOTHING_USED })
})

function pricingOf({ perRequest, ...prices }: Readonly<Record<string, string>>): Pricing {
  const parsed = Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, parsePricePer1M(price)]))
  const { input = 0, output = 0, ...rest } = parsed
  return { input, output, ...rest, ...(perRequest === undefined ? {} : { perRequest: parseMicroUsd(perRequest) }) }
}
