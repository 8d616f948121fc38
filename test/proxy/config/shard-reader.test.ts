import t, { type Test } from 'tap'
import { contentHash } from '../../../src/crypto/content-hash.ts'
import type { RedisScript } from '../../../src/crypto/redis-script.ts'
import { renderShard, splitSnapshot, type Shard } from '../../../src/domain/snapshot/shards.ts'
import { createSigner, generateSigningKey } from '../../../src/operator/publish/sign.ts'
import { ConfigurationHolder } from '../../../src/proxy/config/configuration.ts'
import { parseGrant, type Grant } from '../../../src/proxy/config/grant.ts'
import { ShardReader } from '../../../src/proxy/config/shard-reader.ts'
import { SidecarConfiguration } from '../../../src/proxy/config/sidecar-configuration.ts'
import { createVerifier } from '../../../src/proxy/config/verify.ts'
import { until } from '../../helpers/redis.ts'
import { keyEntry, organizationEntry, providerEntry, snapshotOf } from '../../helpers/snapshots.ts'

const signer = createSigner(generateSigningKey())
const verify = createVerifier([signer.publicKey])

/** As a later version may write it. */
function newer<T extends object>(entry: T, words: object): T {
  return { ...entry, ...words }
}

/** Redis as far as readers know it; counts what is fetched whole. */
function fakeRedis() {
  const values = new Map<string, string>()
  const commands: string[] = []
  let sequence = 0
  return {
    values,
    commands,
    error: undefined as Error | undefined,
    publish(snapshot = snapshotOf(), epoch = 1): void {
      for (const content of splitSnapshot(snapshot, [], contentHash))
        this.store(signer.sign(content, { epoch, sequence: ++sequence }))
    },
    store(shard: Shard): void {
      values.set(shard.name, renderShard(shard))
    },
    send(key: string, args: readonly string[]): Promise<unknown> {
      commands.push(args.join(' '))
      if (this.error !== undefined) return Promise.reject(this.error)
      const value = values.get(key)
      if (args[0] === 'GETRANGE') return Promise.resolve((value ?? '').slice(0, Number(args[3]) + 1))
      return Promise.resolve(args[0] === 'GET' ? (value ?? null) : 1)
    },
    told: undefined as string | undefined,
    run(script: RedisScript, _keys: readonly string[], args: readonly string[]): Promise<unknown> {
      if (script.source.includes("'SET'")) this.told = args[0]
      return Promise.resolve(1)
    },
  }
}

t.test('a look that finds nothing new fetches heads only', async (t) => {
  const redis = fakeRedis()
  redis.publish()
  const reader = new ShardReader('team-a')
  const first = await reader.look(redis, verify)
  t.equal(redis.commands.length, 6)
  redis.commands.length = 0
  const second = await reader.look(redis, verify)
  t.same(
    redis.commands.map((command) => command.split(' ')[0]),
    ['GETRANGE', 'GETRANGE', 'GETRANGE'],
  )
  t.equal(second.shards.catalog, first.shards.catalog)
})

t.test('each shard is judged by itself: a bad catalogue does not keep an old key alive', async (t) => {
  const redis = fakeRedis()
  redis.publish()
  const reader = new ShardReader('team-a')
  const first = await reader.look(redis, verify)
  redis.publish(snapshotOf({ virtualKeys: [keyEntry('team-a/new')], providers: [providerEntry('evil')] }))
  const catalog = redis.values.get('tg:cfg:catalog') ?? ''
  redis.values.set('tg:cfg:catalog', catalog.replace('evil', 'good'))
  const { shards, refused } = await reader.look(redis, verify)
  t.equal(shards.catalog, first.shards.catalog)
  t.match(shards.keys.body, /team-a\/new/)
  t.match(refused, [{ name: 'tg:cfg:catalog', reason: /signature/, known: false }])
  redis.commands.length = 0
  t.match((await reader.look(redis, verify)).refused, [{ name: 'tg:cfg:catalog', known: true }])
  t.notOk(redis.commands.includes('GET tg:cfg:catalog'), 'the same bad document is not fetched again')
  reader.forgetRefused()
  await reader.look(redis, verify)
  t.ok(redis.commands.includes('GET tg:cfg:catalog'), 'unless the keys to verify with have changed')
})

