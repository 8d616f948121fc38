import t, { type Test } from 'tap'
import { contentHash } from '../../../src/crypto/content-hash.ts'
import { acknowledgedRevisions } from '../../../src/operator/publish/acknowledgements.ts'
import { listenForHints } from '../../../src/operator/publish/hints.ts'
import { FencedError, highestEpoch, Publisher } from '../../../src/operator/publish/publisher.ts'
import { createSigner, generateSigningKey } from '../../../src/operator/publish/sign.ts'
import { Acknowledger } from '../../../src/proxy/config/acknowledge.ts'
import { createVerifier } from '../../../src/proxy/config/verify.ts'
import { parseShard, splitSnapshot, type ShardContent } from '../../../src/domain/snapshot/shards.ts'
import { Secret } from '../../../src/domain/secret.ts'
import type { RedisConnection } from '../../../src/proxy/stores/redis/redis-client.ts'
import { connectedRedis } from '../../helpers/connected-redis.ts'
import { keyEntry, snapshotOf } from '../../helpers/snapshots.ts'
import { startRedis, until, type RedisServer } from '../../helpers/redis.ts'

const signer = createSigner(generateSigningKey())
const verify = createVerifier([signer.publicKey])

async function start(t: Test) {
  const server = await startRedis()
  const redis = await connectedRedis(t, server)
  return { server, redis }
}

function publisher(redis: RedisConnection, epoch = 1): Publisher {
  return new Publisher({ redis, signer, epoch, contentHash, now: Date.now })
}

function shardsOf(...keys: readonly string[]): readonly ShardContent[] {
  return splitSnapshot(snapshotOf({ virtualKeys: keys.map((id) => keyEntry(id)) }), [], contentHash)
}

async function writes(server: RedisServer): Promise<number> {
  const stats = await server.cli('INFO', 'commandstats')
  return [...stats.matchAll(/cmdstat_(?:set|del|hset|hdel|publish):calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  )
}

t.test('shards are published signed; publishing the same again writes nothing, nor does a new leader', async (t) => {
  const { server, redis } = await start(t)
  const first = publisher(redis)
  t.same(await first.publish(shardsOf('a/x', 'b/y')), { type: 'published', written: 4, removed: 0 })
  const document = await server.cli('GET', 'tg:cfg:ns:a')
  t.doesNotThrow(() => verify(parseShard('tg:cfg:ns:a', document)))
  const before = await writes(server)
  t.match(await first.publish(shardsOf('a/x', 'b/y')), { written: 0, removed: 0 })
  t.match(await publisher(redis, 2).publish(shardsOf('a/x', 'b/y')), { written: 0, removed: 0 })
  t.equal(await writes(server), before)
})

t.test('only what has changed is written', async (t) => {
  const { server, redis } = await start(t)
  const one = publisher(redis)
  await one.publish(shardsOf('a/x', 'b/y'))
  const catalog = await server.cli('GET', 'tg:cfg:catalog')
  t.match(await one.publish(shardsOf('a/x', 'b/y', 'b/z')), { written: 1, removed: 0 })
  t.equal(await server.cli('GET', 'tg:cfg:catalog'), catalog)
  const keys = parseShard('tg:cfg:ns:b', await server.cli('GET', 'tg:cfg:ns:b'))
  t.match(keys.body, /b\/z/)
})

t.test('a key is taken back on a Redis whose memory is used up', async (t) => {
  const { server, redis } = await start(t)
  const one = publisher(redis)
  await one.publish(shardsOf('a/x', 'a/y'))
  await server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '1')
  await t.rejects(redis.send('answer', ['SET', 'answer', 'of the cache']), 'nothing else is written there')
  t.match(await one.publish(shardsOf('a/y')), { written: 1, removed: 0 })
  t.notMatch(parseShard('tg:cfg:ns:a', await server.cli('GET', 'tg:cfg:ns:a')).body, /a\/x/)
})

t.test('an owner that is gone gets a signed empty shard that expires; another shard is deleted', async (t) => {
  const { server, redis } = await start(t)
  const one = publisher(redis)
  await one.publish(shardsOf('a/x', 'b/y'))
  t.match(await one.publish(shardsOf('a/x').filter(({ name }) => name !== 'tg:cfg:org:acme')), { removed: 2 })
  const emptied = parseShard('tg:cfg:ns:b', await server.cli('GET', 'tg:cfg:ns:b'))
  verify(emptied)
  t.equal(emptied.body, '{"virtualKeys":[]}')
  t.ok(Number(await server.cli('PTTL', 'tg:cfg:ns:b')) > 0)
  t.equal((await server.cli('EXISTS', 'tg:cfg:org:acme')).trim(), '0')
  t.match(await one.publish(shardsOf('a/x', 'b/y')), { written: 2 })
  t.equal((await server.cli('PTTL', 'tg:cfg:ns:b')).trim(), '-1', 'an owner that comes back stays')
})

