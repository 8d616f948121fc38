import t, { type Test } from 'tap'
import type { QuotaPlan } from '../../../../src/domain/quota/limits.ts'
import type { Reservation } from '../../../../src/proxy/pipeline/quota-port.ts'
import { connectRedis, type RedisConnection } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { RedisUnavailableError } from '../../../../src/proxy/stores/redis/redis-errors.ts'
import { RedisQuotaStore } from '../../../../src/proxy/stores/redis/redis-quota-store.ts'
import { charge, need, plan } from '../../../helpers/quota.ts'
import { startAclRedis, startCluster, startRedis, type RedisCluster, type RedisServer } from '../../../helpers/redis.ts'
import { quotaStoreContract } from '../quota-store-contract.ts'

/** Generous, because the machine may be busy: bounds are the business of redis-client.test.ts. */
const TIMEOUT_MS = 20_000

t.test('on one server', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  await contractOn(t, server.url)
})

t.test('on a cluster of three masters', async (t) => {
  const cluster = await startCluster()
  t.teardown(() => cluster.stop())
  await contractOn(t, cluster.url)
})

t.test('while a slot moves from node to node nothing is charged by half, nor counted anew', async (t) => {
  const cluster = await startCluster()
  t.teardown(() => cluster.stop())
  const store = new RedisQuotaStore(await connected(t, cluster.url))
  const own = plan({ key: { budgets: [{ window: 'Total', limit: 100 }] } })
  const reserved = async (id: string) => {
    const admission = await store.admit({ id, plan: own, need: need(20) })
    if (admission.type === 'refused') throw new Error(admission.reason)
    return admission.reservation
  }
  const reservations = [await reserved('a'), await reserved('b')] as const
  const counter = 'tg:q:{acme}:key/team/app:Total:0'
  for (const [settled, moved] of [
    [reservations[0], [counter]],
    [reservations[1], ['tg:q:{acme}:open', 'tg:q:{acme}:reservations']],
  ] as const) {
    const moving = await beginMove(cluster, counter)
    await moving.move(...moved)
    await t.rejects(store.settle(settled, charge(10)), 'is repeated later')
    await t.rejects(reserved('c'), 'by neither node')
    await moving.end()
    await store.settle(settled, charge(10))
  }
  t.match((await store.usage(own)).limits, [{ spent: 20, reserved: 0 }])
})

t.test('as an ACL user that may touch one organization only', async (t) => {
  const commands = '+@hash +@sortedset +eval +evalsha +get +set +exists +pexpire +time'
  const server = await startAclRedis('acme', 'secret', `~tg:q:{acme}:* ${commands}`)
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  const store = new RedisQuotaStore(redis)
  const limits = {
    key: { budgets: [{ limit: 100 }], rateLimits: { requestsPerMinute: 5, tokensPerMinute: 500, maxConcurrent: 2 } },
  }
  const own = plan(limits, { organization: 'acme' })
  const admission = await store.admit({ id: 'a', plan: own, need: need(60) })
  if (admission.type === 'refused') throw new Error(admission.reason)
  t.match(await store.extend(admission.reservation, need(10)), { type: 'extended' })
  await store.renew(admission.reservation)
  await store.settle(admission.reservation, charge(50))
  t.match((await store.usage(own)).limits, [{ spent: 50, reserved: 0 }])
  await t.rejects(store.usage(plan(limits, { organization: 'other' })), 'of another organization')
})

t.test('on a server whose memory others have used up', async (t) => {
  const server = await startRedis(['--maxmemory-policy', 'noeviction'])
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  await server.cli('CONFIG', 'SET', 'maxmemory', '1')
  await t.rejects(redis.send('answer', ['SET', 'answer', 'of the cache']), 'nothing else is written there')
  const store = new RedisQuotaStore(redis)
  const own = plan({ key: { budgets: [{ limit: 100 }], rateLimits: { maxConcurrent: 2 } } })
  const admission = await store.admit({ id: 'a', plan: own, need: need(60) })
  if (admission.type === 'refused') throw new Error(admission.reason)
  t.match(await store.extend(admission.reservation, need(10)), { type: 'extended' })
  await store.renew(admission.reservation)
  await store.settle(admission.reservation, charge(50))
  t.match((await store.usage(own)).limits, [{ spent: 50, reserved: 0 }])
  t.match(await store.admit({ id: 'b', plan: own, need: need(60) }), { type: 'refused' }, 'limits hold as ever')
})

