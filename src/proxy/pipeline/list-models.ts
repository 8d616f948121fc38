/** The models that a key may use through an adapter, plus `auto`. */
import { GatewayError } from '../../domain/errors.ts'
import { isAllowed } from '../../domain/routing/access.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { ClientAdapter, ListedModel } from '../adapters/adapter.ts'
import type { Caller } from './authenticate.ts'
import { speaksEmbeddings } from './plan-embeddings.ts'

/** Neither vendor nor manifest tells when a model was made; a constant keeps the lists the same on every call. */
const CREATED_SECONDS = 1_735_689_600

export function listModels({ configuration, key }: Caller, adapter: ClientAdapter): ListedModel[] {
  const names = new Map<string, ListedModel>()
  if (key.access.allowAuto) names.set('auto', auto)
  for (const deployment of configuration.compiled.deployments) {
    const { name } = deployment.model
    if (!names.has(name) && isAllowed(deployment, key) && canServe(deployment, adapter)) {
      names.set(name, listed(deployment))
    }
  }
  return [...names.values()]
}

/**
 * The model by a name that a request may use: one of the list, an alias, or `provider/model`.
 * @throws {GatewayError} 404 `model_not_found`, also for models that exist and this key may not use.
 */
export function getModel(caller: Caller, adapter: ClientAdapter, id: string): ListedModel {
  const found = listModels(caller, adapter).find((model) => model.id === id) ?? byOtherName(caller, adapter, id)
  if (found === undefined)
    throw new GatewayError('model_not_found', 'The model does not exist or is not available to this key.')
  return found
}

function byOtherName({ configuration, key }: Caller, adapter: ClientAdapter, id: string): ListedModel | undefined {
  const { deploymentsByModel, deploymentsById } = configuration.compiled
  const pinned = deploymentsById.get(id)
  const named = [...(deploymentsByModel.get(id) ?? []), ...(pinned === undefined ? [] : [pinned])]
  const deployment = named.find((candidate) => isAllowed(candidate, key) && canServe(candidate, adapter))
  return deployment === undefined ? undefined : { ...listed(deployment), id }
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

function listed({ provider, model }: Deployment): ListedModel {
  return {
    id: model.name,
    ownedBy: provider.name,
    displayName: model.name,
    created: CREATED_SECONDS,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
  }
}
