/** The models that a key may use through an adapter, under the policy of the request that asks, and `auto` where there are any. */
import { nearest } from '../../../domain/nearest-name.ts'
import { canAfford } from '../../../domain/quota/unpriced.ts'
import { isAllowed } from '../../../domain/routing/access.ts'
import { compilePolicyRules } from '../../../domain/routing/rules.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { ClientAdapter, ListedModel } from '../../adapters/adapter.ts'
import { limitsOfCaller } from '../admit.ts'
import { speaksEmbeddings } from '../embeddings/plan-embeddings.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'

/** Neither vendor nor manifest tells when a model was made; a constant keeps the lists the same on every call. */
const CREATED_SECONDS = 1_735_689_600

/** Names that a wrong one is compared with: ten milliseconds, where all of them begin alike. */
const MAX_COMPARED = 5_000

export function listModels(caller: GovernedCaller, adapter: ClientAdapter): ListedModel[] {
  const { configuration, key } = caller
  const mayServe = servingRule(caller, adapter)
  const names = new Map<string, ListedModel>()
  for (const deployment of configuration.compiled.deployments) {
    const { name } = deployment.model
    if (!names.has(name) && mayServe(deployment)) {
      names.set(name, listedModel(deployment))
    }
  }
  const listed = [...names.values()]
  return key.access.allowAuto && listed.length > 0 ? [auto, ...listed] : listed
}

/**
 * The model by a name that a request may use: one of the list, an alias, or `provider/model`. Undefined: there is none, or this key
 * may not use it.
 */
export function findModel(caller: GovernedCaller, adapter: ClientAdapter, id: string): ListedModel | undefined {
  return listModels(caller, adapter).find((model) => model.id === id) ?? byOtherName(caller, adapter, id)
}

/**
 * The name of the list that is nearest to a wrong one. Whether it is on the list is asked of names that are near only: to make
 * the list of thousands of models takes as long as to compare them all.
 */
export function nearestModel(caller: GovernedCaller, adapter: ClientAdapter, wrong: string): string | undefined {
  const { deployments, deploymentsByModel } = caller.configuration.compiled
  const mayServe = servingRule(caller, adapter)
  const isListed = (name: string): boolean =>
    deploymentsByModel.get(name)?.some((deployment) => deployment.model.name === name && mayServe(deployment)) === true
  const mayTell = (name: string): boolean =>
    isListed(name) || (name === auto.id && caller.key.access.allowAuto && deployments.some(mayServe))
  const names = new Set([auto.id, ...deployments.map(({ model }) => model.name)])
  return nearest(wrong, [...names].slice(0, MAX_COMPARED), mayTell)
}

function byOtherName(caller: GovernedCaller, adapter: ClientAdapter, id: string): ListedModel | undefined {
  const { deploymentsByModel, deploymentsById } = caller.configuration.compiled
  const pinned = deploymentsById.get(id)
  const named = [...(deploymentsByModel.get(id) ?? []), ...(pinned === undefined ? [] : [pinned])]
  const deployment = named.find(servingRule(caller, adapter))
  return deployment === undefined ? undefined : { ...listedModel(deployment), id }
}

/** Whether a call of this key, with the control headers of this request, may be answered there. */
function servingRule(caller: GovernedCaller, adapter: ClientAdapter): (deployment: Deployment) => boolean {
  const isLeft = compilePolicyRules(caller.policy)
  const quotas = limitsOfCaller(caller)
  return (deployment) =>
    isAllowed(deployment, caller.key) &&
    isLeft(deployment) &&
    canAfford(deployment, quotas) &&
    canServe(deployment, adapter)
}

/** Whether one of the adapter's calls can be sent there: models for embeddings are of use to its clients only where it has that call. */
function canServe(deployment: Deployment, { routes }: ClientAdapter): boolean {
  const { capabilities } = deployment.model
  if (capabilities.includes('chat')) return true
  const embeds = capabilities.includes('embeddings') && speaksEmbeddings(deployment)
  return embeds && routes.some(({ operation }) => operation === 'embeddings')
}

const auto: ListedModel = {
  id: 'auto',
  ownedBy: 'tollgate',
  displayName: 'Automatic choice',
  created: CREATED_SECONDS,
  contextWindow: undefined,
  maxOutputTokens: undefined,
}

function listedModel({ provider, model }: Deployment): ListedModel {
  return {
    id: model.name,
    ownedBy: provider.name,
    displayName: model.name,
    created: CREATED_SECONDS,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
  }
}
