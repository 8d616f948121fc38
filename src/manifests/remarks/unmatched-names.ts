/**
 * Names of providers and models in exclusions and lists of access that nothing declared bears. A slip in an exclusion lets through what
 * it should keep out; one in a list of access keeps out what it should let through.
 */
import type { ProviderResource, VirtualKeySpec } from '../../domain/resources/kinds.ts'
import { excludableNamesOf, meaningsOf } from '../../domain/routing/names.ts'
import type { Steps } from '../../domain/steps.ts'
import type { ManifestResources } from '../load.ts'
import type { FieldPath } from '../problem.ts'
import type { Remark } from './remark.ts'
import { exclusionsOf, type PolicyHolder } from './stated-policies.ts'
import { boundedDidYouMean } from '../validation/words.ts'

/**
 * By resource, in the order of the manifests, a name a step: thousands of keys may list twenty each. A pattern (`gpt-*`) may be
 * meant for what is still to come.
 */
export function* unmatchedNames({
  organizations,
  providers,
  virtualKeys,
}: ManifestResources): Steps<readonly Remark[]> {
  // The names are declared elsewhere.
  if (providers.length === 0) return []
  const known = knownNames(providers)
  const remarks: Remark[] = []
  for (const resource of organizations) yield* unmatched(resource, excludedBy(resource), known, remarks)
  for (const resource of virtualKeys)
    yield* unmatched(resource, [...excludedBy(resource), ...accessOf(resource.spec)], known, remarks)
  return remarks
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
  readonly didYouMean: ReturnType<typeof boundedDidYouMean>
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
      excludable: excludableNamesOf(metadata.name, { name, aliases, upstreamName }),
    })),
  )
  return {
    providers: new Set(providers.map(({ metadata }) => metadata.name)),
    models: new Set(models.flatMap(({ names }) => names)),
    excludableModels: new Set(models.flatMap(({ excludable }) => excludable.map((name) => name.toLowerCase()))),
    fullNames: new Set(models.flatMap(({ fullNames }) => fullNames)),
    said: new Map(),
    didYouMean: boundedDidYouMean(),
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

function* unmatched(
  resource: Remark['resource'],
  lists: readonly NameList[],
  known: KnownNames,
  remarks: Remark[],
): Steps<undefined> {
  for (const list of lists)
    for (const [entry, name] of list.names.entries()) {
      const message = wordsOf(name, list, known)
      if (message !== undefined) remarks.push({ resource, field: list.field, entry, message })
      yield
    }
}

/** Undefined: something bears the name. */
function wordsOf(name: string, { kind, excludes }: NameList, known: KnownNames): string | undefined {
  const asked = `${kind} ${excludes} ${name}`
  if (!known.said.has(asked)) {
    const fits = (excludes ? meaningsOf(name) : [name]).some((meaning) => isKnown(meaning, kind, known))
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
  if (!isProviders || beginsOne(name.slice(0, -1), known.models)) return undefined
  return `${name}: models are written without their provider here, ${model}; providers stand in spec.access.providers`
}

function beginsOne(start: string, names: ReadonlySet<string>): boolean {
  for (const name of names) if (name.startsWith(start)) return true
  return false
}

const NOTHING_IS = {
  providers: 'no Provider is named',
  models: 'no Provider has a model',
  excludableModels: 'no Provider has a model',
} as const satisfies Record<ListKind, string>

function describe(kind: ListKind, name: string, known: KnownNames): string {
  const star = name.includes('*') ? '; a star stands for any rest at the end only' : ''
  return `${NOTHING_IS[kind]} ${name}${known.didYouMean(name, [...known[kind]])}${star}`
}
