/**
 * Names in exclusions, lists of access and the semantic cache that nothing declared bears. A slip in an exclusion lets through what it
 * should keep out; one in a list of access keeps out what it should let through; one of the cache finds no answer, without a word.
 */
import type { OrganizationSpec, PoliciesSpec, ProviderResource, VirtualKeySpec } from '../domain/resources/kinds.ts'
import type { ManifestResources } from './load.ts'
import { didYouMean } from './words.ts'

export interface UnmatchedName {
  readonly resource: ManifestResources['organizations' | 'virtualKeys'][number]
  /** `spec.access.models: no Provider has a model gtp-4o, did you mean gpt-4o?` */
  readonly message: string
}

/** By resource, in the order of the manifests. A pattern (`gpt-*`) may be meant for what is still to come. */
export function unmatchedNames({ organizations, providers, virtualKeys }: ManifestResources): readonly UnmatchedName[] {
  // The names are declared elsewhere.
  if (providers.length === 0) return []
  const known = knownNames(providers)
  return [
    ...organizations.flatMap((resource) => unmatched(resource, listsOfOrganization(resource.spec), known)),
    ...virtualKeys.flatMap((resource) => unmatched(resource, listsOfKey(resource.spec), known)),
  ]
}

interface KnownNames {
  readonly providers: ReadonlySet<string>
  /** Public names. */
  readonly models: ReadonlySet<string>
  /** All by which an exclusion may mean a model, in lower case. */
  readonly excludableModels: ReadonlySet<string>
  /** Public names, also with the provider before them, of models with that capability, and `auto`. */
  readonly embeddingModels: ReadonlySet<string>
}

interface NameList {
  readonly path: string
  readonly kind: keyof KnownNames
  readonly names: readonly string[] | undefined
  /** Exclusions go by names in whatever case. */
  readonly excludes: boolean
}

function knownNames(providers: readonly ProviderResource[]): KnownNames {
  const models = providers.flatMap(({ metadata, spec }) =>
    spec.models.map(({ name, aliases = [], upstreamName = name, capabilities }) => ({
      names: [name, ...aliases],
      fullNames: [name, ...aliases].map((own) => `${metadata.name}/${own}`),
      upstreamName,
      embeds: capabilities.includes('embeddings'),
    })),
  )
  const excludable = models.flatMap(({ names, fullNames, upstreamName }) => [...names, upstreamName, ...fullNames])
  const embedding = models.filter(({ embeds }) => embeds).flatMap(({ names, fullNames }) => [...names, ...fullNames])
  return {
    providers: new Set(providers.map(({ metadata }) => metadata.name)),
    models: new Set(models.flatMap(({ names }) => names)),
    excludableModels: new Set(excludable.map((name) => name.toLowerCase())),
    embeddingModels: new Set(['auto', ...embedding]),
  }
}

function listsOfOrganization({ defaults, compliance, projects = [] }: OrganizationSpec): NameList[] {
  return [
    ...listsOfPolicies('spec.defaults', defaults),
    excluded('spec.compliance.deniedProviders', 'providers', compliance?.deniedProviders),
    excluded('spec.compliance.deniedModels', 'excludableModels', compliance?.deniedModels),
    ...projects.flatMap((project, index) => listsOfPolicies(`spec.projects[${index}].defaults`, project.defaults)),
  ]
}

function listsOfKey({ policies, access }: VirtualKeySpec): NameList[] {
  return [
    ...listsOfPolicies('spec.policies', policies),
    { path: 'spec.access.providers', kind: 'providers', names: access?.providers, excludes: false },
    { path: 'spec.access.models', kind: 'models', names: access?.models, excludes: false },
  ]
}

function listsOfPolicies(path: string, policies: PoliciesSpec = {}): NameList[] {
  return [
    excluded(`${path}.excludeProviders`, 'providers', policies.excludeProviders),
    excluded(`${path}.excludeModels`, 'excludableModels', policies.excludeModels),
    embeddingModel(`${path}.cache.semantic.model`, policies.cache?.semantic?.model),
  ]
}

function excluded(path: string, kind: keyof KnownNames, names: NameList['names']): NameList {
  return { path, kind, names, excludes: true }
}

function embeddingModel(path: string, name: string | undefined): NameList {
  return { path, kind: 'embeddingModels', names: name === undefined ? [] : [name], excludes: false }
}

function unmatched(
  resource: UnmatchedName['resource'],
  lists: readonly NameList[],
  known: KnownNames,
): UnmatchedName[] {
  return lists.flatMap(({ path, kind, names = [], excludes }) =>
    names
      .filter((name) => !isPattern(kind, name) && !known[kind].has(excludes ? name.toLowerCase() : name))
      .map((name) => ({ resource, message: `${path}: ${describe(kind, name, known[kind])}` })),
  )
}

function isPattern(kind: keyof KnownNames, name: string): boolean {
  return kind !== 'embeddingModels' && name.indexOf('*') === name.length - 1 && name !== ''
}

const NOTHING_IS = {
  providers: 'no Provider is named',
  models: 'no Provider has a model',
  excludableModels: 'no Provider has a model',
  embeddingModels: 'no Provider has a model with the capability embeddings named',
} as const satisfies Record<keyof KnownNames, string>

function describe(kind: keyof KnownNames, name: string, known: ReadonlySet<string>): string {
  const star = name.includes('*') && kind !== 'embeddingModels' ? '; a star stands for any rest at the end only' : ''
  return `${NOTHING_IS[kind]} ${name}${didYouMean(name, [...known])}${star}`
}