t.test('every key it leaves has an expiry', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  const store = new RedisQuotaStore(redis)
  const windows = ['Hour', 'Month', 'Total'] as const
  const budgets = windows.flatMap((window) => [{ window }, { window, reset: 'Rolling' as const }])
  const own = plan({ key: { budgets, rateLimits: { requestsPerMinute: 5, tokensPerMinute: 500, maxConcurrent: 2 } } })
  const open = await store.admit({ id: 'open', plan: own, need: need(1) })
  const ended = await store.admit({ id: 'ended', plan: own, need: need(1) })
  if (open.type === 'refused' || ended.type === 'refused') throw new Error('refused')
  await store.settle(ended.reservation, charge(1))
  await store.settle({ id: 'grace', plan: own, origin: 'unconfirmed' }, charge(1))
  const keys = (await server.cli('KEYS', '*')).trim().split('\n')
  t.ok(keys.length >= 9, keys.join())
  for (const key of keys) {
    t.match(key, /^tg:q:\{acme\}:/)
    t.ok(Number(await server.cli('PTTL', key)) > 0, key)
  }
})

t.test('settles and charges what a proxy of an earlier version reserved', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  let now = Date.UTC(2026, 0, 1, 12)
  const store = new RedisQuotaStore(redis, { now: () => now })
  const own = plan({
    key: {
      budgets: [{ limit: 100 }, { window: 'Hour', reset: 'Rolling', limit: 100 }],
      rateLimits: { maxConcurrent: 5 },
    },
  })
  // The form of a record, which several versions of the scripts share during a rolling update.
  const key = 'tg:q:{acme}:key/team/app'
  const write = `
    local record = {
      b = { 60, 10, 20 }, t = {}, c = { '${key}:rate' },
      w = { { '${key}:Day:1767225600', 0, 1767312000000 }, { '${key}:Hour:rolling', 60000, 0 } },
    }
    for _, window in ipairs(record.w) do
      for unit = 1, 3 do redis.call('HINCRBY', window[1], 'r' .. unit, record.b[unit]) end
    end
    redis.call('HINCRBY', '${key}:rate', 'n', 1)
    redis.call('HSET', 'tg:q:{acme}:reservations', ARGV[1], cmsgpack.pack(record))
    redis.call('ZADD', 'tg:q:{acme}:open', ARGV[2], ARGV[1])`
  for (const id of ['settled', 'expired']) await server.cli('EVAL', write, '0', id, String(now + 60_000))
  t.match((await store.usage(own)).limits, [{ reserved: 120 }, { reserved: 120 }])
  await store.settle({ id: 'settled', plan: own, origin: 'store' }, charge(25))
  t.match((await store.usage(own)).limits, [
    { spent: 25, reserved: 60 },
    { spent: 25, reserved: 60 },
  ])
  now += 60_000
  t.match(await store.usage(own), {
    limits: [
      { spent: 85, reserved: 0 },
      { spent: 85, reserved: 0 },
    ],
    rateLimits: [{ concurrent: { open: 0 } }],
  })
})

