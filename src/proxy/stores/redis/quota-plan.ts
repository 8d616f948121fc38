/** Plans and needs in the short form that the quota scripts read. */
import { scopePart } from '../../../domain/quota/counter-keys.ts'
import type { PlannedLimit, PlannedScope, QuotaPlan, QuotaUnit } from '../../../domain/quota/limits.ts'
import type { QuotaNeed } from '../../../domain/quota/need.ts'
import { requestRate, tokenRate } from '../../../domain/quota/rate.ts'
import type { RateLimit } from '../../../domain/quota/rate.ts'
import { rollingBucketMs } from '../../../domain/quota/windows.ts'

/** Encodes a plan once: it is the same object for every request of a key. */
export class PlanEncoder {
  readonly #encoded = new WeakMap<QuotaPlan, string>()

  encode(plan: QuotaPlan): string {
    const known = this.#encoded.get(plan)
    if (known !== undefined) return known
    const encoded = JSON.stringify(plan.scopes.map(encodeScope))
    this.#encoded.set(plan, encoded)
    return encoded
  }
}

/** The arguments that `read_need` of the prelude reads. */
export function encodeNeed({ costMicroUsd, inputTokens, outputTokens, rateTokens, open }: QuotaNeed): string[] {
  const { choices, minTokens, maxTokens, price } = open ?? { choices: 0, minTokens: 0, maxTokens: 0, price: 0 }
  return [costMicroUsd, inputTokens, outputTokens, rateTokens, choices, minTokens, maxTokens, price].map(String)
}

/** n: name; w: windows (n: name, r: bucket length or 0, l: limits); q, t: rates (l a minute, c capacity); m: concurrency. */
function encodeScope({ name, windows, rateLimits }: PlannedScope) {
  return {
    n: scopePart(name),
    w: windows.map(({ window, reset, limits }) => ({
      n: window,
      r: (reset === 'Rolling' ? rollingBucketMs(window) : undefined) ?? 0,
      l: limits.map(encodeLimit),
    })),
    q: encodeRate(requestRate(rateLimits)),
    t: encodeRate(tokenRate(rateLimits)),
    m: rateLimits.maxConcurrent,
  }
}

function encodeLimit({ unit, limit, onExceed }: PlannedLimit): [number, number, number] {
  return [UNIT_NUMBER[unit], limit, onExceed === 'Block' ? 1 : 0]
}

function encodeRate(rate: RateLimit | undefined) {
  return rate === undefined ? undefined : { l: rate.limit, c: rate.capacity }
}

const UNIT_NUMBER: Readonly<Record<QuotaUnit, number>> = { cost: 1, input: 2, output: 3, total: 4 }