t.test(
  'nor does a catalogue or an organization with a word of a newer version, as the last good one stays',
  async (t) => {
    const redis = fakeRedis()
    redis.publish()
    const reader = new ShardReader('team-a')
    const first = await reader.look(redis, verify)
    redis.publish(
      snapshotOf({
        virtualKeys: [keyEntry('team-a/new')],
        organizations: [newer(organizationEntry('acme'), { defaults: { billing: 'newer' } })],
        providers: [newer(providerEntry('p'), { type: 'Newer' })],
      }),
    )
    const { shards, refused } = await reader.look(redis, verify)
    t.equal(shards.catalog, first.shards.catalog)
    t.same(shards.organizations, first.shards.organizations)
    t.match(shards.keys.body, /team-a\/new/)
    t.match(
      refused.toSorted((a, b) => a.name.localeCompare(b.name)),
      [
        { name: 'tg:cfg:catalog', reason: /providers\[0\]\.type/ },
        { name: 'tg:cfg:org:acme', reason: /organizations\[0\]\.defaults\.billing/ },
      ],
    )
  },
)

t.test('missing, unreadable and older shards leave the last good ones in use', async (t) => {
  const redis = fakeRedis()
  redis.publish(snapshotOf(), 2)
  const reader = new ShardReader('team-a')
  const first = await reader.look(redis, verify)
  for (const [spoil, reason] of [
    [() => redis.values.clear(), /is missing/],
    [() => redis.values.set('tg:cfg:ns:team-a', 'not json'), /is not JSON/],
    [() => redis.publish(snapshotOf({ virtualKeys: [] }), 1), /is older than the one in use/],
  ] as const) {
    spoil()
    const { shards, refused } = await reader.look(redis, verify)
    t.same(shards, first.shards)
    t.ok(refused.some((one) => reason.test(one.reason)))
  }
  redis.values.clear()
  await t.rejects(new ShardReader('team-a').look(redis, verify), { message: /is missing/ })
})

t.test('a shard that the login may not read is missing, and Redis not answering is an error', async (t) => {
  const redis = fakeRedis()
  redis.publish()
  const reader = new ShardReader('team-a')
  await reader.look(redis, verify)
  redis.error = new Error('Redis refuses for now', { cause: new Error('NOPERM No permissions') })
  t.match((await reader.look(redis, verify)).refused, [
    { reason: /missing/ },
    { reason: /missing/ },
    { reason: /missing/ },
  ])
  redis.error = new Error('not connected to Redis')
  await t.rejects(reader.look(redis, verify), { message: 'not connected to Redis' })
})

interface Granted {
  readonly organizations?: readonly string[]
  readonly serviceAccount?: string
  readonly credentials?: Readonly<Record<string, string>>
}

function grant(parts: Granted = {}): Grant {
  const { organizations = ['acme'], serviceAccount = 'app', credentials = { p: 'key' } } = parts
  const secrets = { redactionSecret: '02'.repeat(32), cacheKey: '03'.repeat(32) }
  return parseGrant({
    version: 'v',
    serviceAccount,
    shardKeys: [signer.publicKey],
    redis: { url: 'redis://localhost', username: '', password: '', ca: '' },
    credentials,
    keyPepper: '01'.repeat(32),
    trustBundle: '',
    organizations: Object.fromEntries(organizations.map((name) => [name, secrets])),
  })
}

/** One that is stopped at the test's end, and keeps the process awake until then. */
function readingFrom(
  t: Test,
  redis: ReturnType<typeof fakeRedis>,
  holder: ConfigurationHolder,
  warn: (fields: object) => void = () => undefined,
  now = () => performance.now(),
): SidecarConfiguration {
  const configuration = new SidecarConfiguration({
    owner: 'team-a',
    instance: 'pod',
    redis,
    holder,
    log: { info: () => undefined, warn },
    now,
    random: () => 0,
    loaded: () => undefined,
  })
  t.teardown(() => configuration.stop())
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  return configuration
}

