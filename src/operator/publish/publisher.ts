/**
 * Keeps the shards in Redis equal to those that are desired.
 *
 * - Only what differs is written: an idle cluster writes nothing, a new leader with the same content neither.
 * - All that belongs together goes in one script (in batches where it is very much, shard by shard in a cluster), which
 *   refuses a writer whose term is over: the epoch is the leader's fencing number.
 * - A shard that is desired no more is removed. An owner's is first replaced by a signed empty one that expires by
 *   itself: readers keep what they have when a shard is merely gone.
 * - After an error what Redis holds is unknown and is read again before the next publication.
 */
import { EPOCH_KEY, INDEX_KEY } from '../../domain/snapshot/shard-store.ts'
import {
  emptyOwnerShard,
  ownerOfShard,
  parseShard,
  renderShard,
  type ContentHash,
  type ShardContent,
} from '../../domain/snapshot/shards.ts'
import { isSigned } from './published-shards.ts'
import { hashReply, isOfAnotherType } from './redis-port.ts'
import type { PublishRedis } from './redis-port.ts'
import type { ShardSigner } from './sign.ts'
import { writeShards } from './write-shards.ts'
import type { ShardChange } from './write-shards.ts'

/** An emptied owner's shard stays so long: any reader looks once a second, one that was cut off within the hour. */
export const EMPTIED_MS = 60 * 60 * 1_000
const TIMEOUT_MS = 5_000
const READ_AT_ONCE = 64

export interface PublisherOptions {
  readonly redis: PublishRedis
  readonly signer: ShardSigner
  /** Number of this leader's term, from 1; grows with every change of leader. */
  readonly epoch: number
  readonly contentHash: ContentHash
  /** Milliseconds since the epoch: sequences begin there, so that a restarted leader of the same term goes on upwards. */
  readonly now: () => number
}

export type PublishOutcome =
  | { readonly type: 'published'; readonly written: number; readonly removed: number }
  /** Another leader has taken over: this process must stop writing. */
  | { readonly type: 'fenced'; readonly epoch: number }

/** Either this process wrote or checked it, with this revision; or it was read and is still to be checked. */
interface Stored {
  readonly revision?: string
  readonly document?: string
}

/**
 * The highest epoch that has written; 0: none. Who truly leads and is fenced nevertheless (its Lease was deleted and
 * counts from 0 again) goes on with a higher one. @throws where Redis does not answer.
 */
export async function highestEpoch(redis: PublishRedis): Promise<number> {
  return Number((await redis.send(EPOCH_KEY, ['GET', EPOCH_KEY], { timeoutMs: TIMEOUT_MS })) ?? 0)
}

/** One a term of office. Calls must not overlap. */
export class Publisher {
  readonly #options: PublisherOptions
  /** By shard, what Redis is believed to hold; undefined: not known. */
  #stored: Map<string, Stored> | undefined
  #desired: readonly ShardContent[] | undefined
  #sequence = 0

  constructor(options: PublisherOptions) {
    this.#options = options
  }

  /** Makes `shards` all that is published. @throws where Redis does not answer; call again. */
  publish(shards: readonly ShardContent[]): Promise<PublishOutcome> {
    this.#desired = shards
    return this.#reconcile(shards)
  }

