/** Which deployments may embed a text. */
import { GatewayError } from '../../../domain/errors.ts'
import { planRoute } from '../../../domain/routing/plan-route.ts'
import { noHealthyProvider } from '../../../domain/routing/refusals.ts'
import type { Removal, RouteOutcome } from '../../../domain/routing/route.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import { familyOf } from '../../providers/registry.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'

/** The deployments of one embedding model: none of another, as the vectors of two models do not compare. */
export function planForEmbeddings(
  model: string,
  { configuration, key, policy }: GovernedCaller,
  services: Services,
): RouteOutcome {
  const outcome = planRoute({
    compiled: configuration.compiled,
    key,
    policy: { ...policy, fallback: 'SameModel' },
    request: { model, needs: ['embeddings'], minPromptTokens: 0, probablePromptTokens: 0, maxOutputTokens: 0 },
    health: services.health,
    nowMs: services.now(),
  })
  // Of no use after its cool-down either: then that is not what keeps it out.
  const isMisjudged = ({ rule, deployment }: Removal) => rule === 'cooling-down' && !speaksEmbeddings(deployment)
  const removed = outcome.removed.filter((removal) => !isMisjudged(removal))
  if (outcome.type === 'refused') {
    const error = removed.length === outcome.removed.length ? outcome.error : refusalFor(removed, services)
    return { type: 'refused', error, removed }
  }
  const [first, ...others] = outcome.candidates.filter(({ deployment }) => speaksEmbeddings(deployment))
  if (first !== undefined) return { ...outcome, candidates: [first, ...others], removed }
  return { type: 'refused', error: refusalFor(removed, services), removed }
}

function refusalFor(removed: readonly Removal[], { health, now }: Services): GatewayError {
  return (
    noHealthyProvider(removed, health, now()) ??
    new GatewayError(
      'no_eligible_model',
      'No provider that is left for this model speaks the embeddings API of OpenAI.',
      { param: 'model' },
    )
  )
}

/** Whether the provider's API has embeddings in the one shape that the gateway knows. */
export function speaksEmbeddings({ provider }: Deployment): boolean {
  return familyOf(provider.type).format === 'chat-completions'
}