t.test('keys of an organization whose secrets are still on their way wait; the others are in force', async (t) => {
  const redis = fakeRedis()
  redis.publish(
    snapshotOf({
      organizations: [organizationEntry('acme'), organizationEntry('new')],
      virtualKeys: [keyEntry('team-a/old'), keyEntry('team-a/new', { organization: 'new' })],
    }),
  )
  const holder = new ConfigurationHolder()
  const seen: (readonly string[])[] = []
  const both = new Promise<void>((resolve) => {
    holder.onChange(({ compiled }) => {
      seen.push(compiled.snapshot.virtualKeys.map(({ id }) => id))
      if (seen.length === 1) configuration.use(grant({ organizations: ['acme', 'new'] }))
      else resolve()
    })
  })
  const configuration = readingFrom(t, redis, holder)
  configuration.use(grant())
  await both
  t.same(seen.slice(0, 2), [['team-a/old'], ['team-a/old', 'team-a/new']])
})

t.test('a key is revoked while the organization of a new one cannot be read yet', async (t) => {
  const redis = fakeRedis()
  const organizations = [organizationEntry('acme'), organizationEntry('new')]
  const [kept, gone] = [keyEntry('team-a/kept'), keyEntry('team-a/gone')]
  redis.publish(snapshotOf({ organizations, virtualKeys: [kept, gone] }))
  const holder = new ConfigurationHolder()
  const seen: string[] = []
  let step = Promise.withResolvers<void>()
  holder.onChange(({ compiled }) => {
    seen.push(compiled.snapshot.virtualKeys.map(({ id }) => id).join(' '))
    step.resolve()
  })
  const configuration = readingFrom(t, redis, holder)
  const use = async () => {
    step = Promise.withResolvers<void>()
    configuration.hint()
    await step.promise
  }
  configuration.use(grant({ organizations: ['acme', 'new'] }))
  await step.promise
  redis.publish(snapshotOf({ organizations, virtualKeys: [kept, keyEntry('team-a/new', { organization: 'new' })] }))
  const unread = redis.values.get('tg:cfg:org:new') ?? ''
  redis.values.delete('tg:cfg:org:new')
  await use()
  t.equal(seen.at(-1), 'team-a/kept')
  redis.values.set('tg:cfg:org:new', unread)
  await use()
  t.equal(seen.at(-1), 'team-a/kept team-a/new')
})

t.test('a key is revoked while another has a word of a newer version: that one is left out', async (t) => {
  const redis = fakeRedis()
  const [kept, other] = [keyEntry('team-a/kept'), keyEntry('team-a/other')]
  redis.publish(snapshotOf({ virtualKeys: [kept, other, keyEntry('team-a/gone')] }))
  const holder = new ConfigurationHolder()
  const seen: string[] = []
  let step = Promise.withResolvers<void>()
  holder.onChange(({ compiled }) => {
    seen.push(compiled.snapshot.virtualKeys.map(({ id }) => id).join(' '))
    step.resolve()
  })
  const warnings: string[] = []
  const configuration = readingFrom(t, redis, holder, (fields) => warnings.push(JSON.stringify(fields)))
  configuration.use(grant())
  await step.promise
  const access = { ...other.access, adapters: ['Newer'] }
  redis.publish(snapshotOf({ virtualKeys: [kept, newer(other, { access })] }))
  step = Promise.withResolvers<void>()
  configuration.hint()
  await step.promise
  t.equal(seen.at(-1), 'team-a/kept')
  t.match(warnings, [/virtualKeys\[1\]\.access\.adapters\[0\]/])
})

t.test('who has left a key out goes on to say which shard was taken over whole', async (t) => {
  const redis = fakeRedis()
  redis.publish()
  let nowMs = 0
  const leftOut = Promise.withResolvers<void>()
  const configuration = readingFrom(
    t,
    redis,
    new ConfigurationHolder(),
    () => leftOut.resolve(),
    () => nowMs,
  )
  configuration.use(grant())
  await until(() => redis.told !== undefined)
  const whole = redis.told
  redis.publish(snapshotOf({ virtualKeys: [newer(keyEntry('team-a/newer'), { suspended: 'newer' })] }))
  configuration.hint()
  await leftOut.promise
  nowMs += 60_000
  redis.told = undefined
  configuration.hint()
  await until(() => redis.told !== undefined)
  t.equal(redis.told, whole)
})

