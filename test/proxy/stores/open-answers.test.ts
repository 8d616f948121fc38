/** What is reserved for an answer without a maximum, by TypeScript and by Lua, also where tokens times price is more than doubles count. */
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import t from 'tap'
import { openCost } from '../../../src/domain/quota/amounts.ts'
import { costOfTokens } from '../../../src/domain/quota/price.ts'
import type { QuotaStore } from '../../../src/proxy/pipeline/quota-port.ts'
import { MemoryQuotaStore } from '../../../src/proxy/stores/memory/memory-quota-store.ts'
import { RedisQuotaStore } from '../../../src/proxy/stores/redis/redis-quota-store.ts'
import { connectedRedis } from '../../helpers/connected-redis.ts'
import { need, plan } from '../../helpers/quota.ts'
import { startRedis } from '../../helpers/redis.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
const RUNS = 300

/** Up to 900,000 US dollars a million tokens; the second is beyond what counts exactly for the longest answers. */
const price = () => fc.oneof(fc.integer({ min: 0, max: 9_000_000_000 }), fc.integer({ min: 0, max: 9e14 }))
const open = () =>
  fc.record({
    choices: fc.integer({ min: 1, max: 8 }),
    minTokens: fc.integer({ min: 1, max: 256 }),
    maxTokens: fc.integer({ min: 256, max: 2_000_000 }),
    price: price(),
  })

t.test(
  'memory and Redis grant and reserve the same, never less than it may cost, and no more than there is',
  async (t) => {
    const connection = await connectedRedis(t, await startRedis())
    const stores = [new MemoryQuotaStore(() => NOON), new RedisQuotaStore(connection, { now: () => NOON })] as const
    let serial = 0
    await fc.assert(
      fc.asyncProperty(open(), fc.nat(2_000_000), fc.integer({ min: -1, max: 1 }), async (answer, tokens, off) => {
        // The limits at which a rounding shows are those that so many tokens cost.
        const limit = Math.max(0, openCost(answer, tokens * answer.choices) + off)
        const id = `r${++serial}`
        const own = plan({ key: { budgets: [{ limit }] } }, { organization: id })
        const asked = { ...need(0, 1, 0), open: answer }
        const outcomeIn = async (store: QuotaStore) => {
          const admission = await store.admit({ id, plan: own, need: asked })
          const [budget] = (await store.usage(own)).limits
          if (admission.type === 'refused') return { refusal: admission, budget }
          return { grantedOutputTokens: admission.grantedOutputTokens ?? 0, remaining: admission.remaining, budget }
        }
        const [inMemory, inRedis] = await Promise.all(stores.map(outcomeIn))
        assert.deepStrictEqual(inRedis, inMemory)
        const { grantedOutputTokens, budget } = inMemory ?? {}
        if (grantedOutputTokens === undefined || budget === undefined) return
        assert.ok(budget.reserved >= costOfTokens(grantedOutputTokens * answer.choices, answer.price))
        assert.ok(budget.reserved <= limit)
      }),
      { numRuns: RUNS },
    )
    t.pass()
  },
)
