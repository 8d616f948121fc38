/** What a client reads when no route was found. None of these names a model that the key cannot see. */
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../snapshot/snapshot.ts'
import type { HealthView, Removal } from './route.ts'
import { GatewayError } from '../errors.ts'

/** Removed candidates listed in one message: enough to understand, bounded. */
const MAX_LISTED = 20
/** A client's own text in a message is cut here. */
const MAX_ECHO = 128

const ALL_COOLING_DOWN = 'every model that could serve this request is cooling down'
const ALL_FAIL_CHECKS = 'every model that could serve this request is out, as the health checks of its provider fail'
const ALL_OUT = `${ALL_COOLING_DOWN}, or out as the health checks of its provider fail`
const ALL_REFUSE_US = `${ALL_COOLING_DOWN}, as its provider refuses this gateway (its key, account, address or name of the model), which whoever runs the gateway has to mend`

/** What may be told beside the refusal of a name. */
export interface ModelHints {
  /** Path of the list of models that the client can ask for. */
  readonly listPath?: string | undefined
  /** A model that the key can see, with a name that is nearly the same. */
  readonly meant?: string | undefined
}

/** 404. One answer for a model that does not exist and one that the key must not know of. */
export function modelNotFound(model: string, { listPath, meant }: ModelHints = {}): GatewayError {
  const asked = meant === undefined ? '' : ` (did you mean ${echo(meant)}?)`
  const list = listPath === undefined ? '' : `, GET ${listPath},`
  const message = `the model ${echo(model)} does not exist, or this key cannot see it${asked}; the list of models${list} has what it can use`
  return new GatewayError('model_not_found', message, { param: 'model' })
}

/** 403. The model is served by a provider of the key, but is not on the key's list. */
export function modelNotAllowed(model: string): GatewayError {
  return new GatewayError('model_not_allowed', `this key may not use the model ${echo(model)}`, { param: 'model' })
}

/** 403. The key must name a model. */
export function autoNotAllowed(): GatewayError {
  return new GatewayError(
    'model_not_allowed',
    'this key may not leave the choice of the model to the gateway: name one',
    {
      param: 'model',
    },
  )
}

/** 403. The key's access leaves nothing to choose from. */
export function nothingAllowed(): GatewayError {
  return new GatewayError('model_not_allowed', 'this key may use no model', { param: 'model' })
}

/**
 * 503. What could serve is switched off or has no credentials: the fault of neither key nor request. Somebody has to mend that, so
 * asking again at once does not help.
 * `some`: others are in use.
 */
export function noProviderInUse(some: boolean): GatewayError {
  const which = some ? 'no provider that this key may use is in use' : 'no provider is in use'
  return new GatewayError('no_healthy_provider', `there is no model: ${which}`, { retryable: false })
}

/** 400. The rules of the request leave no candidate. */
export function noEligibleModel(removed: readonly Removal[]): GatewayError {
  const listed = removed.filter(({ rule }) => rule !== 'not-allowed')
  const lines = listed
    .slice(0, MAX_LISTED)
    .map(({ deployment, rule, detail }) => `${deployment.id}: ${rule} (${detail})`)
  const more = listed.length > MAX_LISTED ? `; and ${listed.length - MAX_LISTED} more` : ''
  return new GatewayError('no_eligible_model', `no model satisfies this request: ${lines.join('; ')}${more}`)
}

/** Those of them that are out for the moment only. */
export function coolingDown(removed: readonly Removal[]): Removal[] {
  return removed.filter(({ rule }) => rule === 'cooling-down')
}

/** Those of them that their cool-down's end may bring back: what refuses this gateway is asked again then, and will do so once more. */
export function onlyResting<Choice extends { readonly deployment: Deployment }>(
  choices: readonly Choice[],
  health: HealthView,
): Choice[] {
  return choices.filter(({ deployment }) => !health.refusesUs(deployment.id))
}

/**
 * 503. What could serve is cooling down, or out by its health checks. `retryAfterSeconds` is when the first of them may be tried again, at least 1. Undefined:
 * none of those removed is out for the moment only.
 */
export function noHealthyProvider(
  removed: readonly Removal[],
  health: HealthView,
  nowMs: Milliseconds,
): GatewayError | undefined {
  const cooling = coolingDown(removed)
  if (cooling.length === 0) return undefined
  const resting = onlyResting(cooling, health)
  const secondsLeft = (of: Removal[]) => Math.max(1, Math.ceil(coolDownLeft(of, health, nowMs) / 1000))
  if (resting.length > 0)
    return new GatewayError('no_healthy_provider', whyOut(resting, health), { retryAfterSeconds: secondsLeft(resting) })
  return allRefuseUs(secondsLeft(cooling))
}

function whyOut(resting: readonly Removal[], health: HealthView): string {
  const failing = resting.filter(({ deployment }) => health.failsChecks(deployment.id)).length
  if (failing === 0) return ALL_COOLING_DOWN
  return failing === resting.length ? ALL_FAIL_CHECKS : ALL_OUT
}

/** 503. All that could serve refuses this gateway. `retryAfterSeconds`: when the first of them is asked again, which will hardly help. */
export function allRefuseUs(retryAfterSeconds: number): GatewayError {
  return new GatewayError('no_healthy_provider', ALL_REFUSE_US, { retryAfterSeconds, retryable: false })
}

/** Milliseconds until the first of them may be tried; 0: one of them may now. */
export function coolDownLeft(
  choices: readonly { readonly deployment: Deployment }[],
  health: HealthView,
  nowMs: Milliseconds,
): Milliseconds {
  let soonest = Infinity
  for (const { deployment } of choices) {
    soonest = Math.min(soonest, Math.max(0, (health.coolingDownUntil(deployment.id) ?? nowMs) - nowMs))
  }
  return Number.isFinite(soonest) ? soonest : 0
}

function echo(text: string): string {
  return JSON.stringify(text.length > MAX_ECHO ? `${text.slice(0, MAX_ECHO)}...` : text)
}
