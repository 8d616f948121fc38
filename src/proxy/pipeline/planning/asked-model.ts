/** Whether a deployment is the model that a client asked for. */
import { isUpstreamName } from '../../../domain/formats/named-model.ts'
import { AUTO_MODEL, publicNamesOf } from '../../../domain/routing/names.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'

/** By one of the names that the manifests give it; whoever leaves the choice has asked for any. */
export function isAskedFor(deployment: Deployment, model: string | undefined): boolean {
  if (model === undefined || model === AUTO_MODEL) return true
  const names = publicNamesOf(deployment)
  return names.includes(model) || names.some((name) => `${deployment.provider.name}/${name}` === model)
}

/** By its vendor's own name: what is asked of it is then the vendor's to refuse. */
export function isAskedForItself({ model, provider }: Deployment, name: string | undefined): boolean {
  return isUpstreamName(name, { model: model.upstreamName, provider: provider.name })
}
