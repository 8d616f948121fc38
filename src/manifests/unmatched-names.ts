/**
 * Names of providers and models in exclusions and lists of access that nothing declared bears. A slip in an exclusion lets through what
 * it should keep out; one in a list of access keeps out what it should let through.
 */
import type { ProviderResource, VirtualKeySpec } from '../domain/resources/kinds.ts'
import type { ManifestResources } from './load.ts'
import type { FieldPath } from './problem.ts'
import type { Remark } from './remark.ts'
import { exclusionsOf, type PolicyHolder } from './stated-policies.ts'
import { didYouMean } from './words.ts'

/** By resource, in the order of the manifests. A pattern (`gpt-*`) may be meant for what is still to come. */
export function unmatchedNames({ organizations, providers, virtualKeys }: ManifestResources): readonly Remark[] {
  // The names are declared elsewhere.
  if (providers.length === 0) return []
  const known = knownNames(providers)
  return [
    ...organizations.flatMap((resource) => unmatched(resource, excludedBy(resource), known)),
    ...virtualKeys.flatMap((resource) =>
      unmatched(resource, [...excludedBy(resource), ...accessOf(resource.spec)], known),
    ),
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
  /** What has been said of a name, by list: thousands of keys may list the same that is gone, and each costs a comparison with all. */
  readonly said: Map<string, string | undefined>
}

type ListKind = 'providers' | 'models' | 'excludableModels'

interface NameList {
  readonly field: FieldPath
  readonly kind: ListKind
  readonly names: readonly string[]
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
    said: new Map(),
  }
}

function excludedBy(holder: PolicyHolder): NameList[] {
  return exclusionsOf(holder).flatMap(({ field, excludes, names }): NameList[] => {
    if (excludes === 'countries') return []
    return [{ field, kind: excludes === 'models' ? 'excludableModels' : excludes, names, excludes: true }]
  })
}

function accessOf({ access }: VirtualKeySpec): NameList[] {
  const { providers = [], models = [] } = access ?? {}
  return [
    { field: ['spec', 'access', 'providers'], kind: 'providers', names: providers, excludes: false },
    { field: ['spec', 'access', 'models'], kind: 'models', names: models, excludes: false },
  ]
}

function unmatched(resource: Remark['resource'], lists: readonly NameList[], known: KnownNames): Remark[] {
  return lists.flatMap((list) =>
    list.names.flatMap((name, entry) => {
      const message = wordsOf(name, list, known)
      return message === undefined ? [] : [{ resource, field: list.field, entry, message }]
    }),
  )
}

/** Undefined: something bears the name. */
function wordsOf(name: string, { kind, excludes }: NameList, known: KnownNames): string | undefined {
  const asked = `${kind} ${excludes} ${name}`
  if (!known.said.has(asked)) {
    const fits = isKnown(excludes ? name.toLowerCase() : name, kind, known)
    known.said.set(asked, fits ? undefined : (withProvider(kind, name, known) ?? describe(kind, name, known)))
  }
  return known.said.get(asked)
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
