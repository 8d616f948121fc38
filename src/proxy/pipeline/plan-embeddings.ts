/** Which deployments may embed a text. */
import { GatewayError } from '../../domain/errors.ts'
import { planRoute } from '../../domain/routing/plan-route.ts'
import { noHealthyProvider } from '../../domain/routing/refusals.ts'
import type { RouteOutcome, RoutePlan } from '../../domain/routing/route.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import { familyOf } from '../providers/registry.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'

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
  if (outcome.type === 'refused') return outcome
  const [first, ...others] = outcome.candidates.filter(({ deployment }) => speaksEmbeddings(deployment))
  if (first !== undefined) return { ...outcome, candidates: [first, ...others] }
  return { type: 'refused', error: refusalFor(outcome, services), removed: outcome.removed }
}

function refusalFor({ removed }: RoutePlan, { health, now }: Services): GatewayError {
  const speaking = removed.filter(({ deployment }) => speaksEmbeddings(deployment))
  return (
    noHealthyProvider(speaking, health, now()) ??
    new GatewayError('no_eligible_model', 'No provider of this model speaks the embeddings API of OpenAI.', {
      param: 'model',
    })
  )
}

/** Whether the provider's API has embeddings in the one shape that the gateway knows. */
export function speaksEmbeddings({ provider }: Deployment): boolean {
  return familyOf(provider.type).format === 'chat-completions'
}