t.test('the first configuration waits for all organizations', async (t) => {
  const redis = fakeRedis()
  redis.publish()
  redis.values.delete('tg:cfg:org:acme')
  await t.rejects(new ShardReader('team-a').look(redis, verify), { message: 'tg:cfg:org:acme is missing' })
})

t.test(
  'a key that went with its organization does not come back with another key, from what was read before',
  async (t) => {
    const redis = fakeRedis()
    redis.publish(snapshotOf({ virtualKeys: [keyEntry('team-a/gone')] }))
    const holder = new ConfigurationHolder()
    const seen: string[] = []
    let step = Promise.withResolvers<void>()
    holder.onChange(({ compiled }) => {
      seen.push(compiled.snapshot.virtualKeys.map(({ id }) => id).join(' '))
      step.resolve()
    })
    const unread = Promise.withResolvers<void>()
    const configuration = readingFrom(t, redis, holder, () => unread.resolve())
    configuration.use(grant())
    await step.promise
    // With the last key of a namespace its login to Redis goes, before the sidecar has read that there is none.
    redis.error = new Error('WRONGPASS')
    configuration.use(grant({ organizations: [] }))
    configuration.use(grant())
    await unread.promise
    t.same([...new Set(seen)], ['team-a/gone', ''])
    t.equal(seen.at(-1), '', 'nor while Redis does not answer')
    redis.publish(snapshotOf({ virtualKeys: [keyEntry('team-a/new')] }))
    redis.error = undefined
    step = Promise.withResolvers<void>()
    configuration.hint()
    await step.promise
    t.equal(seen.at(-1), 'team-a/new')
  },
)

t.test('nor from a look that had begun before its organization went', async (t) => {
  const redis = fakeRedis()
  redis.publish(snapshotOf({ virtualKeys: [keyEntry('team-a/gone')] }))
  const holder = new ConfigurationHolder()
  const seen: string[] = []
  let step = Promise.withResolvers<void>()
  holder.onChange(({ compiled }) => {
    seen.push(compiled.snapshot.virtualKeys.map(({ id }) => id).join(' '))
    step.resolve()
  })
  const unread = Promise.withResolvers<void>()
  const configuration = readingFrom(t, redis, holder, () => unread.resolve())
  configuration.use(grant())
  await step.promise
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { send } = redis
  redis.send = async (key, args) => {
    asked.resolve()
    await answer.promise
    return send.call(redis, key, args)
  }
  configuration.hint()
  await asked.promise
  configuration.use(grant({ organizations: [] }))
  // With the catalogue the next look begins.
  redis.send = (key, args) => {
    if (key === 'tg:cfg:catalog') redis.error = new Error('Redis has stopped answering')
    return send.call(redis, key, args)
  }
  answer.resolve()
  await unread.promise
  configuration.use(grant())
  t.equal(seen.at(-1), '')
})

t.test('nor where that was the first look', async (t) => {
  const redis = fakeRedis()
  redis.publish(snapshotOf({ virtualKeys: [keyEntry('team-a/gone')] }))
  const holder = new ConfigurationHolder()
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  holder.onChange(({ compiled }) => {
    seen.push(compiled.snapshot.virtualKeys.map(({ id }) => id).join(' '))
    first.resolve()
  })
  const unread = Promise.withResolvers<void>()
  const configuration = readingFrom(t, redis, holder, () => unread.resolve())
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { send } = redis
  redis.send = async (key, args) => {
    asked.resolve()
    await answer.promise
    return send.call(redis, key, args)
  }
  configuration.use(grant())
  await asked.promise
  configuration.use(grant({ organizations: [] }))
  answer.resolve()
  await first.promise
  redis.error = new Error('Redis has stopped answering')
  configuration.use(grant())
  await unread.promise
  t.same([...new Set(seen)], [''])
})

