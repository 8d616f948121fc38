/**
 * Decides which deployments may serve a request, and in which order. Pure.
 *
 *   name -> wanted deployments and backups -> rules remove -> scoring ranks -> plan
 *                |                                 |
 *                404 unknown, 403 not allowed,     400 nothing eligible, 503 all cooling down
 *                503 no provider in use
 *
 * An absent model or `auto` wants every deployment of the key. A name wants the deployments of that name, tried first;
 * under `fallback: AnyModel` all others of the key follow as backups, under `SameModel` none. `provider/model` is an
 * exact model name first, then one provider's model, whose backups begin with the same model elsewhere.
 *
 * @see specification section 7 rules 1 and 2, DESIGN section 5
 */
import type { CompiledSnapshot, Deployment } from '../snapshot/compiled-snapshot.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import type { Milliseconds, VirtualKeyEntry } from '../snapshot/snapshot.ts'
import type { Candidate, HealthView, Removal, RouteOutcome, RouteRequest } from './route.ts'
import type { GatewayError } from '../errors.ts'
import { isModelAllowed, isVisibleTo } from './access.ts'
import { answersTo, AUTO_MODEL } from './names.ts'
import {
  autoNotAllowed,
  modelNotAllowed,
  modelNotFound,
  noEligibleModel,
  noHealthyProvider,
  noProviderInUse,
  nothingAllowed,
} from './refusals.ts'
import { compileRules } from './rules.ts'
import { rankDeployments } from './scoring.ts'

export interface RouteInput {
  readonly compiled: CompiledSnapshot
  readonly key: VirtualKeyEntry
  readonly policy: EffectivePolicy
  readonly request: RouteRequest
  readonly health: HealthView
  readonly nowMs: Milliseconds
}

/**
 * The route of a request, or the refusal that its client gets. Never throws.
 * Refusals: `model_not_found`, `model_not_allowed`, `no_eligible_model`, `no_healthy_provider`.
 */
export function planRoute(input: RouteInput): RouteOutcome {
  const wanted = findWanted(input)
  if (wanted.type === 'refused') return { type: 'refused', error: wanted.error, removed: [] }

  const { key, policy, request, health, nowMs } = input
  const removalOf = compileRules({ access: key.access, policy, request, health, nowMs })
  const removed: Removal[] = []
  const left: (readonly Deployment[])[] = []
  for (const group of wanted.groups) {
    for (const part of roomyFirst(withoutRemoved(group, removalOf, removed), request)) left.push(part)
  }
  const candidates = rankDeployments(left, policy.scoringMethod, health)
  if (!isNotEmpty(candidates)) return { type: 'refused', error: refusalFor(removed, input), removed }
  return { type: 'plan', candidates, removed, method: policy.scoringMethod ?? 'priority' }
}

/** What the rules leave of a group; what they take out goes to `removed`. */
function withoutRemoved(
  group: readonly Deployment[],
  removalOf: (deployment: Deployment) => Removal | undefined,
  removed: Removal[],
): Deployment[] {
  const left: Deployment[] = []
  for (const deployment of group) {
    const removal = removalOf(deployment)
    if (removal === undefined) left.push(deployment)
    else removed.push(removal)
  }
  return left
}

/**
 * Where one of the group states a context window that the request fits into, those whose own is probably too small come last: an
 * estimate takes nothing out, but a provider that is sent too much refuses it, and then nobody else is asked. What states none
 * keeps its place.
 */
function roomyFirst(group: readonly Deployment[], request: RouteRequest): (readonly Deployment[])[] {
  if (group.length < 2) return [group]
  const isTight = ({ model }: Deployment) => roomIn(model, request) < 0
  const hasRoom = ({ model }: Deployment) => model.contextWindow !== undefined && roomIn(model, request) >= 0
  if (!group.some(isTight) || !group.some(hasRoom)) return [group]
  return [group.filter((deployment) => !isTight(deployment)), group.filter(isTight)]
}

/** What prompt and answer probably leave of the context window. Clients state more than a model writes. */
function roomIn({ contextWindow, maxOutputTokens }: Deployment['model'], request: RouteRequest): number {
  const output = Math.min(request.maxOutputTokens, maxOutputTokens ?? request.maxOutputTokens)
  return contextWindow === undefined ? 0 : contextWindow - request.probablePromptTokens - output
}

