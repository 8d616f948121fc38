/**
 * Models without a price that a blocking budget takes out of every route: `canAfford`, asked of the snapshot that all of the
 * manifests would make were every Secret there. A budget is a key's own, its project's, its organization's, or a grant's ceiling.
 */
import { quotaPlanOf } from '../../domain/quota/limits.ts'
import { canAfford } from '../../domain/quota/unpriced.ts'
import { buildSnapshot } from '../../domain/resources/build-snapshot.ts'
import type { VirtualKeyResource } from '../../domain/resources/kinds.ts'
import { namespacedName } from '../../domain/resources/namespaced-name.ts'
import type { SecretLookup } from '../../domain/resources/secret-lookup.ts'
import { isAllowed } from '../../domain/routing/access.ts'
import { answersTo } from '../../domain/routing/names.ts'
import { Secret } from '../../domain/secret.ts'
import { compileSnapshot, type Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { ManifestResources } from '../load.ts'
import { STANDALONE_PROVIDER_NAMESPACES } from '../provider-namespaces.ts'
import type { Remark } from './remark.ts'
import { secretLookup } from '../secrets.ts'

const CURE = '(price it, with "0" where it is free)'

/** Of Providers the models that no key can use, then of keys the further ones: by resource, in the order of the manifests. */
export function unpricedModels(resources: ManifestResources): readonly Remark[] {
  const reaches = reachesOf(resources)
  const usable = new Set(
    reaches.flatMap(({ priced, unpriced, isUnderBudget }) => (isUnderBudget ? priced : [...priced, ...unpriced])),
  )
  const unusable = reaches.flatMap(({ unpriced }) => unpriced).filter((deployment) => !usable.has(deployment))
  return [...ofProviders(resources, unusable), ...ofKeys(resources, reaches, usable)]
}

/** What a key may use. */
interface Reach {
  /** `namespace/name`. */
  readonly id: string
  readonly isUnderBudget: boolean
  readonly priced: readonly Deployment[]
  readonly unpriced: readonly Deployment[]
}

function reachesOf({ organizations, providers, virtualKeys, namespaces, secrets }: ManifestResources): Reach[] {
  const { snapshot } = buildSnapshot({
    organizations,
    providers,
    virtualKeys,
    namespaces,
    secretValue: asIfThere(secretLookup(secrets)),
    providerNamespaces: STANDALONE_PROVIDER_NAMESPACES,
    digestOf: (text) => text,
    contentHash: () => '',
  })
  const compiled = compileSnapshot(snapshot)
  return snapshot.virtualKeys.map((key) => {
    const plan = quotaPlanOf(key, compiled.projectOf(key), compiled.organizations.get(key.organization))
    const allowed = compiled.deployments.filter((deployment) => isAllowed(deployment, key))
    const { priced = [], unpriced = [] } = Object.groupBy(allowed, ({ model }) =>
      model.pricing === undefined ? 'unpriced' : 'priced',
    )
    return { id: key.id, isUnderBudget: unpriced.some((deployment) => !canAfford(deployment, plan)), priced, unpriced }
  })
}

/** Which vendors' keys the environment has must not decide what is said of models. */
function asIfThere(lookup: SecretLookup): SecretLookup {
  return (namespace, name, key) => {
    const found = lookup(namespace, name, key)
    const text = `${namespace}/${name}/${key}`.padEnd(64, '.')
    return found.type === 'value' ? found : { type: 'value', secret: new Secret(text) }
  }
}

function ofProviders({ providers }: ManifestResources, unusable: readonly Deployment[]): Remark[] {
  const ids = new Set(unusable.map(({ id }) => id))
  return providers.flatMap((resource) =>
    resource.spec.models.flatMap(({ name }, index) => {
      if (!ids.has(`${resource.metadata.name}/${name}`)) return []
      const message = `${name} has no pricing, and a blocking budget applies to every key that may use it: it is not used ${CURE}`
      return [{ resource, field: ['spec', 'models', index], message }]
    }),
  )
}

function ofKeys(
  { virtualKeys }: ManifestResources,
  reaches: readonly Reach[],
  usable: ReadonlySet<Deployment>,
): Remark[] {
  const byId = new Map(reaches.map((reach) => [reach.id, reach]))
  return virtualKeys.flatMap((resource) => {
    const reach = byId.get(namespacedName(resource.metadata))
    // What no key can use is told of at its Provider.
    if (reach?.isUnderBudget !== true || !reach.unpriced.some((deployment) => usable.has(deployment))) return []
    if (reach.priced.length > 0) return listedInVain(resource, reach, usable)
    const message = `a blocking budget applies, and no model that the key may use has pricing: every call is refused as unpriced_model ${CURE}`
    return [{ resource, field: ['spec'], message }]
  })
}

function listedInVain(
  resource: VirtualKeyResource,
  { priced, unpriced }: Reach,
  usable: ReadonlySet<Deployment>,
): Remark[] {
  const isVain = (name: string): boolean => {
    const answers = (deployment: Deployment): boolean => answersTo(deployment, name)
    return !priced.some(answers) && unpriced.some((deployment) => answers(deployment) && usable.has(deployment))
  }
  return (resource.spec.access?.models ?? []).flatMap((name, entry) => {
    if (!isVain(name)) return []
    const message = `${name} has no pricing, and a blocking budget applies to the key: it is not used ${CURE}`
    return [{ resource, field: ['spec', 'access', 'models'], entry, message }]
  })
}
