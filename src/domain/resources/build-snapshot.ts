/**
 * Resources to snapshot: the one place where both the operator and the standalone proxy decide what is in force.
 *
 *     organizations -> accepted ones, projects, floors
 *     providers     -> with their Secrets; unusable ones stay, switched off
 *     virtual keys  -> grant, key text, providers they may use; those not accepted or without a key are left out
 *
 * Pure: Secrets, digests and hashes come as functions, time as a number. The order of the inputs does not matter.
 */
import type { Secret } from '../secret.ts'
import { remembered } from '../remembered.ts'
import { takeAll, type Steps } from '../steps.ts'
import { SNAPSHOT_SCHEMA, type KeyDigest, type Milliseconds, type Snapshot } from '../snapshot/snapshot.ts'
import { canonicalText } from './canonical.ts'
import { condition, withReady, type ResourceConditions } from './conditions.ts'
import { isolate, type Isolated } from './isolate.ts'
import type { NamespaceResource, OrganizationResource, ProviderResource, VirtualKeyResource } from './kinds.ts'
import {
  impliedOrganization,
  resolveOrganization,
  type PatternCheck,
  type ResolvedOrganization,
} from './organizations.ts'
import { mayUseProvider, resolveProvider, type ResolvedProvider } from './providers.ts'
import type { SecretLookup } from './secret-lookup.ts'
import { namespaceLabels } from './selectors.ts'
import { resolveVirtualKeys } from './virtual-keys.ts'

export interface BuildInput {
  readonly organizations: readonly OrganizationResource[]
  readonly providers: readonly ProviderResource[]
  readonly virtualKeys: readonly VirtualKeyResource[]
  /** Labels of namespaces; one that is not listed has just its name as a label. */
  readonly namespaces: readonly NamespaceResource[]
  /**
   * Reads Secrets. A generated key's text is asked for as entry `key` of the Secret `generatedSecretName(resource)` in
   * the key's namespace, wherever the caller keeps it.
   */
  readonly secretValue: SecretLookup
  /** Where providers' Secrets are, in order: the operator's own namespace, or `tollgate-system` and `default`. */
  readonly providerNamespaces: readonly string[]
  /** HMAC-SHA256 of a key's text with the namespace's pepper, hex. */
  readonly digestOf: (text: string, namespace: string) => string
  /** Hash of a text, hex; becomes the revision. */
  readonly contentHash: (text: string) => string
  /** Digests of a key that a rotation has replaced and that are valid until their `notAfterMs`. Default: none. */
  readonly retiringDigests?: (namespace: string, name: string) => readonly KeyDigest[]
  /**
   * The digests that each key (by id) was in force with when the snapshot was built last. With them a brought key whose
   * text is replaced keeps its former one for the overlap, and a key whose Secret cannot be read stays what it was.
   * Default: none.
   */
  readonly digestsInForce?: (id: string) => readonly KeyDigest[]
  /** Judges custom masking patterns. Default: all are good. */
  readonly checkPattern?: PatternCheck
  /** For the condition `Expired` only: the snapshot carries the time itself. Default: not judged. */
  readonly nowMs?: Milliseconds
  /** In a cluster an organization must be declared; elsewhere an open `default` one is implied. Default: implied. */
  readonly requireOrganization?: boolean
  /** Organizations that the keys of one namespace may belong to, the oldest keys first. Default: any number. */
  readonly maxOrganizationsPerNamespace?: number
  /** Characters that they may take in what is published. Default: any number. */
  readonly maxKeysLengthPerNamespace?: number
}

export interface BuildOutput {
  readonly snapshot: Snapshot
  /** Hash of each entry of the snapshot, by `Kind/name`, of a virtual key `VirtualKey/<its id>`. */
  readonly revisions: ReadonlyMap<string, string>
  /** Of every declared resource (not of an implied organization), sorted by kind, namespace and name. */
  readonly conditions: readonly ResourceConditions[]
  /** Clear credentials of usable providers, by name; never part of the snapshot. */
  readonly credentials: ReadonlyMap<string, Secret>
}

/** A resource that holds what its schema forbids is refused with `InvalidSpec`; the others are not concerned. */
export function buildSnapshot(input: BuildInput): BuildOutput {
  return takeAll(buildSnapshotInSteps(input))
}