t.test('a key that comes back unchanged is in force with the first look', async (t) => {
  const redis = fakeRedis()
  redis.publish()
  const holder = new ConfigurationHolder()
  const seen: number[] = []
  const back = Promise.withResolvers<void>()
  holder.onChange(({ compiled }) => {
    seen.push(compiled.snapshot.virtualKeys.length)
    if (seen.length === 1) {
      configuration.use(grant({ organizations: [] }))
      configuration.use(grant())
    } else if (seen.at(-1) !== 0) back.resolve()
  })
  const configuration = readingFrom(t, redis, holder)
  configuration.use(grant())
  await back.promise
  t.equal(seen[1], 0)
})

t.test('a provider whose key has been taken away is not tried, before the catalogue says so', async (t) => {
  const redis = fakeRedis()
  const free = { ...providerEntry('free'), credentials: { type: 'None' as const } }
  const access = { ...keyEntry('team-a/app').access, providers: ['p', 'free'] }
  redis.publish(
    snapshotOf({
      providers: [providerEntry('p'), free, providerEntry('others')],
      virtualKeys: [{ ...keyEntry('team-a/app'), access }],
    }),
  )
  const holder = new ConfigurationHolder()
  const seen: string[] = []
  const back = Promise.withResolvers<void>()
  holder.onChange(({ compiled }) => {
    const inUse = compiled.snapshot.providers.filter(({ enabled }) => enabled)
    seen.push(inUse.map(({ name }) => name).join(' '))
    if (seen.length === 1) {
      configuration.use(grant({ credentials: {} }))
      configuration.use(grant())
    } else if (seen.length === 3) back.resolve()
  })
  const configuration = readingFrom(t, redis, holder)
  configuration.use(grant())
  await back.promise
  t.same(seen, ['p free others', 'free others', 'p free others'])
})

t.test('until a configuration is in force it says what is missing, without an address', async (t) => {
  const redis = fakeRedis()
  const holder = new ConfigurationHolder()
  const failed = Promise.withResolvers<void>()
  const inForce = Promise.withResolvers<void>()
  holder.onChange(() => inForce.resolve())
  const configuration = readingFrom(t, redis, holder, () => failed.resolve())
  t.equal(configuration.missing, 'the operator has not granted credentials yet')
  configuration.use(grant({ organizations: [] }))
  t.match(
    configuration.missing,
    'the namespace has no virtual key in force; kubectl get virtualkeys -n team-a says why',
  )
  configuration.use(grant())
  t.equal(configuration.missing, 'the configuration has not been read from Redis yet')
  await failed.promise
  t.equal(configuration.missing, 'the configuration cannot be read from Redis; the log says why')
  redis.publish(snapshotOf({ organizations: [organizationEntry('acme')], virtualKeys: [keyEntry('team-a/old')] }))
  configuration.hint()
  await inForce.promise
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(configuration.missing, undefined)
})

t.test('a grant is refused whole where a part of it cannot be used', async (t) => {
  const good = {
    version: 'v',
    serviceAccount: 'app',
    shardKeys: [signer.publicKey],
    redis: { url: 'rediss+cluster://a:1,b:2', username: 'te@m', password: 'p/w', ca: '' },
    credentials: {},
    keyPepper: '01'.repeat(32),
    trustBundle: '',
    organizations: {},
  }
  t.equal(parseGrant(good).redis.url.reveal(), 'rediss+cluster://te%40m:p%2Fw@a:1,b:2')
  const cases = [
    { shardKeys: [] },
    { shardKeys: [Buffer.from('x')] },
    { redis: null },
    { redis: { ...good.redis, url: 'http://x' } },
    { keyPepper: '' },
    { trustBundle: 'no certificate' },
    { organizations: { acme: { redactionSecret: 'secret-value', cacheKey: '03'.repeat(32) } } },
  ]
  for (const change of cases) {
    t.throws(() => parseGrant({ ...good, ...change }), TypeError)
    t.throws(() => parseGrant({ ...good, ...change }), { message: /^(?!.*secret-value)/ })
  }
})
