/**
 * Somebody else has written over what the scripts keep, or a server refuses a part of what they do: what goes in the same
 * call is charged all the same, and once.
 */
import t, { type Test } from 'tap'
import type { QuotaPlan } from '../../../../src/domain/quota/limits.ts'
import type { Reservation } from '../../../../src/proxy/pipeline/quota-port.ts'
import { RedisConnection } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { RedisQuotaStore } from '../../../../src/proxy/stores/redis/redis-quota-store.ts'
import { parseRedisUrl } from '../../../../src/proxy/stores/redis/redis-url.ts'
import { connectedRedis } from '../../../helpers/connected-redis.ts'
import { charge, need, plan } from '../../../helpers/quota.ts'
import { startRedis, type RedisServer } from '../../../helpers/redis.ts'

/** Noon on the first of January 2026. */
const NOON = Date.UTC(2026, 0, 1, 12)
const BASE = 'tg:q:{acme}'
const KEY = `${BASE}:key/team/app`
const OWN = plan({
  key: {
    budgets: [{ limit: 1_000 }, { limit: 1_000, window: 'Hour', reset: 'Rolling' }],
    rateLimits: { maxConcurrent: 10 },
  },
})

/** Spent and reserved in the day and in the last hour, and the requests that count as open. */
type Figures = readonly [day: readonly [number, number], hour: readonly [number, number], open: number]

interface Breaking {
  /** What breaks the second of three reservations of 10. */
  readonly commands: readonly (readonly string[])[]
  readonly mend?: readonly string[]
  /** After all three have been settled at 20. */
  readonly figures: Figures
}

const BROKEN: Readonly<Record<string, Breaking>> = {
  'a record whose last window makes no sense': {
    commands: [changeRecord("record.w[2] = 'none'")],
    figures: [[60, 0], [40, 10], 0],
  },
  'a record without scopes, which counts as one that is not there': {
    commands: [changeRecord('record.c = nil')],
    figures: [[60, 10], [60, 10], 1],
  },
  'what became of an expired reservation': {
    commands: [
      ['HDEL', `${BASE}:reservations`, 'b'],
      ['SET', `${BASE}:ended:b`, 'nothing'],
    ],
    figures: [[40, 10], [40, 10], 1],
  },
  'a counter of rates': {
    commands: [['SET', `${KEY}:rate`, 'none']],
    mend: ['DEL', `${KEY}:rate`],
    figures: [[60, 0], [60, 0], 0],
  },
  'an amount that is no number': {
    commands: [['HSET', `${KEY}:Day:1767225600`, 's1', 'none']],
    mend: ['HSET', `${KEY}:Day:1767225600`, 's1', '0'],
    figures: [[0, 30], [60, 0], 0],
  },
  'a number of requests that is none': {
    commands: [['HSET', `${KEY}:Day:1767225600`, 'q', 'none']],
    mend: ['HDEL', `${KEY}:Day:1767225600`, 'q'],
    figures: [[0, 30], [60, 0], 0],
  },
}

t.test('what cannot be read is passed over, and all else of the settlements is charged once', async (t) => {
  for (const [name, { commands, mend, figures }] of Object.entries(BROKEN)) {
    await t.test(name, async (t) => {
      const { server, store } = await started(t)
      const reservations = await Promise.all(['a', 'b', 'c'].map((id) => admitted(store, id)))
      for (const command of commands) await server.cli(...command)
      await Promise.allSettled(reservations.map((reservation) => store.settle(reservation, charge(20))))
      if (mend !== undefined) await server.cli(...mend)
      t.strictSame(await figuresOf(store), figures)
    })
  }
})

t.test('what is settled stays so where the admissions of the same call meet what they cannot read', async (t) => {
  const { server, store } = await started(t)
  const ended = await admitted(store, 'ended')
  await server.cli('SET', `${KEY}:rate`, 'none')
  const settled = store.settle(ended, charge(20))
  await t.rejects(admitted(store, 'next'), 'a limit that cannot be read lets nothing pass')
  await settled
  await server.cli('DEL', `${KEY}:rate`)
  t.strictSame(await figuresOf(store), [[20, 0], [20, 0], 0])
})

t.test('a refusal that meets a bucket that is none leaves what was admitted with it', async (t) => {
  const { server, store } = await started(t)
  const own = plan({ key: { budgets: [{ limit: 1_000, window: 'Hour', reset: 'Rolling' }] } })
  await store.settle(await admitted(store, 'first', own), charge(20))
  await server.cli('HSET', `${KEY}:Hour:rolling`, `b${NOON / 60_000}`, 'none')
  const asked = [need(10), need(990)].map((one, index) => store.admit({ id: `${index}`, plan: own, need: one }))
  t.match(await Promise.all(asked), [{ type: 'admitted' }, { type: 'refused', reason: 'budget' }])
})

