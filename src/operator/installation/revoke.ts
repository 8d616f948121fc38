/**
 * Takes away what the operator has put into Redis, so that no key of the installation is accepted any more, by sidecars
 * that go on running neither: they keep what they have when a shard is merely gone.
 *
 *     empty shards       signed, for each owner: no key is in force
 *     sidecars           take them over within a second or two, and say so; not waited for for long
 *     all other shards   deleted; the empty ones expire by themselves
 *     logins             removed; where a sidecar has not answered, it can still read the empty shard
 *
 * Each step can be done again after an interruption. Whatever leads later has a higher epoch and publishes over it.
 */
import { contentHash } from '../../crypto/content-hash.ts'
import { INDEX_KEY } from '../../domain/snapshot/shard-store.ts'
import { emptyOwnerShard, ownerOfShard, ownerShard, renderShard } from '../../domain/snapshot/shards.ts'
import { pause, type Milliseconds, type Timing } from '../kube/timing.ts'
import { acknowledgedRevisions } from '../publish/acknowledgements.ts'
import { EMPTIED_MS, highestEpoch } from '../publish/publisher.ts'
import { hashReply, isRefusedCommand } from '../publish/redis-port.ts'
import type { PublishRedis } from '../publish/redis-port.ts'
import { ownersWithLogins, removeTenantUser, restrictTenantUser } from '../publish/redis-users.ts'
import type { ShardSigner } from '../publish/sign.ts'
import { writeShards } from '../publish/write-shards.ts'

const CALL = { timeoutMs: 5_000 }
/** A sidecar looks once a second. One that was killed is waited for in vain: what it has said last stays for minutes. */
const TOLD_TIMEOUT_MS: Milliseconds = 10_000
/** For those that Redis has just forgotten, as by a flush: they read it, and say again what they run within a minute. */
const UNSAID_MS: Milliseconds = 3_000
const POLL_MS = 250
/** The last leader's clock, from which its sequences come, may be ahead of this one. */
const CLOCKS_DIFFER_MS: Milliseconds = 60 * 60 * 1_000

export interface RevokeOptions {
  readonly redis: PublishRedis
  /** Undefined: its key is gone, and running sidecars cannot be told. */
  readonly signer: ShardSigner | undefined
  /** Of the last leader, as its Lease has it, for Redis may have lost it; 0: not known. */
  readonly epoch: number
  readonly timing: Timing
}

export interface Revocation {
  /** Those that had keys or a login. */
  readonly owners: readonly string[]
  /** By owner, how many of its sidecars have not said that they know; without those where all have. */
  readonly unaware: ReadonlyMap<string, number>
}

/**
 * The highest epoch stays: a former leader that lives on must not write. Counters of quotas stay as well.
 * @throws where Redis does not answer, or a later leader has published
 */
export async function revokePublished(options: RevokeOptions): Promise<Revocation> {
  const { redis, signer } = options
  // Not HKEYS, which the operator's login may lack.
  const shards = [...hashReply((await redis.send(INDEX_KEY, ['HGETALL', INDEX_KEY], CALL)) ?? []).keys()]
  const published = shards.map(ownerOfShard).filter((owner) => owner !== undefined)
  const owners = [...new Set([...published, ...(await ownersOfLogins(redis))])]
  if (signer !== undefined) await publishEmpty(options, signer, owners)
  const unaware = signer === undefined ? new Map<string, number>() : await unawareOf(options, owners)
  const gone = signer === undefined ? shards : shards.filter((name) => ownerOfShard(name) === undefined)
  for (const shard of [...gone, INDEX_KEY]) await redis.send(shard, ['DEL', shard], CALL)
  for (const owner of owners) await endLogin(redis, owner, unaware.has(owner))
  return { owners, unaware }
}

async function publishEmpty(options: RevokeOptions, signer: ShardSigner, owners: readonly string[]): Promise<void> {
  const { redis, timing } = options
  const epoch = Math.max(1, options.epoch, await highestEpoch(redis))
  const place = { epoch, sequence: Math.floor(timing.now()) + CLOCKS_DIFFER_MS }
  const changes = owners.map((owner) => {
    const shard = signer.sign(emptyOwnerShard(owner, contentHash), place)
    return { name: shard.name, document: renderShard(shard), revision: '', lifetimeMs: EMPTIED_MS }
  })
  const forbidding = await writeShards(redis, epoch, changes)
  if (forbidding !== undefined) throw new Error(`a leader of epoch ${forbidding} has published`)
}

/** Returns when each can have read it and there is none left, or when the time is over. */
async function unawareOf({ redis, timing }: RevokeOptions, owners: readonly string[]): Promise<Map<string, number>> {
  if (owners.length > 0) await pause(timing, UNSAID_MS)
  const end = timing.elapsed() + TOLD_TIMEOUT_MS - UNSAID_MS
  for (let asked = owners; ;) {
    const unaware = new Map<string, number>()
    for (const owner of asked) {
      // Not known is not told.
      const count = await countUnaware(redis, owner).catch(() => 1)
      if (count > 0) unaware.set(owner, count)
    }
    if (unaware.size === 0 || timing.elapsed() > end) return unaware
    asked = [...unaware.keys()]
    await pause(timing, POLL_MS)
  }
}

async function countUnaware(redis: PublishRedis, owner: string): Promise<number> {
  const { revision } = emptyOwnerShard(owner, contentHash)
  const said = [...(await acknowledgedRevisions(redis, owner)).values()]
  return said.filter(({ shards }) => shards[ownerShard(owner)] !== revision).length
}

/** None where Redis lets nobody keep users, or the operator's login may not list them. */
async function ownersOfLogins(redis: PublishRedis): Promise<readonly string[]> {
  try {
    return (await ownersWithLogins(redis)).flatMap((owners) => [...owners])
  } catch (error) {
    if (!isRefusedCommand(error)) throw error
    return []
  }
}

/** Where Redis lets nobody keep users there are none. */
async function endLogin(redis: PublishRedis, owner: string, isNeeded: boolean): Promise<void> {
  try {
    await (isNeeded ? restrictTenantUser(redis, owner) : removeTenantUser(redis, owner))
  } catch (error) {
    if (!isRefusedCommand(error)) throw error
  }
}