  /**
   * Compares what Redis holds with what was published last and repairs it: edits by hand, lost keys, an emptied store.
   * @returns how many shards were repaired. @throws {FencedError}; and as `publish`
   */
  async verifyPublished(): Promise<number> {
    if (this.#desired === undefined) return 0
    this.#stored = undefined
    const outcome = await this.#reconcile(this.#desired)
    if (outcome.type === 'fenced') throw new FencedError(outcome.epoch)
    return outcome.written + outcome.removed
  }

  async #reconcile(shards: readonly ShardContent[]): Promise<PublishOutcome> {
    const stored = this.#stored ?? (await this.#read(shards))
    this.#stored = undefined
    const desired = new Set(shards.map(({ name }) => name))
    const written = shards.filter((shard) => !this.#isStored(shard, stored.get(shard.name))).map(this.#signed)
    const removed = [...stored.keys()].filter((name) => !desired.has(name)).map(this.#removal)
    const { redis, epoch } = this.#options
    const forbidding = await writeShards(redis, epoch, [...written, ...removed])
    if (forbidding !== undefined) return { type: 'fenced', epoch: forbidding }
    // All are as desired now. Documents are let go: comparing them again at each publication costs more than all else.
    for (const { name, revision } of shards) stored.set(name, { revision })
    for (const { name } of removed) stored.delete(name)
    this.#stored = stored
    return { type: 'published', written: written.length, removed: removed.length }
  }

  /** The documents of all that the index names or that is desired. What is not in the index is written anew. */
  async #read(shards: readonly ShardContent[]): Promise<Map<string, Stored>> {
    const index = hashReply((await this.#get(INDEX_KEY, 'HGETALL')) ?? [])
    const revisions = new Map(shards.map(({ name, revision }) => [name, revision]))
    const names = [...index.keys()]
    const stored = new Map<string, Stored>()
    for (let at = 0; at < names.length; at += READ_AT_ONCE) {
      const some = names.slice(at, at + READ_AT_ONCE)
      const documents = await Promise.all(some.map((name) => this.#get(name, 'GET')))
      for (const [offset, name] of some.entries()) {
        const document = documents[offset]
        const wanted = revisions.get(name)
        const trusted = wanted === undefined || wanted === index.get(name)
        stored.set(name, trusted && typeof document === 'string' ? { document } : {})
      }
    }
    return stored
  }

  /** What somebody has replaced by something of another type is as good as gone, and removed. */
  async #get(name: string, command: 'GET' | 'HGETALL'): Promise<unknown> {
    const { redis } = this.#options
    try {
      return await redis.send(name, [command, name], { timeoutMs: TIMEOUT_MS })
    } catch (error) {
      if (!isOfAnotherType(error)) throw error
      await redis.send(name, ['DEL', name], { timeoutMs: TIMEOUT_MS })
      return undefined
    }
  }

  #isStored(content: ShardContent, stored: Stored | undefined): boolean {
    if (stored?.revision !== undefined) return stored.revision === content.revision
    const document = stored?.document
    if (document === undefined) return false
    try {
      const shard = parseShard(content.name, document)
      return (
        shard.revision === content.revision &&
        this.#isFenced(shard.epoch) &&
        isSigned({ ...shard, body: content.body }, document, this.#options.signer)
      )
    } catch {
      return false
    }
  }

  /** In a cluster each shard is its own fence: a new leader writes all of them once, so that its predecessor can none. */
  #isFenced(writtenIn: number): boolean {
    const { epoch, redis } = this.#options
    return redis.isCluster ? writtenIn === epoch : writtenIn <= epoch
  }

  readonly #signed = (content: ShardContent): ShardChange => {
    const { signer, epoch } = this.#options
    this.#sequence = Math.max(this.#sequence + 1, Math.floor(this.#options.now()))
    const document = renderShard(signer.sign(content, { epoch, sequence: this.#sequence }))
    return { name: content.name, document, revision: content.revision, lifetimeMs: 0 }
  }

  readonly #removal = (name: string): ShardChange => {
    const owner = ownerOfShard(name)
    if (owner === undefined) return { name, document: '', revision: '', lifetimeMs: 0 }
    const { document } = this.#signed(emptyOwnerShard(owner, this.#options.contentHash))
    return { name, document, revision: '', lifetimeMs: EMPTIED_MS }
  }
}

/** A later leader has published: this one's term is over. */
export class FencedError extends Error {
  readonly epoch: number

  constructor(epoch: number) {
    super(`a leader of epoch ${epoch} has published`)
    this.name = 'FencedError'
    this.epoch = epoch
  }
}
