/** What is counted of a call: money, prompt tokens and generated tokens. */
import type { Usage } from '../completion/result.ts'
import type { Pricing } from '../snapshot/snapshot.ts'
import type { QuotaUnit } from './limits.ts'
import type { MicroUsd } from './money.ts'
import type { OpenOutput, QuotaNeed } from './need.ts'
import { costOf } from './price.ts'

export interface Charge {
  readonly costMicroUsd: MicroUsd
  /** Prompt tokens, cached and written ones included. */
  readonly inputTokens: number
  readonly outputTokens: number
}

export const NOTHING_USED: Charge = Object.freeze({ costMicroUsd: 0, inputTokens: 0, outputTokens: 0 })

/** What a call with this usage is charged; a model without a price is charged in tokens only. */
export function chargeOf(usage: Usage, pricing: Pricing | undefined): Charge {
  return {
    costMicroUsd: pricing === undefined ? 0 : costOf(usage, pricing),
    inputTokens: usage.input + usage.cachedInput + usage.cacheWrite,
    outputTokens: usage.output,
  }
}

/** The sum of two charges, e.g. of two attempts. */
export function addCharges(left: Charge, right: Charge): Charge {
  return {
    costMicroUsd: left.costMicroUsd + right.costMicroUsd,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  }
}

/** `left` without `right`; parts may be negative. */
export function subtractCharges(left: Charge, right: Charge): Charge {
  return {
    costMicroUsd: left.costMicroUsd - right.costMicroUsd,
    inputTokens: left.inputTokens - right.inputTokens,
    outputTokens: left.outputTokens - right.outputTokens,
  }
}

/** What `actual` has of each part beyond the bound. */
export function excessOf(actual: Charge, bound: Charge): Charge {
  const { costMicroUsd, inputTokens, outputTokens } = subtractCharges(actual, bound)
  return {
    costMicroUsd: Math.max(0, costMicroUsd),
    inputTokens: Math.max(0, inputTokens),
    outputTokens: Math.max(0, outputTokens),
  }
}

/** The part of a charge that a limit of this unit counts. */
export function amountIn(unit: QuotaUnit, charge: Charge): number {
  switch (unit) {
    case 'cost':
      return charge.costMicroUsd
    case 'input':
      return charge.inputTokens
    case 'output':
      return charge.outputTokens
    case 'total':
      return charge.inputTokens + charge.outputTokens
    default:
      return unit satisfies never
  }
}

/** What is reserved for a need whose open part was granted `tokensPerChoice`. */
export function boundOf(need: QuotaNeed, tokensPerChoice: number): Charge {
  const open = need.open
  if (open === undefined) return fixedBound(need)
  const tokens = tokensPerChoice * open.choices
  const answer = { costMicroUsd: openCost(open, tokens), inputTokens: 0, outputTokens: tokens }
  const bound = addCharges(fixedBound(need), answer)
  return open.held === undefined ? bound : excessOf(bound, open.held)
}

/** What there is for the open part where a limit of this unit leaves `left`. */
export function leftForOpen(unit: QuotaUnit, need: QuotaNeed, left: number): number {
  const rest = subtractCharges(need.open?.held ?? NOTHING_USED, fixedBound(need))
  // What is held for a longer prompt is not for an answer.
  return left + amountIn(unit, { ...rest, inputTokens: Math.min(0, rest.inputTokens) })
}

/** The part of a need that does not depend on what is granted. */
export function fixedBound({ costMicroUsd, inputTokens, outputTokens }: QuotaNeed): Charge {
  return { costMicroUsd, inputTokens, outputTokens }
}

/**
 * Cost bound of `tokens` of an open answer: the cost, rounded up. The stores compute it in doubles (Lua has no other number):
 * beyond those that count exactly it is one micro-dollar more, so never below the cost.
 */
export function openCost(open: OpenOutput, tokens: number): MicroUsd {
  const femto = tokens * open.price
  if (femto > Number.MAX_SAFE_INTEGER) return Math.floor(femto / 1e9) + 1
  const rest = femto % 1e9
  return (femto - rest) / 1e9 + (rest > 0 ? 1 : 0)
}
