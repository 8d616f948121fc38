/** Where a limit leaves too little for the deployment that is to be asked first: what else may answer in its place and takes less. */
import { amountIn, boundOf } from '../../../domain/quota/amounts.ts'
import type { QuotaPlan } from '../../../domain/quota/limits.ts'
import type { QuotaNeed } from '../../../domain/quota/need.ts'
import type { Refused } from '../../../domain/quota/outcome.ts'
import { coolDownLeft, coolingDown, onlyResting } from '../../../domain/routing/refusals.ts'
import type { RoutePlan } from '../../../domain/routing/route.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { isAskedFor } from '../planning/asked-model.ts'
import type { AskedAdmission } from '../admit.ts'
import type { LimitUsage } from '../quota-port.ts'
import { needAt } from './need-at.ts'
import type { Services } from '../services.ts'

/** What an admission asks for, and of whom. */
export interface Choice {
  readonly deployment: Deployment
  readonly need: QuotaNeed
}

/** What may answer. Only what was asked for: another model stands in for a failure, not for money. */
export function choicesOf(among: readonly { readonly deployment: Deployment }[], asked: AskedAdmission): Choice[] {
  return among
    .filter(({ deployment }) => isAskedFor(deployment, asked.model))
    .map(({ deployment }) => ({ deployment, need: needAt(asked, deployment) }))
}

/**
 * Of `others` those that take less of what the limit counts than the one that it has refused, the cheapest first. Each refusal
 * leaves fewer: what is cheap in money may be too much for a limit of tokens.
 */
export function cheaperChoices({ unit, window }: Refused, refused: Choice, others: readonly Choice[]): Choice[] {
  if (window === undefined || unit === 'requests') return []
  return others
    .filter((choice) => leastOf(choice, unit) < leastOf(refused, unit))
    .toSorted((left, right) => leastOf(left, unit) - leastOf(right, unit))
}

/** How long until something that fits into what all limits leave may be asked again; undefined: nothing such is out for the moment. */
export async function cheaperAfterMs(
  asked: AskedAdmission,
  { removed }: RoutePlan,
  plan: QuotaPlan,
  { health, quotas, now }: Services,
): Promise<Milliseconds | undefined> {
  const out = choicesOf(onlyResting(coolingDown(removed), health), asked)
  if (out.length === 0) return undefined
  // Where the store is lost meanwhile, nothing is promised.
  const usage = await quotas.usage(plan).catch(() => undefined)
  const fitting = out.filter((choice) => usage?.limits.every((limit) => fits(choice, limit)))
  return fitting.length === 0 ? undefined : coolDownLeft(fitting, health, now())
}

/** Once what is reserved has ended. */
function fits(choice: Choice, { unit, onExceed, limit, spent }: LimitUsage): boolean {
  const least = leastOf(choice, unit)
  return least === 0 || onExceed === 'Warn' || spent + least <= limit
}

function leastOf({ need }: Choice, unit: Exclude<Refused['unit'], 'requests'>): number {
  return amountIn(unit, boundOf(need, need.open?.minTokens ?? 0))
}
