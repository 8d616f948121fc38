/**
 * Names of providers and models in exclusions and lists of access that nothing declared bears. A slip in an exclusion lets through what
 * it should keep out; one in a list of access keeps out what it should let through.
 */
import type { OrganizationSpec, PoliciesSpec, ProviderResource, VirtualKeySpec } from '../domain/resources/kinds.ts'
import type { ManifestResources } from './load.ts'
import type { Remark } from './remark.ts'
import { didYouMean } from './words.ts'

/** By resource, in the order of the manifests. A pattern (`gpt-*`) may be meant for what is still to come. */
export function unmatchedNames({ organizations, providers, virtualKeys }: ManifestResources): readonly Remark[] {
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
  /** Public names with the provider before them. */
  readonly fullNames: ReadonlySet<string>
}

type ListKind = 'providers' | 'models' | 'excludableModels'

interface NameList {
  readonly path: string
  readonly kind: ListKind
  readonly names: readonly string[] | undefined
  /** Exclusions go by names in whatever case. */
  readonly excludes: boolean
}

function knownNames(providers: readonly ProviderResource[]): KnownNames {
  const models = providers.flatMap(({ metadata, spec }) =>
    spec.models.map(({ name, aliases = [], upstreamName = name }) => ({
      names: [name, ...aliases],
      fullNames: [name, ...aliases].map((own) => `${metadata.name}/${own}`),
      upstreamName,
    })),
  )
  const excludable = models.flatMap(({ names, fullNames, upstreamName }) => [...names, upstreamName, ...fullNames])
  return {
    providers: new Set(providers.map(({ metadata }) => metadata.name)),
    models: new Set(models.flatMap(({ names }) => names)),
    excludableModels: new Set(excludable.map((name) => name.toLowerCase())),
    fullNames: new Set(models.flatMap(({ fullNames }) => fullNames)),
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
  ]
}

function excluded(path: string, kind: ListKind, names: NameList['names']): NameList {
  return { path, kind, names, excludes: true }
}

function unmatched(resource: Remark['resource'], lists: readonly NameList[], known: KnownNames): Remark[] {
  return lists.flatMap(({ path, kind, names = [], excludes }) =>
    names
      .filter((name) => !isKnown(excludes ? name.toLowerCase() : name, kind, known))
      .map((name) => ({
        resource,
        message: `${path}: ${withProvider(kind, name, known) ?? describe(kind, name, known)}`,
      })),
  )
}

/** A pattern may be for what is still to come, unless it can only be a slip. */
function isKnown(name: string, kind: ListKind, known: KnownNames): boolean {
  const isPattern = name.indexOf('*') === name.length - 1 && name !== ''
  return known[kind].has(name) || (isPattern && withProvider(kind, name, known) === undefined)
}

/** Access goes by the names of models alone, which may have a slash of their own. */
function withProvider(kind: ListKind, name: string, known: KnownNames): string | undefined {
  if (kind !== 'models') return undefined
  const slash = name.indexOf('/')
  const model = name.slice(slash + 1)
  if (known.fullNames.has(name)) return `${name} is written without its provider here: ${model}`
  const isProviders = model.endsWith('*') && known.providers.has(name.slice(0, Math.max(0, slash)))
  if (!isProviders || [...known.models].some((one) => one.startsWith(name.slice(0, -1)))) return undefined
  return `${name}: models are written without their provider here, ${model}; providers stand in spec.access.providers`
}

const NOTHING_IS = {
  providers: 'no Provider is named',
  models: 'no Provider has a model',
  excludableModels: 'no Provider has a model',
} as const satisfies Record<ListKind, string>

function describe(kind: ListKind, name: string, known: KnownNames): string {
  const star = name.includes('*') ? '; a star stands for any rest at the end only' : ''
  return `${NOTHING_IS[kind]} ${name}${didYouMean(name, [...known[kind]])}${star}`
}
