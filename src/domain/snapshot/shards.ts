/**
 * A snapshot in pieces, so that each data plane reads only what concerns it:
 *
 *     tg:cfg:catalog        the providers, without credentials
 *     tg:cfg:org:<name>     one organization with its projects
 *     tg:cfg:ns:<owner>     the virtual keys of one owner, the part of a key's id before the slash
 *
 * A shard is a JSON document that holds its body as text: what is signed are those bytes, so no reader needs to agree
 * with the writer on how JSON is spelled. The signature covers the shard's name too: one cannot stand in for another.
 *
 * Absence of a shard never means that there is nothing: an emptied store must not take keys away. An owner without
 * keys has a signed shard that says so.
 */
import { virtualKey } from './entry-shapes.ts'
import { InvalidSnapshotError, parseSnapshot } from './parse-snapshot.ts'
import { integer, list, object, oneOf, ShapeError, text } from './shape.ts'
import { isSameContent } from '../remembered.ts'
import { SNAPSHOT_SCHEMA, type ProviderEntry, type Snapshot, type VirtualKeyEntry } from './snapshot.ts'

/** Where the shard of all providers is. */
export const CATALOG_SHARD = 'tg:cfg:catalog'

/** Largest document that is read, in characters: a hundred times the catalogue of a hundred providers. */
export const MAX_SHARD_LENGTH = 16 * 1024 * 1024

/** Most organizations that one owner's keys may belong to: a data plane asks for each once a second. */
export const MAX_OWNER_ORGANIZATIONS = 64

/** As many characters as tell whether a document has changed: epoch, sequence, revision and part of the signature. */
export const SHARD_HEAD_LENGTH = 160

const ORGANIZATION_PREFIX = 'tg:cfg:org:'
const OWNER_PREFIX = 'tg:cfg:ns:'

export function organizationShard(organization: string): string {
  return `${ORGANIZATION_PREFIX}${organization}`
}

export function ownerShard(owner: string): string {
  return `${OWNER_PREFIX}${owner}`
}

/** The owner of an owner's shard; undefined for the other two sorts. */
export function ownerOfShard(name: string): string | undefined {
  return name.startsWith(OWNER_PREFIX) ? name.slice(OWNER_PREFIX.length) : undefined
}

/** The owner of a virtual key. */
export function ownerOfKey(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')))
}

/** The owners of a snapshot's keys, each once. */
export function ownersOf({ virtualKeys }: Pick<Snapshot, 'virtualKeys'>): readonly string[] {
  return [...new Set(virtualKeys.map(({ id }) => ownerOfKey(id)))]
}

/** What a shard says, unsigned. */
export interface ShardContent {
  /** The key it is stored under. */
  readonly name: string
  /** Hash of the body. */
  readonly revision: string
  /** JSON. */
  readonly body: string
}

/** A shard as it is stored. */
export interface Shard extends ShardContent {
  readonly schema: typeof SNAPSHOT_SCHEMA
  /** Number of the writer's term of office: a writer of a lower one is refused. From 1. */
  readonly epoch: number
  /** Grows with every document of a writer: together with the epoch, its age. From 1. */
  readonly sequence: number
  /** Ed25519 over `signedText`, base64. */
  readonly signature: string
}

/** Hash of a text, hex. */
export type ContentHash = (text: string) => string

/**
 * The shards of a snapshot: the catalogue, then organizations, then owners.
 * @param owners owners that need a shard even without keys; those with keys are added
 */
export function splitSnapshot(
  snapshot: Snapshot,
  owners: readonly string[],
  contentHash: ContentHash,
): readonly ShardContent[] {
  const keys = Map.groupBy(snapshot.virtualKeys, ({ id }) => ownerOfKey(id))
  const named = [...new Set([...owners, ...keys.keys()])].toSorted()
  return [
    shardOf(CATALOG_SHARD, { providers: snapshot.providers }, contentHash),
    ...snapshot.organizations.map((organization) =>
      shardOf(organizationShard(organization.name), { organization }, contentHash),
    ),
    ...named.map((owner) => keysShard(owner, keys.get(owner) ?? [], contentHash)),
  ]
}

