/** The models that a key may use, in its vendor's shape, plus `auto`. */
import { GatewayError } from '../../domain/errors.ts'
import { isModelAllowed, isVisibleTo } from '../../domain/routing/access.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { ListedModel } from '../adapters/adapter.ts'
import type { Caller } from './authenticate.ts'

/** Neither vendor nor manifest tells when a model was made; a constant keeps the lists the same on every call. */
const CREATED_SECONDS = 1_735_689_600

export function listModels({ configuration, key }: Caller): ListedModel[] {
  const names = new Map<string, ListedModel>()
  if (key.access.allowAuto) names.set('auto', auto)
  for (const deployment of configuration.compiled.deployments) {
    const { name, capabilities } = deployment.model
    const usable = isVisibleTo(key.access, deployment) && isModelAllowed(key.access, deployment)
    if (usable && !names.has(name) && capabilities.includes('chat')) names.set(name, listed(deployment))
  }
  return [...names.values()]
}

/** @throws {GatewayError} 404 `model_not_found`, also for models that exist and this key may not use. */
export function getModel(caller: Caller, id: string): ListedModel {
  const found = listModels(caller).find((model) => model.id === id) ?? oneProvidersModel(caller, id)
  if (found === undefined)
    throw new GatewayError('model_not_found', 'The model does not exist or is not available to this key.')
  return found
}

/** `provider/model`, the other name that a chat request may use. */
function oneProvidersModel({ configuration, key }: Caller, id: string): ListedModel | undefined {
  const deployment = configuration.compiled.deploymentsById.get(id)
  return deployment !== undefined && isVisibleTo(key.access, deployment) && isModelAllowed(key.access, deployment)
    ? { ...listed(deployment), id }
    : undefined
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
