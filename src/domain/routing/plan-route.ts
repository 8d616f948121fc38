/**
 * Decides which deployments may serve a request, and in which order. Pure.
 *
 *   name -> wanted deployments and backups -> rules remove -> scoring ranks -> plan
 *                |                                 |
 *                404 unknown, 403 not allowed      400 nothing eligible, 503 all cooling down
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
import { AUTO_MODEL } from './names.ts'
import {
  autoNotAllowed,
  modelNotAllowed,
  modelNotFound,
  noEligibleModel,
  noHealthyProvider,
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

  const removalOf = compileRules({ ...input, access: input.key.access })
  const removed: Removal[] = []
  const left: Deployment[] = []
  for (const deployment of wanted.groups.flat()) {
    const removal = removalOf(deployment)
    if (removal === undefined) left.push(deployment)
    else removed.push(removal)
  }

  const [first, ...others] = inGroupOrder(
    wanted.groups,
    rankDeployments(left, input.policy.scoringMethod, input.health),
  )
  if (first === undefined) return { type: 'refused', error: refusalFor(removed, input), removed }
  return { type: 'plan', candidates: [first, ...others], removed, method: input.policy.scoringMethod ?? 'priority' }
}

/** Groups of deployments: all of one are tried before the next. Each deployment is in one group only. */
type Wanted =
  | { readonly type: 'found'; readonly groups: readonly (readonly Deployment[])[] }
  | { readonly type: 'refused'; readonly error: GatewayError }

function findWanted({ compiled, key, policy, request }: RouteInput): Wanted {
  const visible = (deployment: Deployment): boolean => isVisibleTo(key.access, deployment)
  const name = request.model
  if (name === undefined || name === AUTO_MODEL) {
    if (!key.access.allowAuto) return { type: 'refused', error: autoNotAllowed() }
    return { type: 'found', groups: [compiled.deployments.filter(visible)] }
  }
  const groups = findNamed(compiled, name, visible)
  const primary = groups[0] ?? []
  if (primary.length === 0) return { type: 'refused', error: modelNotFound(name) }
  if (!primary.some((deployment) => isModelAllowed(key.access, deployment))) {
    return { type: 'refused', error: modelNotAllowed(name) }
  }
  if (policy.fallback === 'SameModel') return { type: 'found', groups: [primary] }
  const taken = new Set(groups.flat())
  const backups = compiled.deployments.filter((deployment) => visible(deployment) && !taken.has(deployment))
  return { type: 'found', groups: [...groups, backups] }
}

/** The deployments that the name means and, where it pins a provider, those of the same model elsewhere. */
function findNamed(
  compiled: CompiledSnapshot,
  name: string,
  visible: (deployment: Deployment) => boolean,
): Deployment[][] {
  const byName = (compiled.deploymentsByModel.get(name) ?? []).filter(visible)
  if (byName.length > 0) return [byName]
  const pinned = compiled.deploymentsById.get(name)
  if (pinned === undefined || !visible(pinned)) return []
  const siblings = compiled.deploymentsByModel.get(pinned.model.name) ?? []
  return [[pinned], siblings.filter((deployment) => deployment !== pinned && visible(deployment))]
}

/** The ranked candidates, those of an earlier group first. */
function inGroupOrder(groups: readonly (readonly Deployment[])[], ranked: readonly Candidate[]): Candidate[] {
  if (groups.length === 1 || ranked.length < 2) return [...ranked]
  const groupOf = new Map(groups.flatMap((group, index) => group.map((deployment) => [deployment, index] as const)))
  const position = ({ deployment }: Candidate): number => groupOf.get(deployment) ?? groups.length
  return ranked.toSorted((a, b) => position(a) - position(b))
}

function refusalFor(removed: readonly Removal[], { health, nowMs }: RouteInput): GatewayError {
  const cooling = removed.filter(({ rule }) => rule === 'cooling-down')
  if (cooling.length > 0) return noHealthyProvider(cooling, health, nowMs)
  if (removed.every(({ rule }) => rule === 'not-allowed')) return nothingAllowed()
  return noEligibleModel(removed)
}
