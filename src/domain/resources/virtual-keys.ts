/** VirtualKey manifests to snapshot entries. Older keys go first: they keep their place where two are in each other's way. */
import type { Steps } from '../steps.ts'
import { virtualKey } from '../snapshot/entry-shapes.ts'
import type { KeyDigest, VirtualKeyEntry } from '../snapshot/snapshot.ts'
import { condition, withReady, type Refusal, type ResourceConditions } from './conditions.ts'
import { applyGrants, type GrantOutcome, type KeyCounts } from './grants.ts'
import { isolate, readable } from './isolate.ts'
import { digestsOfKey, withoutMovedDigests, type KeyText } from './key-digests.ts'
import type { VirtualKeyResource } from './kinds.ts'
import { namespacedName } from './namespaced-name.ts'
import type { ResolvedOrganization } from './organizations.ts'
import { toLimits, toPolicySettings } from './policies.ts'
import { remembered, sameAsBefore } from '../remembered.ts'
import { present } from './present.ts'
import { mayUseProvider, type ResolvedProvider } from './providers.ts'
import { resolveOwnSecret, resolveSecret, type SecretLookup } from './secret-lookup.ts'

/** Shortest key text that a person may bring, in characters. */
export const MIN_KEY_LENGTH = 32

const lastEntries = new WeakMap<VirtualKeyResource, VirtualKeyEntry>()
/** That readers of the snapshot take. */
const readEntries = new WeakSet<VirtualKeyEntry>()

/** What a header can carry. */
const HEADER_TEXT = /^[\x21-\x7e]+$/

export interface KeyContext {
  readonly organizations: ReadonlyMap<string, ResolvedOrganization>
  readonly providers: readonly ResolvedProvider[]
  readonly labelsOf: (namespace: string) => Readonly<Record<string, string>>
  readonly secretValue: SecretLookup
  readonly digestOf: (text: string, namespace: string) => string
  /** Digests that stay valid for a while after a rotation. */
  readonly retiringDigests: (namespace: string, name: string) => readonly KeyDigest[]
  /** As the key was published last, by its id. */
  readonly digestsInForce: (id: string) => readonly KeyDigest[]
  /** Organizations that the keys of one namespace may belong to. */
  readonly maxOrganizations: number
  /** Characters that the keys of one namespace may take, as a JSON text in a JSON text. */
  readonly maxLength: number
  /** For `Expired`, and the end of former digests; undefined: not judged. */
  readonly nowMs: number | undefined
}

/** What the keys that were judged before have taken up. Owned by one build. */
interface TakenUp {
  readonly keys: KeyCounts
  /** By namespace. */
  readonly organizations: Map<string, Set<string>>
  /** By namespace. */
  readonly lengths: Map<string, number>
}

export interface ResolvedKeys {
  readonly entries: readonly VirtualKeyEntry[]
  readonly conditions: readonly ResourceConditions[]
}

/** All keys. One with an amount or duration that is malformed (the schemas prevent it) is refused as `InvalidSpec`. */
export function* resolveVirtualKeys(
  resources: readonly VirtualKeyResource[],
  context: KeyContext,
): Steps<ResolvedKeys> {
  const entries: VirtualKeyEntry[] = []
  const conditions: ResourceConditions[] = []
  const taken: TakenUp = { keys: new Map(), organizations: new Map(), lengths: new Map() }
  const owners = new Map<string, string>()
  for (const resource of [...resources].toSorted(byAge)) {
    yield
    const understood = isolate(() => resolveKey(resource, context, taken, owners))
    if (understood.type === 'refused') {
      const answers = [condition('Accepted', understood.refusal)]
      conditions.push(withReady('VirtualKey', resource.metadata, answers))
      continue
    }
    const { outcome, text, entry } = understood.value
    if (entry !== undefined) entries.push(entry)
    if (outcome.type === 'granted' && text.type === 'text') owners.set(text.text, namespacedName(resource.metadata))
    conditions.push(describe(resource, outcome, text, context.nowMs))
  }
  return { entries: withoutMovedDigests(entries), conditions }
}

function resolveKey(
  resource: VirtualKeyResource,
  context: KeyContext,
  taken: TakenUp,
  owners: ReadonlyMap<string, string>,
): { readonly outcome: GrantOutcome; readonly text: KeyText; readonly entry: VirtualKeyEntry | undefined } {
  const outcome = accept(resource, context, taken)
  const text = readKeyText(resource, context.secretValue, owners)
  const digests = outcome.type === 'granted' ? digestsOfKey(resource, text, context) : []
  if (outcome.type !== 'granted' || digests.length === 0) return { outcome, text, entry: undefined }
  const entry = toEntry(resource, outcome, digests, context)
  const { namespace } = resource.metadata
  const length = (taken.lengths.get(namespace) ?? 0) + lengthOf(entry)
  if (length > context.maxLength) {
    const message = `the keys of namespace ${namespace} take more than the ${context.maxLength} characters that sidecars read: there are too many, or their lists are too long`
    return { outcome: notAccepted('TooManyKeys', message), text, entry: undefined }
  }
  taken.lengths.set(namespace, length)
  return { outcome, text, entry }
}

function lengthOf(entry: VirtualKeyEntry): number {
  // With the comma.
  return remembered(lengths, entry, () => JSON.stringify(JSON.stringify(entry)).length - 1)
}

const lengths = new WeakMap<VirtualKeyEntry, number>()

