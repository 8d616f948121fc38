/** What a virtual key may reach: by provider, which decides whether a model exists for it, and by model. */
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { KeyAccess, VirtualKeyEntry } from '../snapshot/snapshot.ts'
import { matchesName } from './names.ts'

/** Whether the key may use the deployment. */
export function isAllowed(deployment: Deployment, key: VirtualKeyEntry): boolean {
  return isVisibleTo(key.access, deployment) && isModelAllowed(key.access, deployment)
}

/** Whether the key reaches the deployment's provider at all. Where it does not, the model does not exist for the key. */
export function isVisibleTo(access: KeyAccess, deployment: Deployment): boolean {
  return access.providers.includes(deployment.provider.name)
}

/** Whether one of the deployment's public names is on the key's list of models. An empty list allows all. */
export function isModelAllowed(access: KeyAccess, deployment: Deployment): boolean {
  if (access.models.length === 0) return true
  const { name, aliases } = deployment.model
  return access.models.some(
    (pattern) => matchesName(pattern, name) || aliases.some((alias) => matchesName(pattern, alias)),
  )
}