t.test('what was removed while no operator ran is removed by the next one', async (t) => {
  const { server, redis } = await start(t)
  await publisher(redis).publish(shardsOf('a/x', 'b/y'))
  t.match(await publisher(redis, 2).publish(shardsOf('a/x')), { written: 0, removed: 1 })
  t.match(await server.cli('GET', 'tg:cfg:ns:b'), /virtualKeys\\":\[\]/)
})

t.test('a leader whose term is over cannot write', async (t) => {
  const { server, redis } = await start(t)
  const stale = publisher(redis, 1)
  await stale.publish(shardsOf('a/x'))
  await publisher(redis, 2).publish(shardsOf('a/x', 'a/y'))
  t.equal(await highestEpoch(redis), 2)
  const before = await server.cli('GET', 'tg:cfg:ns:a')
  t.same(await stale.publish(shardsOf('a/x', 'a/stale')), { type: 'fenced', epoch: 2 })
  await t.rejects(stale.verifyPublished(), FencedError)
  t.equal(await server.cli('GET', 'tg:cfg:ns:a'), before)
})

t.test('drift is repaired and counted: edits, deletions, other types, an emptied Redis', async (t) => {
  const { server, redis } = await start(t)
  const one = publisher(redis)
  await one.publish(shardsOf('a/x', 'b/y'))
  t.equal(await one.verifyPublished(), 0)
  const good = await server.cli('GET', 'tg:cfg:catalog')
  const repaired = async (expected: number, ...command: string[]) => {
    await server.cli(...command)
    t.equal(await one.verifyPublished(), expected, command.join(' ').slice(0, 60))
    const document = await server.cli('GET', 'tg:cfg:catalog')
    t.equal(parseShard('tg:cfg:catalog', document).body, parseShard('tg:cfg:catalog', good).body)
  }
  await repaired(1, 'SET', 'tg:cfg:catalog', good.trim().replace('example', 'evil'))
  await repaired(1, 'DEL', 'tg:cfg:ns:a')
  await repaired(1, 'HDEL', 'tg:cfg:index', 'tg:cfg:ns:b')
  await repaired(4, 'FLUSHALL')
  await server.cli('DEL', 'tg:cfg:catalog')
  await repaired(1, 'LPUSH', 'tg:cfg:catalog', 'x')
  await server.cli('DEL', 'tg:cfg:index')
  await repaired(4, 'SET', 'tg:cfg:index', 'x')
  t.equal(await one.verifyPublished(), 0)
})

t.test('after an error what Redis holds is found out again', async (t) => {
  const { server, redis } = await start(t)
  const one = publisher(redis)
  await one.publish(shardsOf('a/x'))
  await server.kill()
  await t.rejects(one.publish(shardsOf('a/x', 'b/y')))
  await server.restart()
  await redis.waitUntilReady(20_000)
  t.match(await one.publish(shardsOf('a/x', 'b/y')), { type: 'published', written: 4 })
})

t.test('a signing key that is not one is refused without showing it', async (t) => {
  t.throws(() => createSigner(new Secret('very private')), { message: /not an Ed25519 private key/ })
  t.throws(() => createVerifier([]), TypeError)
  t.throws(() => createVerifier([Buffer.from('x')]), TypeError)
})

t.test('a shard verifies under the key that signed it, in its own place and unaltered only', async (t) => {
  const [content] = shardsOf('a/x')
  if (content === undefined) throw new Error('no shard')
  const shard = signer.sign(content, { epoch: 1, sequence: 1 })
  const other = createSigner(generateSigningKey())
  t.doesNotThrow(() => createVerifier([other.publicKey, signer.publicKey])(shard), 'one of two keys during a rotation')
  t.throws(() => createVerifier([other.publicKey])(shard), { name: 'InvalidSnapshotError' })
  for (const change of [{ body: '{}' }, { name: 'tg:cfg:ns:b' }, { epoch: 2 }, { sequence: 2 }, { signature: '' }])
    t.throws(() => verify({ ...shard, ...change }), { name: 'InvalidSnapshotError' })
})

t.test('sidecars tell what they run, when it changes and once a minute, and are forgotten when they end', async (t) => {
  const { server, redis } = await start(t)
  let now = 0
  const pod = new Acknowledger('a', 'pod-1', () => now)
  const running = { revision: 'r1', shards: { 'tg:cfg:ns:a': 's1' } }
  await pod.tell(redis, running)
  await new Acknowledger('a', 'pod-2', () => now).tell(redis, { revision: 'r2', shards: { 'tg:cfg:ns:a': 's2' } })
  const told = await acknowledgedRevisions(redis, 'a')
  t.same([...told].toSorted(), [
    ['pod-1', running],
    ['pod-2', { revision: 'r2', shards: { 'tg:cfg:ns:a': 's2' } }],
  ])
  const before = await writes(server)
  now += 59_000
  await pod.tell(redis, running)
  t.equal(await writes(server), before, 'nothing is written before the minute is over')
  now += 1_000
  await pod.tell(redis, running)
  t.equal(await writes(server), before + 1)
  await server.cli('DEL', 'tg:ack:a:pod-2')
  await server.cli('SET', 'tg:ack:a:pod-3', 'not json')
  await server.cli('SADD', 'tg:ack:a', 'pod-3')
  const left = await acknowledgedRevisions(redis, 'a')
  t.same([...left.keys()], ['pod-1'])
  t.same((await server.cli('SMEMBERS', 'tg:ack:a')).trim().split('\n').toSorted(), ['pod-1', 'pod-3'])
})

t.test('a publication is heard, also after Redis was away', async (t) => {
  const { server, redis } = await start(t)
  const heard: (readonly string[])[] = []
  const hints = listenForHints({ url: server.url, onHint: (names) => heard.push(names), random: () => 0 })
  t.teardown(() => hints.close())
  const listens = async () => (await server.cli('PUBSUB', 'NUMSUB', 'tg:cfg:changed')).includes('\n1')
  await until(listens)
  const one = publisher(redis)
  await one.publish(shardsOf('a/x'))
  await until(() => heard.length === 1)
  t.same(heard[0], ['tg:cfg:catalog', 'tg:cfg:org:acme', 'tg:cfg:ns:a'])
  await server.kill()
  await server.restart()
  await until(listens)
  await redis.waitUntilReady(20_000)
  await one.verifyPublished()
  await until(() => heard.length === 2)
  t.equal(heard[1]?.length, 3)
})

t.test('what a tenant has spoilt is no acknowledgement, and hinders no other', async (t) => {
  const { server, redis } = await start(t)
  await server.cli('SET', 'tg:ack:a', 'x')
  t.same([...(await acknowledgedRevisions(redis, 'a'))], [])
  await server.cli('SADD', 'tg:ack:b', 'p')
  await server.cli('HSET', 'tg:ack:b:p', 'x', 'y')
  t.same([...(await acknowledgedRevisions(redis, 'b'))], [])
})

t.test('of what a tenant writes without a bound only so much is read, and the rest is cleared away', async (t) => {
  const { server, redis } = await start(t)
  const pod = new Acknowledger('a', 'pod-1', () => 0)
  await pod.tell(redis, { revision: 'r1', shards: { 'tg:cfg:ns:a': 's1' } })
  const fill = (script: string) => server.cli('EVAL', script, '0')
  await fill("for i = 1, 30000 do redis.call('SADD', 'tg:ack:a', 'nobody-' .. i) end")
  await fill("for i = 1, 4 do redis.call('SADD', 'tg:ack:a', i .. string.rep('x', 1000000)) end")
  await fill("redis.call('SADD', 'tg:ack:a', 'big') redis.call('SET', 'tg:ack:a:big', string.rep('x', 50000000))")
  const bytes = async () => Number(/total_net_output_bytes:(\d+)/.exec(await server.cli('INFO', 'stats'))?.[1])
  const before = await bytes()
  await acknowledgedRevisions(redis, 'a')
  t.ok((await bytes()) - before < 2_000_000, 'less than what two of its entries hold')
  t.ok(Number(await server.cli('SCARD', 'tg:ack:a')) < 30_000, 'names of nobody are taken out')
  while (Number(await server.cli('SCARD', 'tg:ack:a')) > 2) await acknowledgedRevisions(redis, 'a')
  t.same([...(await acknowledgedRevisions(redis, 'a')).keys()], ['pod-1'])
})
