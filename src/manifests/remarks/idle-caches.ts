/** Semantic caches that find nothing, without a word: without the exact cache, or without a model that embeds questions. */
import type { CacheSpec, OrganizationSpec, ProviderResource, VirtualKeySpec } from '../../domain/resources/kinds.ts'
import type { ProviderType } from '../../domain/snapshot/snapshot.ts'
import type { Steps } from '../../domain/steps.ts'
import type { ManifestResources } from '../load.ts'
import type { FieldPath } from '../problem.ts'
import type { Remark } from './remark.ts'
import { statedPolicies } from './stated-policies.ts'
import { boundedDidYouMean } from '../validation/words.ts'

/** Types that are asked for embeddings: those of OpenAI's format. */
export const EMBEDDING_TYPES: ReadonlySet<ProviderType> = new Set(['OpenAI', 'AzureOpenAI', 'OpenAICompatible'])

/** By resource, in the order of the manifests, a cache a step: thousands of keys may name a model that is none. */
export function* idleCaches(resources: ManifestResources): Steps<readonly Remark[]> {
  const models = resources.providers.length === 0 ? undefined : embeddingModels(resources.providers)
  const remarks: Remark[] = []
  for (const { resource, field, levels } of cachesOf(resources)) {
    for (const { name, message } of [...switchFaults(levels, models), ...modelFaults(levels, models)])
      remarks.push({ resource, field: [...field, 'cache', 'semantic', name], message })
    yield
  }
  return remarks
}

interface StatedCache {
  readonly resource: Remark['resource']
  /** Of the policies that state it. */
  readonly field: FieldPath
  /** What it states itself, then what it takes its other fields from, the nearest first. */
  readonly levels: readonly (CacheSpec | undefined)[]
}

interface CacheFault {
  /** Field of `cache.semantic`. */
  readonly name: 'enabled' | 'model'
  readonly message: string
}

function cachesOf({ organizations, virtualKeys }: ManifestResources): StatedCache[] {
  const byName = new Map(organizations.map(({ metadata, spec }) => [metadata.name, spec]))
  return [...organizations, ...virtualKeys].flatMap((resource) => {
    const outer =
      resource.kind === 'Organization' ? [resource.spec.defaults?.cache] : levelsAbove(resource.spec, byName)
    return statedPolicies(resource).map(({ field, policies }) => ({
      resource,
      field,
      levels: [policies?.cache, ...outer],
    }))
  })
}

function levelsAbove(
  { organizationRef, project }: VirtualKeySpec,
  organizations: ReadonlyMap<string, OrganizationSpec>,
): StatedCache['levels'] {
  const organization = organizations.get(organizationRef.name)
  return organization === undefined ? [] : [cacheOfProject(project, organization), organization.defaults?.cache]
}

/** Without a project, of the one that a grant may give the key: which grant does so is not known here, so the kindest. */
function cacheOfProject(
  stated: string | undefined,
  { grants = [], projects = [], defaults }: OrganizationSpec,
): CacheSpec | undefined {
  const given = grants.map(({ projects: listed = [] }) => (listed.length === 1 ? listed[0] : undefined))
  const names = stated === undefined ? given : [stated]
  const caches = names.map((own) => projects.find(({ name }) => name === own)?.defaults?.cache)
  const isOn = (cache: CacheSpec | undefined) => (cache?.exact?.enabled ?? defaults?.cache?.exact?.enabled) !== false
  return caches[Math.max(0, caches.findIndex(isOn))]
}

interface EmbeddingModels {
  /** Public names, also with the provider before them. */
  readonly names: ReadonlySet<string>
  /** Of types that are not asked, by name. */
  readonly unasked: ReadonlyMap<string, ProviderType>
  /** Why a name finds nothing: each costs a comparison with all. */
  readonly said: Map<string, string>
  readonly didYouMean: ReturnType<typeof boundedDidYouMean>
}

/** Undefined models: they are declared elsewhere. */
type KnownModels = EmbeddingModels | undefined

function embeddingModels(providers: readonly ProviderResource[]): EmbeddingModels {
  const named = providers.flatMap(({ metadata, spec }) =>
    spec.models
      .filter(({ capabilities }) => capabilities.includes('embeddings'))
      .flatMap(({ name, aliases = [] }) => [name, ...aliases])
      .flatMap((name) => [name, `${metadata.name}/${name}`])
      .map((name) => [name, spec.type] as const),
  )
  return {
    names: new Set(named.flatMap(([name, type]) => (EMBEDDING_TYPES.has(type) ? [name] : []))),
    unasked: new Map(named.filter(([, type]) => !EMBEDDING_TYPES.has(type))),
    said: new Map(),
    didYouMean: boundedDidYouMean(),
  }
}

function switchFaults(levels: StatedCache['levels'], models: KnownModels): CacheFault[] {
  if (levels[0]?.semantic?.enabled !== true) return []
  const exact = levels.map((level) => level?.exact?.enabled).find((enabled) => enabled !== undefined)
  if (exact === false)
    return [{ name: 'enabled', message: 'needs the exact cache, which exact.enabled false switches off' }]
  const model = levels.map((level) => level?.semantic?.model).find((name) => name !== undefined) ?? 'auto'
  if (models === undefined || models.names.size > 0 || model !== 'auto') return []
  const unasked = models.unasked.size === 0 ? '' : ` and a type that is asked for them (${askedTypes()})`
  return [{ name: 'enabled', message: `no Provider has a model with the capability embeddings${unasked}` }]
}

function modelFaults([own]: StatedCache['levels'], models: KnownModels): CacheFault[] {
  const name = own?.semantic?.model ?? 'auto'
  if (models === undefined || name === 'auto' || models.names.has(name)) return []
  const message = models.said.get(name) ?? whyIdle(name, models)
  models.said.set(name, message)
  return [{ name: 'model', message }]
}

function whyIdle(name: string, { names, unasked, didYouMean }: EmbeddingModels): string {
  const type = unasked.get(name)
  if (type !== undefined)
    return `${name} is of a Provider of type ${type}; asked for embeddings are ${askedTypes()} only`
  return `no Provider has a model with the capability embeddings named ${name}${didYouMean(name, [...names])}`
}

function askedTypes(): string {
  return [...EMBEDDING_TYPES].join(', ')
}
