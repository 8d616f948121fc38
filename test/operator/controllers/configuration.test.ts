/** Scenarios 6, 11, 12, 14 and 15 of the operator's tests: what is in force follows the cluster, and Redis follows that. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { asObject, asString } from '../../../src/domain/json.ts'
import { ORGANIZATIONS, PROVIDERS, SECRETS, VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { organization, provider, secret, startWorld, SYSTEM, virtualKey, visible } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

/** What a provider's key may look like. */
const CREDENTIAL = 'sk-first-credential-of-the-provider'

t.test('the configuration in force', async (t) => {
  const world = await startWorld(t, ['team', 'other'])
  if (world === undefined) return
  const { plane, redis } = world
  const operator = await world.startOperator()
  const catalog = async () => redis.cli('GET', 'tg:cfg:catalog')
  const shards = async () => {
    const names = (await redis.cli('--scan', '--pattern', 'tg:cfg:*')).split('\n').filter((name) => name !== '')
    const known = names.filter((name) => /^tg:cfg:(catalog$|ns:|org:)/.test(name)).toSorted()
    return Promise.all(known.map(async (name) => `${name} ${await redis.cli('GET', name)}`))
  }

  t.test('6: keys follow the grants of their organization, both ways', async (t) => {
    const grant = { name: 'team', namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'team' } } }
    const granted = (extra: object = {}) => organization({ grants: [{ ...grant, privileges: ['trace'], ...extra }] })
    await world.apply(
      granted({ maxBudgetUSDPerMonthPerKey: '100', maxKeysPerNamespace: 1 }),
      virtualKey('other', 'outside'),
      virtualKey('team', 'plain'),
    )
    await world.reaches('other/outside', 'Accepted', 'False NotGranted')
    await world.reaches('team/plain', 'Ready', 'True Ready')
    // Creation times have whole seconds: the next key must be younger.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await world.apply(virtualKey('team', 'second'))
    await world.reaches('team/second', 'Ready', 'False TooManyKeys')
    await world.apply(
      granted({ maxBudgetUSDPerMonthPerKey: '100' }),
      virtualKey('team', 'restoring', { privileges: { demask: true } }),
      virtualKey('team', 'dear', { budgets: [{ window: 'Month', limitUSD: '200' }] }),
    )
    await world.reaches('team/second', 'Ready', 'True Ready')
    await world.reaches('team/restoring', 'Accepted', 'False PrivilegeNotGranted')
    await world.reaches('team/dear', 'Accepted', 'False BudgetAboveCeiling')
    await world.apply(granted({ privileges: ['trace', 'demask'] }))
    for (const key of ['team/restoring', 'team/dear', 'team/plain', 'team/second'])
      await world.reaches(key, 'Ready', 'True Ready')
    await world.apply(organization({ displayName: 'closed', grants: [] }))
    await until(async () => (await world.published('team/plain')) === undefined)
    await world.reaches('team/plain', 'Ready', 'False NotGranted')
    await world.apply(organization())
    for (const key of ['team/plain', 'other/outside']) await world.reaches(key, 'Ready', 'True Ready')
    const ready = await world.condition(ORGANIZATIONS, undefined, 'acme', 'Ready')
    t.equal(ready, 'True Ready')
    await until(
      async () => asObject((await world.read(ORGANIZATIONS, undefined, 'acme'))?.['status'])?.['keyCount'] === 4,
    )
  })

  t.test("a Provider cannot send out the installation's own secrets", async (t) => {
    const secretRef = { name: 'tollgate-master', key: 'key' }
    await world.apply(provider('thief', { credentials: { type: 'Bearer', secretRef } }))
    const resolved = () => world.condition(PROVIDERS, undefined, 'thief', 'ResolvedRefs')
    await until(async () => (await resolved()) !== '- -')
    t.equal(await resolved(), 'False SecretNotFound')
    await plane.client.delete(PROVIDERS, { name: 'thief' })
  })

  t.test('12: a provider is used with its credential only, which nobody else sees', async (t) => {
    const resolved = (wanted: string) =>
      until(async () => (await world.condition(PROVIDERS, undefined, 'openai', 'ResolvedRefs')) === wanted)
    await world.apply(provider('openai'))
    await resolved('False SecretNotFound')
    await until(async () => /\\"enabled\\":false/.test(await catalog()))
    await world.apply(secret(SYSTEM, 'provider-openai', { other: 'x' }))
    await resolved('False SecretKeyMissing')
    await plane.client.delete(SECRETS, { namespace: SYSTEM, name: 'provider-openai' })
    await resolved('False SecretNotFound')
    const key = asString(
      asObject(
        asObject(asObject((await world.read(PROVIDERS, undefined, 'openai'))?.['spec'])?.['credentials'])?.[
          'secretRef'
        ],
      )?.['key'],
    )
    const entryName = key ?? 'apiKey'
    await world.apply(secret(SYSTEM, 'provider-openai', { [entryName]: ' ' }))
    await resolved('False EmptyCredential')
    await world.apply(secret(SYSTEM, 'provider-openai', { [entryName]: CREDENTIAL }))
    await until(async () => (await world.condition(PROVIDERS, undefined, 'openai', 'Ready')) === 'True Ready')
    t.match(await catalog(), /\\"enabled\\":true/)
    const fingerprint = async () =>
      asString(
        asObject(asObject((await world.read(PROVIDERS, undefined, 'openai'))?.['status'])?.['credentials'])?.[
          'fingerprint'
        ],
      )
    const first = await fingerprint()
    t.match(first, /^[0-9a-f]{8}$/)
    await world.apply(secret(SYSTEM, 'provider-openai', { [entryName]: `${CREDENTIAL}-2` }))
    await until(async () => ![first, undefined].includes(await fingerprint()))
    t.notOk((await visible(world, operator)).includes(CREDENTIAL))
    await world.apply(provider('openai', { enabled: false }))
    await until(async () => (await world.condition(PROVIDERS, undefined, 'openai', 'Ready')) === 'False Disabled')
    const events = async () => (await plane.kubectl('get', 'events', '-n', 'default')).split('\n')
    await until(async () => (await events()).some((line) => line.includes('Disabled')))
    t.match(
      (await events()).find((line) => line.includes('Disabled')),
      / Normal +Disabled +provider\/openai/,
    )
  })

  t.test('a resource that is deleted and made again is not judged as the former one', async (t) => {
    const ready = () => world.condition(PROVIDERS, undefined, 'again', 'Ready')
    await world.apply(secret(SYSTEM, 'provider-again', { apiKey: CREDENTIAL }))
    const nowhere = { credentials: { type: 'Bearer', secretRef: { name: 'nowhere' } } }
    for (let round = 0; round < 4; round += 1) {
      await world.apply(provider('again'))
      await until(async () => (await ready()) === 'True Ready')
      await plane.client.delete(PROVIDERS, { name: 'again' })
      await plane.client.create(PROVIDERS, {
        metadata: { name: 'again' },
        spec: { ...asObject(provider('again')['spec']), ...nowhere },
      })
      let first = ''
      await until(async () => (first = await ready()) !== '- -')
      t.equal(first, 'False SecretNotFound')
      await plane.client.delete(PROVIDERS, { name: 'again' })
    }
  })

  t.test('while Redis is away, what is made and edited says that it is not published', async (t) => {
    await world.reaches('team/plain', 'Ready', 'True Ready')
    redis.freeze()
    t.teardown(() => redis.thaw())
    await world.apply(virtualKey('team', 'unrelated'))
    await world.reaches('team/unrelated', 'Ready', 'False StoreUnavailable')
    await world.apply(organization({ displayName: 'edited' }), virtualKey('team', 'meanwhile'), provider('meanwhile'))
    await world.reaches('team/meanwhile', 'Ready', 'False StoreUnavailable')
    const resolved = () => world.condition(PROVIDERS, undefined, 'meanwhile', 'ResolvedRefs')
    await until(async () => (await resolved()) === 'False SecretNotFound')
    redis.thaw()
    await world.reaches('team/meanwhile', 'Ready', 'True Ready')
    for (const name of ['unrelated', 'meanwhile']) await plane.client.delete(VIRTUAL_KEYS, { namespace: 'team', name })
    await plane.client.delete(PROVIDERS, { name: 'meanwhile' })
  })

  t.test('14: an emptied Redis is filled again', async (t) => {
    const before = (await shards()).map((line) => line.split(' ')[0])
    t.ok(before.length >= 4, before.join())
    await redis.cli('FLUSHALL')
    await until(async () => (await shards()).length === before.length)
    t.strictSame(
      (await shards()).map((line) => line.split(' ')[0]),
      before,
    )
    t.ok(await world.published('team/plain'))
  })

  t.test('15: what somebody edits or deletes in Redis is repaired, counted and told', async () => {
    const before = await shards()
    const repairs = async () => (await operator.metric('tollgate_drift_repairs_total')) ?? 0
    const counted = await repairs()
    await redis.cli('DEL', 'tg:cfg:ns:team')
    await until(async () => (await shards()).length === before.length)
    await until(async () => (await repairs()) > counted)
    await redis.cli('SET', 'tg:cfg:ns:other', '{}')
    await until(async () => (await world.published('other/outside')) !== undefined)
    await until(async () => (await plane.kubectl('get', 'events', '-A')).includes('ConfigurationRepaired'))
  })

  t.test('a quiet cluster writes nothing', async (t) => {
    const versions = async () => {
      const lists = await Promise.all(
        [VIRTUAL_KEYS, PROVIDERS, ORGANIZATIONS, SECRETS].map((one) => plane.client.list(one)),
      )
      return lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`))
    }
    /** As the API server and Redis count them; Leases are renewed. */
    const writes = async () => {
      const counted = await plane.kubectl('get', '--raw', '/metrics')
      const ours =
        /^apiserver_request_total\{.*resource="(?:virtualkeys|providers|organizations|secrets|events)".*\} \d+$/gm
      const stats = await redis.cli('INFO', 'commandstats')
      return [
        ...[...counted.matchAll(ours)]
          .map(([line]) => line)
          .filter((line) => /verb="(?:POST|PUT|PATCH|APPLY|DELETE)"/.test(line)),
        ...[...stats.matchAll(/cmdstat_(?:set|del|hset|hdel|sadd|pexpire|publish|acl\|setuser):calls=\d+/g)].map(
          ([line]) => line,
        ),
      ]
    }
    // Events of what has just happened are still being written.
    let before: readonly string[] = []
    await until(async () => {
      const latest = await writes()
      const isQuiet = latest.join() === before.join()
      before = latest
      if (!isQuiet) await sleep(2_000)
      return isQuiet
    }, 60_000)
    const [first, stored] = [await versions(), await shards()]
    await sleep(Number(process.env['QUIET_MS'] ?? 30_000))
    t.strictSame(await versions(), first)
    t.strictSame(await shards(), stored)
    t.strictSame(await writes(), before)
  })

  t.test('11: a key that was deleted while no operator ran is revoked by the next one', async (t) => {
    await operator.end('SIGTERM')
    await plane.client.jsonPatch(VIRTUAL_KEYS, { namespace: 'team', name: 'plain' }, [
      { op: 'remove', path: '/metadata/finalizers' },
    ])
    await plane.client.delete(VIRTUAL_KEYS, { namespace: 'team', name: 'plain' })
    t.ok(await world.published('team/plain'))
    const next = await world.startOperator()
    await until(async () => (await world.published('team/plain')) === undefined, 40_000)
    t.ok(await world.published('team/second'), 'the others stay')
    await next.end('SIGTERM')
  })
})
