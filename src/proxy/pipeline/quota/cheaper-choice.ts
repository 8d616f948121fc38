/** Where a limit leaves too little for the deployment that is to be asked first: what else may answer in its place and takes less. */
import { amountIn, boundOf } from '../../../domain/quota/amounts.ts'
import { needOf, type QuotaNeed } from '../../../domain/quota/need.ts'
import type { Refused } from '../../../domain/quota/outcome.ts'
import { coolDownLeft, coolingDown, onlyResting } from '../../../domain/routing/refusals.ts'
import type { HealthView, RoutePlan } from '../../../domain/routing/route.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { isAskedFor } from '../planning/asked-model.ts'
import type { AskedAdmission } from '../admit.ts'

/** What an admission asks for, and of whom. */
export interface Choice {
  readonly deployment: Deployment
  readonly need: QuotaNeed
}

/**
 * Of the candidates the one that takes least of what the limit counts; undefined where none takes less. Only what was
 * asked for: another model stands in for a failure, not for money.
 */
export function cheaperChoice(
  { unit, window }: Refused,
  refused: Choice,
  asked: AskedAdmission,
  { candidates }: RoutePlan,
): Choice | undefined {
  if (window === undefined || unit === 'requests') return undefined
  let cheapest = refused
  for (const choice of choicesOf(candidates, asked)) {
    if (leastOf(choice, unit) < leastOf(cheapest, unit)) cheapest = choice
  }
  return cheapest === refused ? undefined : cheapest
}

/** How long until something that fits into what the limit leaves may be asked again; undefined: nothing such is out for the moment. */
export function cheaperAfterMs(
  { unit, left }: Refused,
  asked: AskedAdmission,
  { removed }: RoutePlan,
  health: HealthView,
  nowMs: Milliseconds,
): Milliseconds | undefined {
  if (left === undefined || unit === 'requests') return undefined
  const out = choicesOf(onlyResting(coolingDown(removed), health), asked)
  const fitting = out.filter((choice) => leastOf(choice, unit) <= left)
  return fitting.length === 0 ? undefined : coolDownLeft(fitting, health, nowMs)
}

function choicesOf(among: readonly { readonly deployment: Deployment }[], asked: AskedAdmission): Choice[] {
  return among
    .filter(({ deployment }) => isAskedFor(deployment, asked.model))
    .map(({ deployment }) => ({ deployment, need: needOf(asked.prompt, asked.sampling, deployment) }))
}

function leastOf({ need }: Choice, unit: Exclude<Refused['unit'], 'requests'>): number {
  return amountIn(unit, boundOf(need, need.open?.minTokens ?? 0))
}
