import t from 'tap'
import { CircuitPoll } from '../../../src/operator/health/circuit-poll.ts'
import type { CircuitReport } from '../../../src/operator/health/provider-health.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import { Acknowledger } from '../../../src/proxy/config/acknowledge.ts'
import { connectedRedis } from '../../helpers/connected-redis.ts'
import { startRedis } from '../../helpers/redis.ts'
import { recordedLog } from '../kube/recorded-log.ts'

t.test('reports of sidecars that run are counted; what is too long for one is not read and cleared away', async (t) => {
  const server = await startRedis()
  const redis = await connectedRedis(t, server)
  for (const name of ['pod-1', 'pod-2'])
    await new Acknowledger('team', name, () => 0).tell(redis, { revision: 'r', shards: {} })
  await server.cli('HSET', 'tg:ack:team::circuits', 'pod-1', 'one two', 'pod-2', 'two', 'gone', 'three')
  await server.cli('EVAL', "redis.call('HSET', 'tg:ack:team::circuits', 'big', string.rep('x', 20000000))", '0')
  await server.cli('SET', 'tg:ack:odd::circuits', 'of another type')
  const bytes = async () => Number(/total_net_output_bytes:(\d+)/.exec(await server.cli('INFO', 'stats'))?.[1])
  const before = await bytes()
  const report = Promise.withResolvers<ReadonlyMap<string, CircuitReport>>()
  const poll = new CircuitPoll({
    redis,
    timing: SYSTEM_TIMING,
    log: recordedLog(),
    owners: () => ['team', 'odd', 'silent'],
    onReport: report.resolve,
  })
  t.teardown(() => poll.stop())
  poll.lead(() => true)
  t.strictSame(Object.fromEntries(await report.promise), {
    one: { open: 1, sidecars: 2 },
    two: { open: 2, sidecars: 2 },
  })
  t.ok((await bytes()) - before < 1_000_000)
  t.strictSame((await server.cli('HKEYS', 'tg:ack:team::circuits')).trim().split('\n').toSorted(), ['pod-1', 'pod-2'])
})