t.test('what is asked in one moment goes in few calls', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  const store = new RedisQuotaStore(redis)
  const own = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const other = plan({ key: { budgets: [{ limit: 1_000 }] } }, { key: 'team/other' })
  await store.settle(await admitted(store, own, 'first'), charge(0))
  await server.cli('CONFIG', 'RESETSTAT')
  const reservations = await Promise.all(
    Array.from({ length: 40 }, (_, index) => admitted(store, index % 10 === 0 ? other : own, `r${index}`)),
  )
  t.equal(await scriptCalls(server), 3, '36 of one key, 32 at most in a call, and 4 of another')
  const settling = reservations.map((reservation, index) => store.settle(reservation, charge(index)))
  await admitted(store, own, 'next')
  await Promise.all(settling)
  t.equal(await scriptCalls(server), 6, 'what has ended goes with what is asked next, whatever plan it is of')
  t.match((await store.usage(other)).limits, [{ spent: 0 + 10 + 20 + 30, reserved: 0 }])
  t.match((await store.usage(own)).limits, [{ spent: (39 * 40) / 2 - 60, reserved: 10 }])
})

t.test('what has ended is settled before anything else is asked', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const store = new RedisQuotaStore(await connected(t, server.url))
  const limits = { organization: { budgets: [{ limit: 10 }] } }
  const [own, other] = [plan(limits), plan(limits, { key: 'team/other' })]
  const first = await admitted(store, own, 'first')
  const asked: Record<string, () => Promise<unknown>> = {
    'an admission of the plan': () => admitted(store, own, 'second'),
    'an admission of another plan with the same limits': () => admitted(store, other, 'second'),
    'the usage': () => store.usage(other),
  }
  let reservation = first
  for (const [name, ask] of Object.entries(asked)) {
    const settled = store.settle(reservation, charge(0))
    await t.resolves(ask(), name)
    await settled
    t.match((await store.usage(own)).limits, [{ spent: 0 }], name)
    await server.cli('FLUSHALL')
    reservation = await admitted(store, own, 'first')
  }
  // A charge that comes twice, while the first one has not been sent.
  await Promise.all([store.settle(reservation, charge(4)), store.settle(reservation, charge(7))])
  t.match((await store.usage(own)).limits, [{ spent: 4, reserved: 0 }], 'the second of two settlements changes nothing')
})

t.test('what has ended is settled before several plans ask in one moment', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const store = new RedisQuotaStore(await connected(t, server.url))
  const limits = { organization: { budgets: [{ limit: 20 }], rateLimits: { maxConcurrent: 2 } } }
  const own = plan(limits)
  const other = plan({ ...limits, key: { budgets: [{ limit: 15 }] } }, { key: 'team/other' })
  const ended = [await admitted(store, own, 'a'), await admitted(store, other, 'b')]
  const settled = ended.map((reservation) => store.settle(reservation, charge(0)))
  const asked = [
    store.admit({ id: 'c', plan: own, need: need(10) }),
    store.admit({ id: 'd', plan: own, need: need(10) }),
  ]
  const refused = store.admit({ id: 'e', plan: other, need: need(16) })
  t.match(await Promise.all(asked), [{ type: 'admitted' }, { type: 'admitted' }], 'whatever the other plan asks')
  t.match(await refused, { type: 'refused', reason: 'budget', scope: 'key' })
  await Promise.all(settled)
})

t.test('what has ended is settled where nothing is asked', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const store = new RedisQuotaStore(await connected(t, server.url))
  const own = plan({ key: { budgets: [{ limit: 1_000 }] } })
  // Several one after the other, so that some come while others wait.
  for (let index = 0; index < 20; index++) await store.settle(await admitted(store, own, `r${index}`), charge(1))
  const last = await admitted(store, own, 'last')
  const settled = store.settle(last, charge(1))
  await store.close()
  await settled
  t.match((await store.usage(own)).limits, [{ spent: 21, reserved: 0 }])
})

t.test('a settlement that Redis gets only after it has been repeated charges nothing more', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  let isHeld = false
  const held: Parameters<RedisConnection['run']>[] = []
  const late: RedisConnection = Object.assign(Object.create(redis), {
    async run(...call: Parameters<RedisConnection['run']>) {
      if (!isHeld) return redis.run(...call)
      held.push(call)
      throw new RedisUnavailableError('held up on its way', true)
    },
  })
  const store = new RedisQuotaStore(late)
  const own = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const reservation = await admitted(store, own, 'a')
  isHeld = true
  await t.rejects(store.settle(reservation, charge(7)), RedisUnavailableError)
  isHeld = false
  await store.settle(reservation, charge(7))
  for (const call of held) await redis.run(...call)
  t.match((await store.usage(own)).limits, [{ spent: 7, reserved: 0 }])
})