t.test('a count of open requests that nobody limits is not read, and leaves nothing reserved', async (t) => {
  const { server, store } = await started(t)
  const own = plan({ key: { budgets: [{ limit: 1_000 }], rateLimits: { requestsPerMinute: 10 } } })
  await server.cli('HSET', `${KEY}:rate`, 'n', 'none')
  await store.settle(await admitted(store, 'a', own), charge(20))
  t.match(await store.usage(own), { limits: [{ spent: 20, reserved: 0 }] })
})

t.test('what has expired is charged where the same call meets what it cannot read', async (t) => {
  const asked: Record<string, (store: RedisQuotaStore) => Promise<unknown>> = {
    'a usage': (store) => store.usage(OWN),
    'an admission': (store) => admitted(store, 'next'),
  }
  for (const [name, ask] of Object.entries(asked)) {
    const { server, store, setNow } = await started(t)
    await admitted(store, 'left')
    setNow(NOON + 60_000)
    await server.cli('SET', `${KEY}:rate`, 'none')
    await t.rejects(ask(store), name)
    await server.cli('DEL', `${KEY}:rate`)
    t.strictSame(await figuresOf(store), [[10, 0], [10, 0], 0], name)
  }
})

t.test('an expired record that cannot be read keeps no other from its charge', async (t) => {
  const { server, store, setNow } = await started(t)
  const [, ended] = [await admitted(store, 'a'), await admitted(store, 'ended'), await admitted(store, 'b')]
  for (const command of [changeRecord('record = 1'), ['ZADD', `${BASE}:open`, '1', 'b']]) await server.cli(...command)
  setNow(NOON + 60_000)
  await store.settle(ended, charge(20))
  t.strictSame(await figuresOf(store), [[30, 10], [30, 10], 1], 'nobody knows what the other one had reserved')
  t.equal((await server.cli('ZCARD', `${BASE}:open`)).trim(), '0', 'it is not tried again')
})

t.test('a server that knows no flags of scripts and has no memory left charges a settlement once', async (t) => {
  const server = await startRedis(['--maxmemory-policy', 'noeviction'])
  const redis = new FlaglessRedis(parseRedisUrl(server.url), { callTimeoutMs: 20_000 })
  t.teardown(async () => {
    await redis.close()
    await server.stop()
  })
  t.ok(await redis.waitUntilReady(20_000))
  const store = new RedisQuotaStore(redis)
  for (const own of [OWN, plan({ key: { budgets: [{}], rateLimits: { maxConcurrent: 10 } } }, { key: 'team/other' })]) {
    const reservation = await admitted(store, 'a', own)
    await server.cli('CONFIG', 'SET', 'maxmemory', '1')
    await store.settle(reservation, charge(20))
    await server.cli('CONFIG', 'SET', 'maxmemory', '0')
    t.match(await store.usage(own), { limits: [{ spent: 20, reserved: 0 }], rateLimits: [{ concurrent: { open: 0 } }] })
  }
})

/** Sends scripts as to Redis 6. */
class FlaglessRedis extends RedisConnection {
  override run(...[script, ...rest]: Parameters<RedisConnection['run']>): Promise<unknown> {
    return super.run(script.headless ?? script, ...rest)
  }
}

function changeRecord(change: string): readonly string[] {
  const script = `
    local record = cmsgpack.unpack(redis.call('HGET', '${BASE}:reservations', 'b'))
    ${change}
    redis.call('HSET', '${BASE}:reservations', 'b', cmsgpack.pack(record))`
  return ['EVAL', script, '0']
}

async function started(t: Test): Promise<Started> {
  const server = await startRedis()
  let now = NOON
  const store = new RedisQuotaStore(await connectedRedis(t, server), { now: () => now })
  return { server, store, setNow: (ms) => (now = ms) }
}

interface Started {
  readonly server: RedisServer
  readonly store: RedisQuotaStore
  setNow(ms: number): void
}

async function admitted(store: RedisQuotaStore, id: string, own: QuotaPlan = OWN): Promise<Reservation> {
  const admission = await store.admit({ id, plan: own, need: need(10) })
  if (admission.type === 'refused') throw new Error(admission.reason)
  return admission.reservation
}

async function figuresOf(store: RedisQuotaStore): Promise<unknown> {
  const { limits, rateLimits } = await store.usage(OWN)
  return [...limits.map(({ spent, reserved }) => [spent, reserved]), rateLimits[0]?.concurrent?.open]
}