function isNotEmpty(candidates: Candidate[]): candidates is [Candidate, ...Candidate[]] {
  return candidates.length > 0
}

/** Groups of deployments: all of one are tried before the next. Each deployment is in one group only. */
type Wanted =
  | { readonly type: 'found'; readonly groups: readonly (readonly Deployment[])[] }
  | { readonly type: 'refused'; readonly error: GatewayError }

function findWanted({ compiled, key, policy, request }: RouteInput): Wanted {
  const name = request.model
  const visible = visibleTo(key, compiled)
  const isAuto = name === undefined || name === AUTO_MODEL
  if (isAuto && !key.access.allowAuto) return { type: 'refused', error: autoNotAllowed() }
  if (isOutOfUse(visible, key, compiled)) return outOfUse(compiled)
  if (isAuto) return { type: 'found', groups: [visible] }
  const named = findNamed(compiled, name, key)
  if (named === undefined) return { type: 'refused', error: modelNotFound(name) }
  const [primary, siblings] = named.groups
  if (!primary.some((deployment) => isModelAllowed(key.access, deployment))) {
    return { type: 'refused', error: modelNotAllowed(name) }
  }
  if (policy.fallback === 'SameModel') return { type: 'found', groups: [primary] }
  // Often there is nothing else.
  if (primary.length + siblings.length === visible.length) return { type: 'found', groups: named.groups }
  const backups = visible.filter((deployment) => !answersTo(deployment, named.model))
  return { type: 'found', groups: [primary, siblings, backups] }
}

/** Whether nothing is left of the providers that the key has: one that was given none is refused for that. */
function isOutOfUse(
  visible: readonly Deployment[],
  { access }: VirtualKeyEntry,
  { deployments }: CompiledSnapshot,
): boolean {
  return visible.length === 0 && (access.providers.length > 0 || deployments.length === 0)
}

function outOfUse({ deployments }: CompiledSnapshot): Wanted {
  return { type: 'refused', error: noProviderInUse(deployments.length > 0) }
}

/** Per key, as its entry and the list of deployments are of one snapshot. */
const visibleByKey = new WeakMap<VirtualKeyEntry, { of: readonly Deployment[]; visible: readonly Deployment[] }>()

/** All deployments that the key reaches: the snapshot's own list where that is all of it. */
function visibleTo(key: VirtualKeyEntry, { deployments }: CompiledSnapshot): readonly Deployment[] {
  const known = visibleByKey.get(key)
  if (known?.of === deployments) return known.visible
  const visible = onlyVisible(deployments, key)
  visibleByKey.set(key, { of: deployments, visible })
  return visible
}

/** The list itself where the key reaches all of it. */
function onlyVisible(deployments: readonly Deployment[], { access }: VirtualKeyEntry): readonly Deployment[] {
  const visible = (deployment: Deployment): boolean => isVisibleTo(access, deployment)
  return deployments.every(visible) ? deployments : deployments.filter(visible)
}

const NONE: readonly Deployment[] = []

/**
 * The deployments that the name means and, where it pins a provider, those of the same model elsewhere. `model`: all of
 * both answer to this name, and no other does. Undefined: the key sees none.
 */
function findNamed(
  compiled: CompiledSnapshot,
  name: string,
  key: VirtualKeyEntry,
): { readonly model: string; readonly groups: readonly [readonly Deployment[], readonly Deployment[]] } | undefined {
  const byName = onlyVisible(compiled.deploymentsByModel.get(name) ?? NONE, key)
  if (byName.length > 0) return { model: name, groups: [byName, NONE] }
  const pinned = compiled.deploymentsById.get(name)
  if (pinned === undefined || !isVisibleTo(key.access, pinned)) return undefined
  const model = pinned.model.name
  const sameModel = onlyVisible(compiled.deploymentsByModel.get(model) ?? NONE, key)
  return { model, groups: [[pinned], sameModel.filter((deployment) => deployment !== pinned)] }
}

function refusalFor(removed: readonly Removal[], { health, nowMs }: RouteInput): GatewayError {
  const passing = noHealthyProvider(removed, health, nowMs)
  if (passing !== undefined) return passing
  if (removed.every(({ rule }) => rule === 'not-allowed')) return nothingAllowed()
  return noEligibleModel(removed)
}
