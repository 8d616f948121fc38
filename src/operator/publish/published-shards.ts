/** What Redis holds, as far as this installation has signed it. */
import { isJsonObject } from '../../domain/json.ts'
import { INDEX_KEY } from '../../domain/snapshot/shard-store.ts'
import { CATALOG_SHARD, ownerOfShard, parseShard, renderShard, type Shard } from '../../domain/snapshot/shards.ts'
import type { KeyDigest } from '../../domain/snapshot/snapshot.ts'
import { hashReply, noneOfAnotherType } from './redis-port.ts'
import type { PublishRedis } from './redis-port.ts'
import type { ShardSigner } from './sign.ts'

const TIMEOUT_MS = 5_000
const READ_AT_ONCE = 64

/**
 * The digests of all virtual keys that are published, by the keys' ids: what sidecars accept at this moment. A shard that
 * somebody else wrote counts as none. @throws where Redis does not answer
 */
export async function publishedDigests(
  redis: PublishRedis,
  signer: ShardSigner,
): Promise<ReadonlyMap<string, readonly KeyDigest[]>> {
  const names = [
    ...hashReply((await redis.send(INDEX_KEY, ['HGETALL', INDEX_KEY], { timeoutMs: TIMEOUT_MS })) ?? []).keys(),
  ]
  const owners = names.filter((name) => ownerOfShard(name) !== undefined)
  const found = new Map<string, readonly KeyDigest[]>()
  for (let at = 0; at < owners.length; at += READ_AT_ONCE) {
    const shards = await Promise.all(owners.slice(at, at + READ_AT_ONCE).map((name) => readShard(redis, signer, name)))
    for (const shard of shards) for (const [id, digests] of digestsIn(shard)) found.set(id, digests)
  }
  return found
}

/** Whether it is this installation that has published. @throws where Redis does not answer */
export async function isOwnPublication(redis: PublishRedis, signer: ShardSigner): Promise<boolean> {
  return (await readShard(redis, signer, CATALOG_SHARD)) !== undefined
}

/** Signatures are deterministic: signing again in the same place tells whether a document is ours. */
export function isSigned(shard: Shard, document: string, signer: ShardSigner): boolean {
  return renderShard(signer.sign(shard, shard)) === document
}

async function readShard(redis: PublishRedis, signer: ShardSigner, name: string): Promise<Shard | undefined> {
  const document = await redis.send(name, ['GET', name], { timeoutMs: TIMEOUT_MS }).catch(noneOfAnotherType)
  if (typeof document !== 'string') return undefined
  try {
    const shard = parseShard(name, document)
    return isSigned(shard, document, signer) ? shard : undefined
  } catch {
    return undefined
  }
}

/** The body is our own writing: its signature has been checked. */
function digestsIn(shard: Shard | undefined): (readonly [string, readonly KeyDigest[]])[] {
  const body: unknown = shard === undefined ? undefined : JSON.parse(shard.body)
  const keys = isJsonObject(body) && Array.isArray(body['virtualKeys']) ? body['virtualKeys'] : []
  return keys.flatMap((key) => {
    if (!isJsonObject(key) || typeof key['id'] !== 'string' || !Array.isArray(key['digests'])) return []
    return [[key['id'], key['digests'].flatMap(toDigest)] as const]
  })
}

function toDigest(value: unknown): KeyDigest[] {
  if (!isJsonObject(value) || typeof value['digest'] !== 'string') return []
  const { digest, notAfterMs } = value
  return typeof notAfterMs === 'number' ? [{ digest, notAfterMs }] : [{ digest }]
}
