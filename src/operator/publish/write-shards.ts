/**
 * Writes changed shards, in one of two ways:
 *
 *   one server    all of them in one script, which also compares the epoch: as one change
 *   a cluster     its nodes share the shards, and a script has one node: the epoch first, then each shard by itself, fenced
 *                 by the epoch that it was written with, then the index. A leader that is stopped in between can leave
 *                 some shards new and some old; the next publication, or the next leader's, goes on from there.
 */
import { EPOCH_KEY, HINT_CHANNEL, INDEX_KEY } from '../../domain/snapshot/shard-store.ts'
import { loadScript } from './lua-script.ts'
import type { PublishRedis } from './redis-port.ts'

const TIMEOUT_MS = 5_000
/** Bounds of one script: Redis answers nobody else meanwhile. */
const MAX_BATCH_SHARDS = 512
const MAX_BATCH_LENGTH = 8 * 1024 * 1024
const WRITE_AT_ONCE = 32

const PUBLISH = loadScript(new URL('publish.lua', import.meta.url))
const PUBLISH_SHARD = loadScript(new URL('publish-shard.lua', import.meta.url))

export interface ShardChange {
  /** The key it is stored under. */
  readonly name: string
  /** Empty: the shard is removed. */
  readonly document: string
  /** Empty: it is taken out of the index. */
  readonly revision: string
  /** 0: it stays. */
  readonly lifetimeMs: number
}

/** Undefined where all were written, else the epoch of the writer that forbids it. @throws where Redis does not answer */
export async function writeShards(
  redis: PublishRedis,
  epoch: number,
  changes: readonly ShardChange[],
): Promise<number | undefined> {
  for (const batch of batches(changes)) {
    const forbidding = await (redis.isCluster ? writeEach(redis, epoch, batch) : writeTogether(redis, epoch, batch))
    if (forbidding !== undefined) return forbidding
  }
  return undefined
}

async function writeTogether(
  redis: PublishRedis,
  epoch: number,
  changes: readonly ShardChange[],
): Promise<number | undefined> {
  const texts = changes.flatMap(({ document, revision, lifetimeMs }) => [document, revision, String(lifetimeMs)])
  const keys = [EPOCH_KEY, INDEX_KEY, ...changes.map(({ name }) => name)] as const
  return forbidden(
    await redis.run(PUBLISH, [...keys], [String(epoch), HINT_CHANNEL, ...texts], { timeoutMs: TIMEOUT_MS }),
  )
}

async function writeEach(
  redis: PublishRedis,
  epoch: number,
  changes: readonly ShardChange[],
): Promise<number | undefined> {
  const writer = String(epoch)
  // Without shards it only compares and raises the epoch, which is all that may be touched on that node.
  const forbidding = forbidden(await redis.run(PUBLISH, [EPOCH_KEY], [writer], { timeoutMs: TIMEOUT_MS }))
  if (forbidding !== undefined) return forbidding
  for (let at = 0; at < changes.length; at += WRITE_AT_ONCE) {
    const answers = await Promise.all(
      changes
        .slice(at, at + WRITE_AT_ONCE)
        .map(({ name, document, lifetimeMs }) =>
          redis.run(PUBLISH_SHARD, [name], [writer, document, String(lifetimeMs)], { timeoutMs: TIMEOUT_MS }),
        ),
    )
    const highest = answers.map(forbidden).find((answer) => answer !== undefined)
    if (highest !== undefined) return highest
  }
  await writeIndex(redis, changes)
  return undefined
}

async function writeIndex(redis: PublishRedis, changes: readonly ShardChange[]): Promise<void> {
  const kept = changes.filter(({ revision }) => revision !== '').flatMap(({ name, revision }) => [name, revision])
  const gone = changes.filter(({ revision }) => revision === '').map(({ name }) => name)
  const options = { timeoutMs: TIMEOUT_MS }
  if (kept.length > 0) await redis.send(INDEX_KEY, ['HSET', INDEX_KEY, ...kept], options)
  if (gone.length > 0) await redis.send(INDEX_KEY, ['HDEL', INDEX_KEY, ...gone], options)
  await redis.send(HINT_CHANNEL, ['PUBLISH', HINT_CHANNEL, changes.map(({ name }) => name).join(' ')], options)
}

/** The epoch that forbids it, from a script's answer. */
function forbidden(reply: unknown): number | undefined {
  if (!Array.isArray(reply)) throw new Error('unexpected answer of Redis to a publication')
  return Number(reply[0]) === 1 ? undefined : Number(reply[1])
}

function* batches(changes: readonly ShardChange[]): Generator<readonly ShardChange[]> {
  let batch: ShardChange[] = []
  let length = 0
  for (const change of changes) {
    if (batch.length > 0 && (batch.length >= MAX_BATCH_SHARDS || length + change.document.length > MAX_BATCH_LENGTH)) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(change)
    length += change.document.length
  }
  if (batch.length > 0) yield batch
}
