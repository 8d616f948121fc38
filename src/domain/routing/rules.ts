/**
 * The rules that take a deployment out of a route. Each is a small pure function from a deployment and what is known of
 * the request to a reason, or to undefined where the deployment stays. The first rule that objects is the one reported.
 */
import { codesMeaning } from '../country-codes.ts'
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import type { Capability, KeyAccess, Milliseconds } from '../snapshot/snapshot.ts'
import type { HealthView, Removal, RemovalRule, RouteRequest } from './route.ts'
import { formatPricePer1K } from '../quota/money.ts'
import { isModelAllowed } from './access.ts'
import { compileExclusions, excludableNamesOf, NO_EXCLUSIONS } from './names.ts'
import type { Exclusions } from './names.ts'

export interface RuleInput {
  readonly access: KeyAccess
  readonly policy: EffectivePolicy
  readonly request: RouteRequest
  readonly health: HealthView
  readonly nowMs: Milliseconds
}

/** The rules made ready for one request: gives the removal of a deployment, or undefined where it may serve. */
export function compileRules({
  access,
  policy,
  request,
  health,
  nowMs,
}: RuleInput): (deployment: Deployment) => Removal | undefined {
  const context: RuleContext = { access, request, health, nowMs, ...policyContext(policy) }
  return (deployment) => {
    for (const { rule, objection } of RULES) {
      const detail = objection(deployment, context)
      if (detail !== undefined) return { deployment, rule, detail }
    }
    return undefined
  }
}

/** Whether the policy leaves a deployment to anybody, whatever is asked of it. */
export function compilePolicyRules(policy: EffectivePolicy): (deployment: Deployment) => boolean {
  const context = policyContext(policy)
  return (deployment) => POLICY_RULES.every(({ objection }) => objection(deployment, context) === undefined)
}

interface PolicyContext {
  readonly policy: EffectivePolicy
  readonly providers: Exclusions
  readonly models: Exclusions
  readonly countries: Exclusions
}

type RuleContext = RuleInput & PolicyContext

function policyContext(policy: EffectivePolicy): PolicyContext {
  return {
    policy,
    providers: compileExclusions(policy.excludeProviders),
    models: compileExclusions(policy.excludeModels),
    countries: compileExclusions(policy.excludeCountries),
  }
}

interface Rule<Context> {
  readonly rule: RemovalRule
  readonly objection: (deployment: Deployment, context: Context) => string | undefined
}

const POLICY_RULES: readonly Rule<PolicyContext>[] = [
  // Exclusions bind automatic choice and every backup alike.
  { rule: 'excluded-provider', objection: excludedProvider },
  // By any of the names under which somebody may know the model.
  { rule: 'excluded-model', objection: excludedModel },
  // Where compute may run: one excluded country among several is enough, and unknown is not "elsewhere".
  { rule: 'excluded-country', objection: excludedCountry },
  // The larger of input and output price; no price means no bound on the cost.
  { rule: 'cost', objection: tooDear },
  { rule: 'quality', objection: tooPoor },
]

const RULES: readonly Rule<RuleContext>[] = [
  // What the key may use. First, so that no later reason tells about a model outside of it.
  { rule: 'not-allowed', objection: notAllowed },
  ...POLICY_RULES,
  // What the request needs of a model in order to be answered at all.
  { rule: 'capability', objection: lacksCapability },
  { rule: 'capability', objection: cannotBeAsked },
  { rule: 'context-window', objection: tooSmall },
  // Last: a deployment that comes out here is one that would have served, so its cool-down is worth a retry.
  { rule: 'cooling-down', objection: coolingDown },
]

function notAllowed(deployment: Deployment, { access }: RuleContext): string | undefined {
  return isModelAllowed(access, deployment) ? undefined : 'not among the models of the virtual key'
}

function excludedProvider(deployment: Deployment, { providers }: PolicyContext): string | undefined {
  if (providers === NO_EXCLUSIONS) return undefined
  const hit = providers.find([deployment.provider.name])
  return hit === undefined ? undefined : `provider excluded by x-llm-exclude-providers or a policy: ${hit}`
}

function excludedModel({ model, provider }: Deployment, { models }: PolicyContext): string | undefined {
  if (models === NO_EXCLUSIONS) return undefined
  const hit = models.find(excludableNamesOf(provider.name, model))
  return hit === undefined ? undefined : `model excluded by x-llm-exclude-models or a policy: ${hit}`
}

function excludedCountry({ model, provider }: Deployment, { countries }: PolicyContext): string | undefined {
  if (countries === NO_EXCLUSIONS) return undefined
  if (model.countries.length === 0 && provider.countries.length === 0) {
    return 'states no country, and x-llm-exclude-countries or a policy excludes some'
  }
  const hit = countries.find(codesMeaning(model.countries)) ?? countries.find(codesMeaning(provider.countries))
  return hit === undefined ? undefined : `country excluded by x-llm-exclude-countries or a policy: ${hit}`
}

function tooDear({ model }: Deployment, { policy }: PolicyContext): string | undefined {
  const limit = policy.maxCost
  if (limit === undefined) return undefined
  if (model.pricing === undefined) return 'has no price, and x-llm-max-cost or a policy bounds it'
  const { input, output } = model.pricing
  const dearer = Math.max(input, output)
  if (dearer <= limit) return undefined
  const which = output >= input ? 'output' : 'input'
  return `${which} price ${formatPricePer1K(dearer)} above ${formatPricePer1K(limit)} USD per 1,000 tokens, the bound of x-llm-max-cost or a policy`
}

function tooPoor({ model }: Deployment, { policy }: PolicyContext): string | undefined {
  const limit = policy.minQuality
  if (limit === undefined || model.quality >= limit) return undefined
  return `quality ${model.quality} below ${limit}, the bound of x-llm-min-quality or a policy`
}

function lacksCapability({ model }: Deployment, { request }: RuleContext): string | undefined {
  const lacks = (capability: Capability): boolean => !model.capabilities.includes(capability)
  return request.needs.some(lacks) ? `lacks the capability ${request.needs.filter(lacks).join(', ')}` : undefined
}

function cannotBeAsked(deployment: Deployment, { request }: RuleContext): string | undefined {
  return request.unsayable?.(deployment)
}

/** One token of answer must fit beside the prompt. */
function tooSmall({ model }: Deployment, { request }: RuleContext): string | undefined {
  const window = model.contextWindow
  if (window === undefined || request.minPromptTokens + 1 <= window) return undefined
  return `context window of ${window} tokens, and the prompt has at least ${request.minPromptTokens}`
}

function coolingDown(deployment: Deployment, { health, nowMs }: RuleContext): string | undefined {
  const until = health.coolingDownUntil(deployment.id)
  if (until === undefined || until <= nowMs) return undefined
  if (health.failsChecks(deployment.id)) return 'the health checks of its provider fail'
  return `cooling down for ${Math.ceil((until - nowMs) / 1000)} s`
}