/** The same, a resource a step. */
export function* buildSnapshotInSteps(input: BuildInput): Steps<BuildOutput> {
  const organizations = yield* resolveOrganizations(input)
  const { providers, refused } = yield* resolveProviders(input)
  const keys = yield* resolveVirtualKeys(input.virtualKeys, {
    organizations: new Map(organizations.map((organization) => [organization.resource.metadata.name, organization])),
    providers,
    labelsOf: namespaceLabels(input.namespaces),
    secretValue: input.secretValue,
    digestOf: input.digestOf,
    retiringDigests: input.retiringDigests ?? (() => []),
    digestsInForce: input.digestsInForce ?? (() => []),
    maxOrganizations: input.maxOrganizationsPerNamespace ?? Infinity,
    maxLength: input.maxKeysLengthPerNamespace ?? Infinity,
    nowMs: input.nowMs,
  })
  const content = {
    organizations: organizations
      .flatMap(({ entry }) => entry ?? [])
      .toSorted((left, right) => compare(left.name, right.name)),
    providers: providers.map(({ entry }) => entry),
    virtualKeys: keys.entries.toSorted((left, right) => compare(left.id, right.id)),
  }
  const revisions = yield* revisionsOf(content, input.contentHash)
  const declared = input.organizations.length === 0 ? [] : organizations
  return {
    snapshot: { schema: SNAPSHOT_SCHEMA, revision: input.contentHash([...revisions].join('\n')), ...content },
    revisions,
    conditions: [...declared, ...providers, ...refused, ...keys.conditions.map((conditions) => ({ conditions }))]
      .map(({ conditions }) => conditions)
      .toSorted((left, right) => compare(identity(left), identity(right))),
    credentials: new Map(providers.flatMap(({ entry, credential }) => (credential ? [[entry.name, credential]] : []))),
  }
}

function* resolveOrganizations(input: BuildInput): Steps<readonly ResolvedOrganization[]> {
  const checkPattern = input.checkPattern ?? (() => undefined)
  const organizations: ResolvedOrganization[] = []
  for (const resource of declaredOrImplied(input)) {
    organizations.push(resolveOrganization(resource, checkPattern))
    yield
  }
  return organizations
}

interface ResolvedProviders {
  /** By name. */
  readonly providers: readonly ResolvedProvider[]
  readonly refused: readonly { readonly conditions: ResourceConditions }[]
}

function* resolveProviders({ providers, secretValue, providerNamespaces }: BuildInput): Steps<ResolvedProviders> {
  const outcomes: { readonly resource: ProviderResource; readonly outcome: Isolated<ResolvedProvider> }[] = []
  for (const resource of providers) {
    const outcome = isolate(() => {
      // Every key asks it; one that cannot answer must not be there to be asked.
      mayUseProvider(resource.spec, '', {})
      return resolveProvider(resource, secretValue, providerNamespaces)
    })
    outcomes.push({ resource, outcome })
    yield
  }
  return {
    providers: outcomes
      .flatMap(({ outcome }) => (outcome.type === 'understood' ? [outcome.value] : []))
      .toSorted((left, right) => compare(left.entry.name, right.entry.name)),
    refused: outcomes.flatMap(({ resource, outcome }) => {
      if (outcome.type === 'understood') return []
      const answers = [condition('Accepted', outcome.refusal)]
      return [{ conditions: withReady('Provider', resource.metadata, answers) }]
    }),
  }
}

/** Of entries, by the function that makes them. */
const hashes = new WeakMap<BuildInput['contentHash'], WeakMap<object, string>>()

function* revisionsOf(
  { organizations, providers, virtualKeys }: Pick<Snapshot, 'organizations' | 'providers' | 'virtualKeys'>,
  contentHash: BuildInput['contentHash'],
): Steps<ReadonlyMap<string, string>> {
  const known = remembered(hashes, contentHash, () => new WeakMap<object, string>())
  const hash = (entry: object): string => remembered(known, entry, () => contentHash(canonicalText(entry)))
  const revisions = new Map<string, string>()
  for (const [id, entry] of [
    ...organizations.map((one) => [`Organization/${one.name}`, one] as const),
    ...providers.map((one) => [`Provider/${one.name}`, one] as const),
    ...virtualKeys.map((one) => [`VirtualKey/${one.id}`, one] as const),
  ]) {
    revisions.set(id, hash(entry))
    yield
  }
  return revisions
}

function declaredOrImplied({
  organizations,
  requireOrganization = false,
}: BuildInput): readonly OrganizationResource[] {
  return organizations.length === 0 && !requireOrganization ? [impliedOrganization()] : organizations
}

function identity({ kind, namespace, name }: ResourceConditions): string {
  return `${kind}\n${namespace}\n${name}`
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