function accept(resource: VirtualKeyResource, context: KeyContext, taken: TakenUp): GrantOutcome {
  const { name } = resource.spec.organizationRef
  const { namespace } = resource.metadata
  const organization = context.organizations.get(name)
  if (organization === undefined) return notAccepted('OrganizationNotFound', `organization ${name} not found`)
  if (organization.entry === undefined)
    return notAccepted('OrganizationNotAccepted', `organization ${name} is not accepted`)
  const others = taken.organizations.get(namespace) ?? new Set<string>()
  if (!others.has(name) && others.size >= context.maxOrganizations) {
    const message = `the keys of namespace ${namespace} belong to ${context.maxOrganizations} organizations already`
    return notAccepted('TooManyOrganizations', message)
  }
  const outcome = applyGrants(resource, organization.resource, context.labelsOf(namespace), taken.keys)
  if (outcome.type === 'granted') taken.organizations.set(namespace, others.add(name))
  return outcome
}

function notAccepted(reason: Refusal['reason'], message: string): GrantOutcome {
  return { type: 'refused', refusal: { reason, message } }
}

function readKeyText(resource: VirtualKeyResource, lookup: SecretLookup, owners: ReadonlyMap<string, string>): KeyText {
  const { namespace, name } = resource.metadata
  const { secretRef } = resource.spec.key
  const found =
    secretRef === undefined ? resolveOwnSecret(lookup, namespace, name) : resolveSecret(lookup, [namespace], secretRef)
  if (found.type === 'refused') return found
  // A trailing newline comes from how people make Secrets and cannot be part of a header.
  const text = found.secret.reveal().trim()
  const weakness = weaknessOf(text)
  if (weakness !== undefined) return refusedText('WeakKey', weakness)
  const owner = owners.get(text)
  return owner === undefined ? { type: 'text', text } : refusedText('DuplicateKey', sameKey(owner, resource))
}

/** Why a text can be no key. */
export function weaknessOf(text: string): string | undefined {
  if (text.length < MIN_KEY_LENGTH) return `the key has fewer than ${MIN_KEY_LENGTH} characters`
  return HEADER_TEXT.test(text) ? undefined : 'the key has characters that an HTTP header cannot carry'
}

/** An owner of another namespace is not named: it may belong to another tenant. */
function sameKey(owner: string, { metadata }: VirtualKeyResource): string {
  const isNeighbour = owner.startsWith(`${metadata.namespace}/`)
  return `${isNeighbour ? `VirtualKey ${owner}` : 'another VirtualKey'} has the same key`
}

function refusedText(reason: Refusal['reason'], message: string): KeyText {
  return { type: 'refused', refusal: { reason, message } }
}

function describe(
  resource: VirtualKeyResource,
  outcome: GrantOutcome,
  text: KeyText,
  nowMs: number | undefined,
): ResourceConditions {
  return withReady(
    'VirtualKey',
    resource.metadata,
    [
      condition('Accepted', outcome.type === 'refused' ? outcome.refusal : undefined),
      condition('KeyReady', text.type === 'refused' ? text.refusal : undefined),
    ],
    unusable(resource, nowMs),
  )
}

function unusable({ spec }: VirtualKeyResource, nowMs: number | undefined): Refusal | undefined {
  if (spec.suspended) return { reason: 'Suspended', message: 'spec.suspended is true' }
  return isExpired(spec, nowMs) ? { reason: 'Expired', message: `expired at ${spec.expiresAt}` } : undefined
}

function isExpired({ expiresAt }: VirtualKeyResource['spec'], nowMs: number | undefined): boolean {
  return nowMs !== undefined && expiresAt !== undefined && Date.parse(expiresAt) <= nowMs
}

function toEntry(
  resource: VirtualKeyResource,
  granted: Extract<GrantOutcome, { type: 'granted' }>,
  digests: readonly KeyDigest[],
  context: KeyContext,
): VirtualKeyEntry {
  const { spec } = resource
  const entry = present<VirtualKeyEntry>({
    id: namespacedName(resource.metadata),
    organization: spec.organizationRef.name,
    project: granted.project,
    digests,
    // An expired one is out of force for data planes whose clock is late, too.
    suspended: spec.suspended || isExpired(spec, context.nowMs),
    // Before 1970 it is over like any other: snapshots count from there.
    expiresAtMs: spec.expiresAt === undefined ? undefined : Math.max(0, Date.parse(spec.expiresAt)),
    privileges: granted.privileges,
    policies: toPolicySettings(spec.policies),
    access: toAccess(resource, context),
    limits: toLimits({ ...spec, budgets: granted.budgets }),
  })
  const kept = sameAsBefore(lastEntries, resource, entry)
  // Once an entry: thousands are looked at for each change of one. What its grant gives may make another of the same resource.
  if (!readEntries.has(kept)) readEntries.add(readable(kept, virtualKey))
  return kept
}

function toAccess({ metadata, spec }: VirtualKeyResource, context: KeyContext): VirtualKeyEntry['access'] {
  const labels = context.labelsOf(metadata.namespace)
  const own = spec.access?.providers ?? []
  const providers = context.providers
    .filter(({ resource }) => mayUseProvider(resource.spec, spec.organizationRef.name, labels))
    .map(({ entry }) => entry.name)
    .filter((name) => own.length === 0 || own.includes(name))
  return {
    models: spec.access?.models ?? [],
    providers,
    allowAuto: spec.access?.allowAuto ?? true,
    adapters: spec.access?.adapters ?? [],
    serviceAccounts: spec.access?.serviceAccounts ?? [],
  }
}

function byAge(left: VirtualKeyResource, right: VirtualKeyResource): number {
  const age = compare(left.metadata.creationTimestamp ?? '', right.metadata.creationTimestamp ?? '')
  return age === 0 ? compare(namespacedName(left.metadata), namespacedName(right.metadata)) : age
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
