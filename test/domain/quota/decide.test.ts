import * as fc from 'fast-check'
import t from 'tap'
import { amountIn, boundOf, NOTHING_USED, type Charge } from '../../../src/domain/quota/amounts.ts'
import { decideSize, fittingTokens } from '../../../src/domain/quota/decide.ts'
import type { QuotaUnit } from '../../../src/domain/quota/limits.ts'
import type { QuotaNeed } from '../../../src/domain/quota/need.ts'
import { plan } from '../../helpers/quota.ts'

const amount = fc.integer({ min: -1_000, max: 100_000 })
const charges = fc.record({ costMicroUsd: amount, inputTokens: amount, outputTokens: amount })
const unitSets = fc.uniqueArray(fc.constantFrom<QuotaUnit>('cost', 'input', 'output', 'total'))
const needs: fc.Arbitrary<QuotaNeed> = fc.record({
  costMicroUsd: fc.nat(50_000),
  inputTokens: fc.nat(50_000),
  outputTokens: fc.constant(0),
  rateTokens: fc.constant(0),
  open: fc.record({
    choices: fc.integer({ min: 1, max: 4 }),
    minTokens: fc.nat(256),
    maxTokens: fc.integer({ min: 256, max: 20_000 }),
    price: fc.constantFrom(0, 1e9, 15e9, 123_456_789),
  }),
})

t.test('what fits is the longest answer that what is left pays for in every unit', async () => {
  fc.assert(
    fc.property(needs, charges, unitSets, (need, left, units) => {
      const fits = (tokens: number) =>
        units.every((unit) => {
          const most = amountIn(unit, boundOf(need, need.open?.maxTokens ?? 0))
          return most === 0 || amountIn(unit, boundOf(need, tokens)) <= amountIn(unit, left)
        })
      const tokens = fittingTokens(need, left, units)
      const { minTokens, maxTokens } = need.open ?? { minTokens: 0, maxTokens: 0 }
      if (tokens === undefined) return !fits(minTokens)
      return fits(tokens) && tokens >= minTokens && (tokens === maxTokens || !fits(tokens + 1))
    }),
    { numRuns: 2_000 },
  )
})

t.test('of a need that is reserved in part, a limit that leaves nothing refuses only what is missing', async (t) => {
  const own = plan({ key: { budgets: [{ limit: 10_000 }], tokenQuotas: [{ kind: 'Output', limit: 3_000 }] } })
  const counts = (costMicroUsd: number, outputTokens: number) => ({ costMicroUsd, inputTokens: 0, outputTokens })
  const open = { choices: 2, minTokens: 256, maxTokens: 2_000, price: 2e9, held: counts(3_100, 3_000) }
  const need: QuotaNeed = { costMicroUsd: 100, inputTokens: 0, outputTokens: 0, rateTokens: 0, open }
  const granted = (reserved: Charge, spent = NOTHING_USED) =>
    decideSize(own, need, () => ({ spent, reserved, resetAtMs: () => undefined }))
  t.strictSame(granted(counts(3_100, 3_000)), { type: 'fits', granted: 1_500 }, 'no tokens are left, and money is')
  t.strictSame(granted(counts(8_000, 3_000)), { type: 'fits', granted: 1_250 }, 'money leaves less')
  t.match(granted(counts(9_900, 3_000)), { type: 'fits', granted: 775 }, 'what is held does')
  t.match(granted(NOTHING_USED, counts(20_000, 3_000)), { type: 'fits', granted: 750 }, 'more is spent than the limit')
})

t.test('of a need with a maximum it tells only whether it fits', async (t) => {
  const need: QuotaNeed = { costMicroUsd: 10, inputTokens: 5, outputTokens: 7, rateTokens: 0 }
  const left = { costMicroUsd: 9, inputTokens: 5, outputTokens: 8 }
  t.equal(fittingTokens(need, left, ['input', 'output', 'total']), 0)
  t.equal(fittingTokens(need, left, ['cost']), undefined)
  t.equal(fittingTokens(need, left, []), 0)
})
