/** Publishing to a Redis Cluster, whose nodes share the shards, and what a sidecar reads there. */
import t from 'tap'
import type { Test } from 'tap'
import { contentHash } from '../../../src/crypto/content-hash.ts'
import { createLook } from '../../../src/operator/controllers/look.ts'
import { publishedDigests } from '../../../src/operator/publish/published-shards.ts'
import { FencedError, Publisher } from '../../../src/operator/publish/publisher.ts'
import { createSigner, generateSigningKey } from '../../../src/operator/publish/sign.ts'
import { ShardReader } from '../../../src/proxy/config/shard-reader.ts'
import { createVerifier } from '../../../src/proxy/config/verify.ts'
import { assembleSnapshot, splitSnapshot, type ShardContent } from '../../../src/domain/snapshot/shards.ts'
import type { RedisConnection } from '../../../src/proxy/stores/redis/redis-client.ts'
import { connectedRedis } from '../../helpers/connected-redis.ts'
import { keyEntry, snapshotOf } from '../../helpers/snapshots.ts'
import { startCluster } from '../../helpers/redis.ts'

const signer = createSigner(generateSigningKey())

async function start(t: Test) {
  const cluster = await startCluster()
  const redis = await connectedRedis(t, cluster)
  return { cluster, redis }
}

function publisher(redis: RedisConnection, epoch: number): Publisher {
  return new Publisher({ redis, signer, epoch, contentHash, now: Date.now })
}

/** Owners enough for all nodes. */
const OWNERS = Array.from({ length: 12 }, (_unused, index) => `team-${index}`)

function shardsOf(...more: readonly string[]): readonly ShardContent[] {
  const virtualKeys = [...OWNERS.map((owner) => `${owner}/x`), ...more].map((id) => keyEntry(id))
  return splitSnapshot(snapshotOf({ virtualKeys }), [], contentHash)
}

t.test('shards are spread over the nodes, and a sidecar reads its own', async (t) => {
  const { cluster, redis } = await start(t)
  const one = publisher(redis, 1)
  t.match(await one.publish(shardsOf()), { type: 'published', written: 14, removed: 0 })
  for (const node of cluster.nodes) t.ok(Number((await node.cli('DBSIZE')).trim()) > 0)
  t.match(await one.publish(shardsOf()), { written: 0 })
  t.match(await one.publish(shardsOf('team-1/y')), { written: 1 })
  t.equal(await createLook(redis, 1)(shardsOf('team-1/y')), true)
  t.same(
    [...(await publishedDigests(redis, signer)).keys()].toSorted(),
    [...OWNERS.map((owner) => `${owner}/x`), 'team-1/y'].toSorted(),
  )
  const { shards, refused } = await new ShardReader('team-1').look(redis, createVerifier([signer.publicKey]))
  t.same(refused, [])
  t.same(
    assembleSnapshot(shards, contentHash).snapshot.virtualKeys.map(({ id }) => id),
    ['team-1/x', 'team-1/y'],
  )
  await redis.send('tg:cfg:ns:team-1', ['DEL', 'tg:cfg:ns:team-1'])
  t.equal(await one.verifyPublished(), 1, 'drift is repaired')
})

t.test(
  'a leader whose term is over can write no shard, not even one that its successor had no reason to change',
  async (t) => {
    const { redis } = await start(t)
    const stale = publisher(redis, 1)
    await stale.publish(shardsOf())
    t.match(await publisher(redis, 2).publish(shardsOf()), { written: 14 }, 'each shard becomes its own fence')
    const before = await redis.send('tg:cfg:ns:team-3', ['GET', 'tg:cfg:ns:team-3'])
    t.same(await stale.publish(shardsOf('team-3/stale')), { type: 'fenced', epoch: 2 })
    await t.rejects(stale.verifyPublished(), FencedError)
    // It has passed the first fence, then slept.
    await redis.send('tg:cfg:epoch', ['SET', 'tg:cfg:epoch', '1'])
    t.same(await stale.publish(shardsOf('team-3/stale')), { type: 'fenced', epoch: 2 })
    t.equal(await redis.send('tg:cfg:ns:team-3', ['GET', 'tg:cfg:ns:team-3']), before)
  },
)
