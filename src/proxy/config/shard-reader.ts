/**
 * Reads the shards that concern one owner. A look that finds nothing new costs a few hundred bytes: only the head of a
 * document is fetched, and the whole of it where the head has changed.
 *
 * Each shard is judged by itself: one that is missing, forged, older than the one in use or not understood is refused
 * and the last good one stays, so that a broken catalogue does not keep a revoked key alive.
 */
import { InvalidSnapshotError } from '../../domain/snapshot/parse-snapshot.ts'
import {
  CATALOG_SHARD,
  organizationShard,
  organizationsOf,
  ownerShard,
  parseShard,
  requireUnderstood,
  SHARD_HEAD_LENGTH,
  type OwnedShards,
  type Shard,
} from '../../domain/snapshot/shards.ts'
import type { ShardVerifier } from './verify.ts'

/** A look must fit into the second between two. */
const HEAD_TIMEOUT_MS = 500
/** A catalogue may be megabytes. */
const DOCUMENT_TIMEOUT_MS = 5_000

/** What reading needs of a Redis connection. */
export interface ShardRedis {
  /** @throws where Redis does not answer in time. */
  send(key: string, args: readonly string[], options?: { readonly timeoutMs?: number }): Promise<unknown>
}

export interface Look {
  readonly shards: OwnedShards & { readonly keys: Shard; readonly catalog: Shard; readonly organizations: Shard[] }
  /** Shards that were refused, with the reason. The last good ones are used in their place. */
  readonly refused: readonly RefusedShard[]
}

export interface RefusedShard {
  readonly name: string
  readonly reason: string
  /** Whether an earlier look has told so already. */
  readonly known: boolean
}

interface Accepted {
  readonly head: string
  readonly shard: Shard
}

/** Error replies about one shard only: something else is in its place, or the login may not read it (yet). */
const NO_SHARD = /^(?:WRONGTYPE|NOPERM)/

export class ShardReader {
  readonly #owner: string
  readonly #accepted = new Map<string, Accepted>()
  readonly #refused = new Map<string, { readonly head: string; readonly reason: string }>()
  /** Names of the organizations, by the owner's shard that they were taken from. */
  #needed: { readonly from: Shard; readonly names: readonly string[] } | undefined
  /** A look has found all that it needed. */
  #wasWhole = false

  constructor(owner: string) {
    this.#owner = owner
  }

  /** Refused documents are looked at again: the keys to verify them with have changed. */
  forgetRefused(): void {
    this.#refused.clear()
  }

  /**
   * Not to be called again before it has settled.
   * @throws where Redis does not answer, or {InvalidSnapshotError} where there is no good shard to fall back to
   */
  async look(redis: ShardRedis, verify: ShardVerifier): Promise<Look> {
    const refused: RefusedShard[] = []
    const read = (name: string) => this.#read(name, redis, verify, refused)
    const [catalog, keys] = await Promise.all([read(CATALOG_SHARD), read(ownerShard(this.#owner))])
    const names = this.#organizationsOf(keys)
    const found = await Promise.all(names.map((name) => this.#readOrganization(name, read)))
    const organizations = found.filter((shard) => shard !== undefined)
    const missing = names.filter((_name, index) => found[index] === undefined)
    this.#wasWhole ||= missing.length === 0
    this.#retain(new Set([CATALOG_SHARD, keys.name, ...names.map(organizationShard)]))
    return { shards: { owner: this.#owner, catalog, keys, organizations, missing }, refused }
  }

  /**
   * Undefined where there is no good one: keys of other organizations may have been revoked, which must not wait for it.
   * Only the first configuration does.
   */
  async #readOrganization(name: string, read: (shard: string) => Promise<Shard>): Promise<Shard | undefined> {
    try {
      return await read(organizationShard(name))
    } catch (error) {
      if (!this.#wasWhole || !(error instanceof InvalidSnapshotError)) throw error
      return undefined
    }
  }

  #organizationsOf(keys: Shard): readonly string[] {
    if (this.#needed?.from !== keys) this.#needed = { from: keys, names: organizationsOf(keys) }
    return this.#needed.names
  }

  async #read(name: string, redis: ShardRedis, verify: ShardVerifier, refused: RefusedShard[]): Promise<Shard> {
    const accepted = this.#accepted.get(name)
    const head = await ask(redis, name, ['GETRANGE', name, '0', String(SHARD_HEAD_LENGTH - 1)], HEAD_TIMEOUT_MS)
    if (accepted?.head === head) return accepted.shard
    const before = this.#refused.get(name)
    const known = before?.head === head
    try {
      if (known) throw new InvalidSnapshotError(before.reason)
      return await this.#fetch(name, head, redis, verify)
    } catch (error) {
      if (!(error instanceof InvalidSnapshotError)) throw error
      const reason = known ? before.reason : error.message
      this.#refused.set(name, { head, reason })
      refused.push({ name, reason, known })
      if (accepted === undefined) throw error
      return accepted.shard
    }
  }

  async #fetch(name: string, head: string, redis: ShardRedis, verify: ShardVerifier): Promise<Shard> {
    if (head === '') throw new InvalidSnapshotError(`${name} is missing`)
    const document = await ask(redis, name, ['GET', name], DOCUMENT_TIMEOUT_MS)
    const shard = parseShard(name, document)
    verify(shard)
    requireUnderstood(shard)
    const accepted = this.#accepted.get(name)
    if (accepted !== undefined && isOlder(shard, accepted.shard))
      throw new InvalidSnapshotError(`${name} is older than the one in use`)
    this.#accepted.set(name, { head: document.slice(0, SHARD_HEAD_LENGTH), shard })
    this.#refused.delete(name)
    return shard
  }

  #retain(names: ReadonlySet<string>): void {
    for (const name of this.#accepted.keys()) if (!names.has(name)) this.#accepted.delete(name)
    for (const name of this.#refused.keys()) if (!names.has(name)) this.#refused.delete(name)
  }
}

/** A signed document of yesterday would bring back a key that was revoked today. */
function isOlder(shard: Shard, than: Shard): boolean {
  return shard.epoch === than.epoch ? shard.sequence < than.sequence : shard.epoch < than.epoch
}

async function ask(redis: ShardRedis, name: string, command: readonly string[], timeoutMs: number): Promise<string> {
  try {
    const reply = await redis.send(name, command, { timeoutMs })
    return typeof reply === 'string' ? reply : ''
  } catch (error) {
    if (isNoShard(error) || (error instanceof Error && isNoShard(error.cause))) return ''
    throw error
  }
}

function isNoShard(error: unknown): boolean {
  return error instanceof Error && NO_SHARD.test(error.message)
}