/** Of keys that are the same objects as in a shard before, it is that one. */
function keysShard(owner: string, virtualKeys: readonly VirtualKeyEntry[], contentHash: ContentHash): ShardContent {
  const [first] = virtualKeys
  const known = first === undefined ? undefined : lastShards.get(first)
  if (known?.contentHash === contentHash && isSameContent(known.virtualKeys, virtualKeys)) return known.shard
  const shard = shardOf(ownerShard(owner), { virtualKeys }, contentHash)
  if (first !== undefined) lastShards.set(first, { virtualKeys, contentHash, shard })
  return shard
}

/** By their first key, which is one owner's. */
const lastShards = new WeakMap<VirtualKeyEntry, KeysAndShard>()

interface KeysAndShard {
  readonly virtualKeys: readonly VirtualKeyEntry[]
  readonly contentHash: ContentHash
  readonly shard: ShardContent
}

function shardOf(name: string, content: object, contentHash: ContentHash): ShardContent {
  const body = JSON.stringify(content)
  return { name, revision: contentHash(body), body }
}

/** The shard of an owner that has no keys (any more). */
export function emptyOwnerShard(owner: string, contentHash: ContentHash): ShardContent {
  return shardOf(ownerShard(owner), { virtualKeys: [] }, contentHash)
}

/** The text that a shard's signature is made over. */
export function signedText({ name, schema, epoch, sequence, revision, body }: Omit<Shard, 'signature'>): string {
  return JSON.stringify(['tollgate shard', name, schema, epoch, sequence, revision, body])
}

/** The document that is stored under `shard.name`. Its first `SHARD_HEAD_LENGTH` characters change with every change. */
export function renderShard({ schema, epoch, sequence, revision, signature, body }: Shard): string {
  return JSON.stringify({ schema, epoch, sequence, revision, signature, body })
}

const document = object<Omit<Shard, 'name'>>({
  schema: oneOf(SNAPSHOT_SCHEMA),
  epoch: integer(1),
  sequence: integer(1),
  revision: text,
  signature: text,
  body: text,
})

/** A stored document. Its signature is still to be verified. @throws {InvalidSnapshotError} */
export function parseShard(name: string, stored: string): Shard {
  if (stored.length > MAX_SHARD_LENGTH) throw new InvalidSnapshotError(`${name} is too large`)
  return { name, ...shaped(name, () => document(parseJson(name, stored), '')) }
}

/** The organizations of an owner's keys, sorted: the shards that it needs. @throws {InvalidSnapshotError} */
export function organizationsOf({ name, body }: ShardContent): readonly string[] {
  const { virtualKeys } = shaped(name, () => keysBody(parseJson(name, body), ''))
  const names = [...new Set(virtualKeys.map(({ organization }) => organization))].toSorted()
  if (names.length > MAX_OWNER_ORGANIZATIONS)
    throw new InvalidSnapshotError(`${name} names more than ${MAX_OWNER_ORGANIZATIONS} organizations`)
  return names
}

const keysBody = object<{ readonly virtualKeys: readonly { readonly organization: string }[] }>({
  virtualKeys: list(object<{ readonly organization: string }>({ organization: text })),
})

/** Shards that belong together, their signatures verified. */
export interface OwnedShards {
  readonly owner: string
  readonly catalog: ShardContent
  /** One for each of `organizationsOf(keys)` that is not missing. */
  readonly organizations: readonly ShardContent[]
  /** Names of organizations that cannot be had: their keys are left out. */
  readonly missing?: readonly string[]
  readonly keys: ShardContent
}

export interface Assembled {
  /** Deep-frozen. */
  readonly snapshot: Snapshot
  /** Of each key that is left out because it has a word of a newer version: which word. The others must not wait for it. */
  readonly unread: readonly string[]
}

