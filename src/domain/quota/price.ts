/** What a call costs: unified usage times the model's prices, exact, rounded up once. */
import type { Usage } from '../completion/result.ts'
import type { Pricing } from '../snapshot/snapshot.ts'
import type { MicroUsd, NanoUsdPer1M } from './money.ts'

/** Tokens times a `NanoUsdPer1M` price are 1e-15 dollars; this many of them are one micro-dollar. */
const FEMTO_PER_MICRO = 1_000_000_000

/**
 * The cost of one call in micro-dollars, rounded up to the next whole one.
 *
 * The vendors' ways of counting are already equal in `Usage` (`input` without cached and written tokens, `output` with
 * reasoning), so one formula serves all. Prices that a model does not state fall back as `Pricing` says. A call that
 * used nothing costs the request price only.
 */
export function costOf(usage: Usage, pricing: Pricing): MicroUsd {
  const reasoning = Math.min(usage.reasoning, usage.output)
  const parts: readonly PricedTokens[] = [
    [usage.input, pricing.input],
    [usage.cachedInput, pricing.cachedInput ?? pricing.input],
    [usage.cacheWrite, pricing.cacheWrite ?? pricing.input],
    [usage.output - reasoning, pricing.output],
    [reasoning, pricing.reasoning ?? pricing.output],
  ]
  return sumMicroUsd(parts) + (pricing.perRequest ?? 0)
}

/** The cost of `tokens` at one price, rounded up. */
export function costOfTokens(tokens: number, price: NanoUsdPer1M): MicroUsd {
  const femto = tokens * price
  return femto > Number.MAX_SAFE_INTEGER ? ceilMicroUsdBig([[tokens, price]]) : ceilMicroUsd(femto)
}

/** The dearest way in which a prompt token can be counted: plain, read from a cache or written to one. */
export function dearestInputPrice(pricing: Pricing): NanoUsdPer1M {
  return Math.max(pricing.input, pricing.cachedInput ?? 0, pricing.cacheWrite ?? 0)
}

/** The dearest way in which a generated token can be counted. */
export function dearestOutputPrice(pricing: Pricing): NanoUsdPer1M {
  return Math.max(pricing.output, pricing.reasoning ?? 0)
}

type PricedTokens = readonly [tokens: number, price: NanoUsdPer1M]

/** Doubles where the sum is exact in them (nearly always), BigInt above 2^53. */
function sumMicroUsd(parts: readonly PricedTokens[]): MicroUsd {
  let femto = 0
  for (const [tokens, price] of parts) femto += tokens * price
  return femto > Number.MAX_SAFE_INTEGER ? ceilMicroUsdBig(parts) : ceilMicroUsd(femto)
}

/** Not Math.ceil(femto / 1e9): above 4e15 the quotient's last place is coarser than 1e-9 and hides a remainder. */
function ceilMicroUsd(femto: number): MicroUsd {
  const rest = femto % FEMTO_PER_MICRO
  return (femto - rest) / FEMTO_PER_MICRO + (rest > 0 ? 1 : 0)
}

function ceilMicroUsdBig(parts: readonly PricedTokens[]): MicroUsd {
  const femto = parts.reduce((sum, [tokens, price]) => sum + BigInt(tokens) * BigInt(price), 0n)
  const unit = BigInt(FEMTO_PER_MICRO)
  return Number((femto + unit - 1n) / unit)
}
