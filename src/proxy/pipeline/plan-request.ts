/** Stage: where the request may go. Pure decisions of `domain/routing` over what the request needs. */
import type { CompletionRequest, ProviderFormatName } from '../../domain/completion/request.ts'
import { losesLastTurn } from '../../domain/formats/lost-turn.ts'
import { formatOf } from '../../domain/formats/registry.ts'
import { planRoute } from '../../domain/routing/plan-route.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import { familyOf } from '../providers/registry.ts'
import { isAskedForItself } from './planning/asked-model.ts'
import { refusePlan } from './planning/refuse-plan.ts'
import { needsOf } from './planning/request-needs.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'
import { tracePlan } from './trace-step.ts'

/**
 * Characters that one token certainly holds at most, on average over a prompt: the estimate must never remove a model
 * that the prompt fits into.
 */
const MAX_CHARACTERS_PER_TOKEN = 16
/** Of prose in English; other texts have fewer. */
const USUAL_CHARACTERS_PER_TOKEN = 4

const NOTHING_CARRIED =
  'speaks another format, which can carry no part of the last message (docs/formats.md): a file id, for instance, is of use to the vendor alone who gave it'

/** @throws {GatewayError} as `planRoute` refuses. */
export function planRequest(
  request: CompletionRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): RoutePlan {
  const characters = promptCharacters(request)
  const outcome = planRoute({
    compiled: caller.configuration.compiled,
    key: caller.key,
    policy: caller.policy,
    request: {
      model: request.model,
      needs: needsOf(request),
      unsayable: unsayableFor(request),
      minPromptTokens: Math.floor(characters / MAX_CHARACTERS_PER_TOKEN),
      probablePromptTokens: Math.ceil(characters / USUAL_CHARACTERS_PER_TOKEN),
      maxOutputTokens: request.sampling.maxOutputTokens ?? 0,
    },
    health: services.health,
    nowMs: services.now(),
  })
  record.removed = outcome.removed
  tracePlan(outcome, record, services)
  if (outcome.type === 'refused') throw refusePlan(outcome.error, caller, record, services)
  record.plan = outcome
  return outcome
}

/** Whose format can carry nothing of what the user says last, or whose model not the tools: other deployments may take it. */
function unsayableFor(request: CompletionRequest): (deployment: Deployment) => string | undefined {
  const known = new Map<ProviderFormatName, boolean>()
  return (deployment) => {
    const { provider, model } = deployment
    const { format, dialect } = familyOf(provider.type)
    const isLost = known.get(format) ?? losesLastTurn(request, format)
    known.set(format, isLost)
    if (isLost) return NOTHING_CARRIED
    if (request.tools.length === 0) return undefined
    // Who names the model gets its vendor's own word.
    if (format === request.source.format && isAskedForItself(deployment, request.model)) return undefined
    const target = { model: model.upstreamName, dialect: dialect?.(provider.endpoint.baseUrl) }
    return formatOf(format).refusesTools?.(request, target)
  }
}

/** Characters of all texts. The reservation counts in bytes, and from above: domain/quota/prompt-size.ts. */
function promptCharacters(request: CompletionRequest): number {
  let characters = 0
  const add = (text: string) => (characters += text.length)
  for (const part of request.system) add(part.text)
  for (const message of request.messages) {
    for (const part of message.content) {
      if (part.type === 'text' || part.type === 'reasoning' || part.type === 'refusal') add(part.text)
      else if (part.type === 'tool-call') add(part.arguments)
      else if (part.type === 'tool-result') for (const inner of part.content) if (inner.type === 'text') add(inner.text)
    }
  }
  return characters
}