/** The snapshot of one owner. @throws {InvalidSnapshotError} where a shard does not hold what its name says. */
export function assembleSnapshot(shards: OwnedShards, contentHash: ContentHash): Assembled {
  const { owner, catalog, organizations, keys, missing = [] } = shards
  const rest = parseSnapshot({
    schema: SNAPSHOT_SCHEMA,
    revision: assembledRevision([catalog, ...organizations, keys], contentHash),
    providers: field(catalog, 'providers'),
    organizations: organizations.map((shard) => field(shard, 'organization')),
    virtualKeys: [],
  })
  const { read, unread } = readKeys(keys)
  const virtualKeys = read.filter(({ organization }) => !missing.includes(organization))
  const snapshot = Object.freeze({ ...rest, virtualKeys: Object.freeze(virtualKeys) })
  requireNames(snapshot, shards)
  const foreign = snapshot.virtualKeys.find(({ id }) => ownerOfKey(id) !== owner)
  if (foreign !== undefined) throw new InvalidSnapshotError(`the keys of ${owner} hold one of another owner`)
  return { snapshot, unread }
}

/** Refuses a catalogue or an organization with a word of a newer version. @throws {InvalidSnapshotError} */
export function requireUnderstood(shard: ShardContent): void {
  parseSnapshot({
    schema: SNAPSHOT_SCHEMA,
    revision: shard.revision,
    providers: shard.name === CATALOG_SHARD ? field(shard, 'providers') : [],
    organizations: shard.name.startsWith(ORGANIZATION_PREFIX) ? [field(shard, 'organization')] : [],
    virtualKeys: [],
  })
}

function readKeys(shard: ShardContent): { read: VirtualKeyEntry[]; unread: string[] } {
  const entries = shaped(shard.name, () => list((entry) => entry)(field(shard, 'virtualKeys'), 'virtualKeys'))
  const [read, unread]: [VirtualKeyEntry[], string[]] = [[], []]
  for (const [index, entry] of entries.entries()) {
    try {
      read.push(virtualKey(entry, `virtualKeys[${index}]`))
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      unread.push(error.message)
    }
  }
  return { read, unread }
}

/** The revision of a snapshot that was put together from these shards, in any order. */
export function assembledRevision(
  shards: readonly Pick<ShardContent, 'name' | 'revision'>[],
  contentHash: ContentHash,
): string {
  const parts = shards.map(({ name, revision }) => `${name}=${revision}`)
  return contentHash(parts.toSorted().join('\n'))
}

/** The names of the providers that an owner's keys may use: whose credentials it needs. */
export function providersInUse({ virtualKeys, providers }: Snapshot, owner: string): readonly ProviderEntry[] {
  const names = new Set(
    virtualKeys.filter(({ id }) => ownerOfKey(id) === owner).flatMap(({ access }) => access.providers),
  )
  return providers.filter(({ name }) => names.has(name))
}

function requireNames({ organizations, virtualKeys }: Snapshot, shards: OwnedShards): void {
  for (const [index, shard] of shards.organizations.entries()) {
    const name = organizations[index]?.name
    if (name === undefined || shard.name !== organizationShard(name))
      throw new InvalidSnapshotError(`${shard.name} holds another organization`)
  }
  const known = new Set(organizations.map(({ name }) => name))
  const orphan = virtualKeys.find(({ organization }) => !known.has(organization))
  if (orphan !== undefined) throw new InvalidSnapshotError(`the organization of ${orphan.id} is missing`)
}

function field({ name, body }: ShardContent, wanted: string): unknown {
  const value = parseJson(name, body)
  return typeof value === 'object' && value !== null && Object.hasOwn(value, wanted)
    ? Object.entries(value).find(([key]) => key === wanted)?.[1]
    : undefined
}

function parseJson(name: string, source: string): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    throw new InvalidSnapshotError(`${name} is not JSON`, error)
  }
}

function shaped<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ShapeError) throw new InvalidSnapshotError(`${name}: ${error.message}`, error)
    throw error
  }
}