t.test('a record that cannot be read keeps no other reservation from its settlement', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  const store = new RedisQuotaStore(redis)
  const own = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const [before, broken, after] = await Promise.all(['a', 'b', 'c'].map((id) => admitted(store, own, id)))
  if (before === undefined || broken === undefined || after === undefined) return t.fail()
  await server.cli('HSET', 'tg:q:{acme}:reservations', 'b', 'no record')
  const outcomes = await Promise.allSettled([before, broken, after].map((one) => store.settle(one, charge(20))))
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  )
  t.match((await store.usage(own)).limits, [{ spent: 60 }], 'what nobody can read counts as what is not there')
})

async function admitted(store: RedisQuotaStore, own: QuotaPlan, id: string): Promise<Reservation> {
  const admission = await store.admit({ id, plan: own, need: need(10) })
  if (admission.type === 'refused') throw new Error(admission.reason)
  return admission.reservation
}

async function scriptCalls(server: RedisServer): Promise<number> {
  const stats = await server.cli('INFO', 'commandstats')
  return (
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0) +
    Number(/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1] ?? 0)
  )
}

async function connected(t: Test, url: string): Promise<RedisConnection> {
  const redis = connectRedis(url, { callTimeoutMs: TIMEOUT_MS })
  t.teardown(() => redis.close())
  t.ok(await redis.waitUntilReady(TIMEOUT_MS))
  return redis
}

async function contractOn(t: Test, url: string): Promise<void> {
  const connections = [connectRedis(url), connectRedis(url)] as const
  t.teardown(() => Promise.all(connections.map((connection) => connection.close())))
  for (const connection of connections) t.ok(await connection.waitUntilReady(TIMEOUT_MS))
  let now = 0
  const stores = [storeOn(connections[0]), storeOn(connections[1])] as const
  function storeOn(connection: (typeof connections)[number]) {
    return new RedisQuotaStore(connection, { now: () => now, timeoutMs: TIMEOUT_MS })
  }
  quotaStoreContract(t, async () => ({
    stores,
    setNow: (ms) => {
      now = ms
    },
  }))
}

/** Begins to move a key's slot from its master to another one; its keys go one by one. */
async function beginMove({ nodes }: RedisCluster, key: string) {
  const slot = (await nodes[0]?.cli('CLUSTER', 'KEYSLOT', key))?.trim() ?? ''
  const masters = await Promise.all(
    nodes.map(async ({ port, cli }) => ({
      port: String(port),
      id: (await cli('CLUSTER', 'MYID')).trim(),
      isFrom: !(await cli('EXISTS', key)).startsWith('MOVED'),
      setSlot: (...state: string[]) => cli('CLUSTER', 'SETSLOT', slot, ...state),
      keys: async () => (await cli('CLUSTER', 'GETKEYSINSLOT', slot, '100')).trim().split('\n'),
      migrate: (to: string, keys: readonly string[]) =>
        cli('MIGRATE', '127.0.0.1', to, '', '0', '5000', 'KEYS', ...keys),
    })),
  )
  const from = masters.find(({ isFrom }) => isFrom)
  const to = masters.find(({ isFrom }) => !isFrom)
  if (from === undefined || to === undefined) throw new Error(`nobody has slot ${slot}`)
  await to.setSlot('IMPORTING', from.id)
  await from.setSlot('MIGRATING', to.id)
  return {
    move: (...keys: string[]) => from.migrate(to.port, keys),
    end: async () => {
      await from.migrate(to.port, await from.keys())
      for (const { setSlot } of [to, ...masters]) await setSlot('NODE', to.id)
    },
  }
}
