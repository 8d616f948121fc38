/** Scenarios 3, 4, 5, 8, 9 and 10 of the operator's tests: the life of virtual keys, on a real API server and Redis. */
import t from 'tap'
import { asArray, asObject, asString } from '../../../src/domain/json.ts'
import { parseVirtualKeyId } from '../../../src/domain/resources/virtual-key-text.ts'
import { keyDigester, deriveKeyPepper } from '../../../src/crypto/derive.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { hasFinalizer } from '../../../src/operator/controllers/finalizers.ts'
import { SECRETS, VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { digestsOf, entry, secret, secretOf, startWorld, SYSTEM, virtualKey, visible } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

t.test('the life of virtual keys', async (t) => {
  const world = await startWorld(t, ['team', 'other'])
  if (world === undefined) return
  const { plane, redis } = world
  const operator = await world.startOperator()
  const keyOfSecret = async (namespace: string, name: string, field = 'key') =>
    entry(await secretOf(world, namespace, name), field)
  const master = async () => new Secret(await keyOfSecret(SYSTEM, 'tollgate-master'))
  const digest = async (namespace: string, text: string) =>
    keyDigester(deriveKeyPepper(await master(), namespace))(text)

  t.test('3: a generated key lies in an owned Secret, its digest in Redis, and its text nowhere else', async (t) => {
    await world.apply(
      virtualKey('team', 'app', { key: { source: 'Generated', generated: { secretLabels: { team: 'a' } } } }),
    )
    await world.reaches('team/app', 'Ready', 'True Ready')
    const made = await secretOf(world, 'team', 'app-virtual-key')
    const object = await world.read(VIRTUAL_KEYS, 'team', 'app')
    const text = entry(made, 'key')
    t.match(made, {
      type: 'tollgate.dev/virtual-key',
      metadata: {
        labels: { team: 'a' },
        ownerReferences: [{ kind: 'VirtualKey', name: 'app', uid: object?.metadata.uid, controller: true }],
      },
    })
    const id = parseVirtualKeyId(text)
    t.ok(id, 'with a valid checksum')
    t.match(object, {
      metadata: { finalizers: ['tollgate.dev/redis-cleanup'] },
      status: {
        observedGeneration: object?.metadata.generation,
        keyID: id,
        secretRef: { name: 'app-virtual-key', key: 'key' },
        keys: [{ id, state: 'Active' }],
      },
    })
    for (const type of ['Accepted', 'KeyReady', 'Programmed'])
      t.match(await world.condition(VIRTUAL_KEYS, 'team', 'app', type), /^True /, type)
    t.strictSame(digestsOf(await world.published('team/app')), [await digest('team', text)])
    await until(async () => (await plane.kubectl('get', 'events', '-n', 'team')).includes('KeyCreated'))
    const all = await visible(world, operator)
    t.match(all, /team\/app/)
    // Its own alphabet has the underscore too.
    const secretPart = /^[^_]+_[^_]+_(.{43})_/.exec(text)?.[1] ?? text
    for (const form of [text, secretPart, Buffer.from(text).toString('base64'), (await master()).reveal()])
      t.notOk(all.includes(form), 'not in Redis, statuses, events or the log')
  })

  t.test('4: a key that somebody brings follows its Secret', async (t) => {
    const brought = { key: { source: 'SecretRef', secretRef: { name: 'mine', key: 'token', overlap: '10s' } } }
    await world.apply(virtualKey('team', 'brought', brought))
    await world.reaches('team/brought', 'KeyReady', 'False SecretNotFound')
    const [first, second] = ['a'.repeat(40), 'b'.repeat(40)]
    await world.apply(secret('team', 'mine', { token: first }))
    await world.reaches('team/brought', 'Ready', 'True Ready')
    t.strictSame(digestsOf(await world.published('team/brought')), [await digest('team', first)])
    await world.apply(secret('team', 'mine', { token: second }))
    const [old, wanted] = [await digest('team', first), await digest('team', second)]
    const digests = async () => digestsOf(await world.published('team/brought'))
    await until(async () => (await digests())[0] === wanted)
    t.strictSame(await digests(), [wanted, old], 'the former one for the overlap')
    const keys = async () =>
      asArray(asObject((await world.read(VIRTUAL_KEYS, 'team', 'brought'))?.['status'])?.['keys']).map(asObject)
    await until(async () => (await keys()).length === 2)
    t.match(await keys(), [
      { id: wanted.slice(0, 12), state: 'Active', createdAt: String },
      { id: old.slice(0, 12), state: 'Retiring', notAfter: String },
    ])
    const rotations = async () =>
      (await plane.kubectl('get', 'events', '-n', 'team')).split('\n').filter((line) => line.includes('KeyRotated'))
    await until(async () => (await rotations()).length > 0)
    const [told = '', ...more] = await rotations()
    t.match(
      told,
      /Normal +KeyRotated +virtualkey\/brought +a new key is in Secret mine .*the former one .* is valid until/,
    )
    t.strictSame(more, [], 'once')
    await until(async () => (await digests()).join() === wanted)
    await until(async () => (await keys()).length === 1)
    t.match(await keys(), [{ id: wanted.slice(0, 12), state: 'Active' }])
    t.equal((await rotations()).length, 1, 'the end of the former one is no rotation')
    await world.apply(virtualKey('team', 'twin', brought))
    await world.reaches('team/twin', 'KeyReady', 'False DuplicateKey')
    await world.apply(secret('team', 'mine', { token: 'short' }))
    await world.reaches('team/brought', 'KeyReady', 'False WeakKey')
    await plane.client.delete(SECRETS, { namespace: 'team', name: 'mine' })
    await world.reaches('team/brought', 'Ready', 'False SecretNotFound')
    t.equal(await world.published('team/brought'), undefined)
  })

  t.test('5: a Secret that is not ours is neither taken nor used', async (t) => {
    await world.apply(secret('team', 'taken-virtual-key', { key: 'somebody-elses-'.repeat(4) }))
    await world.apply(virtualKey('team', 'taken'))
    await world.reaches('team/taken', 'Ready', 'False SecretNotOwned')
    t.equal(await keyOfSecret('team', 'taken-virtual-key'), 'somebody-elses-'.repeat(4))
    t.equal(await world.published('team/taken'), undefined)
  })

  t.test('8: a rotation on request happens once, and both keys are valid for the overlap', async (t) => {
    const generated = { generated: { rotation: { interval: '720h', overlap: '1h' } } }
    const spec = { key: { source: 'Generated', ...generated } }
    await world.apply(virtualKey('team', 'turning', spec))
    await world.reaches('team/turning', 'Ready', 'True Ready')
    const first = await keyOfSecret('team', 'turning-virtual-key')
    await world.apply(virtualKey('team', 'turning', spec, { 'tollgate.dev/rotate': 'please' }))
    await until(async () => digestsOf(await world.published('team/turning')).length === 2)
    const second = await keyOfSecret('team', 'turning-virtual-key')
    t.not(second, first)
    t.equal(await keyOfSecret('team', 'turning-virtual-key', 'previousKey'), first)
    const expected = [await digest('team', second), await digest('team', first)]
    t.strictSame(digestsOf(await world.published('team/turning')), expected)
    await until(async () => {
      const status = asObject((await world.read(VIRTUAL_KEYS, 'team', 'turning'))?.['status'])
      return status?.['lastHandledRotateRequest'] === 'please' && asArray(status['keys']).length === 2
    })
    await world.apply(virtualKey('team', 'turning', spec, { 'tollgate.dev/rotate': 'please', other: 'change' }))
    await world.apply(virtualKey('team', 'after-turning'))
    await world.reaches('team/after-turning', 'Ready', 'True Ready')
    t.equal(await keyOfSecret('team', 'turning-virtual-key'), second, 'not again for the same request')
  })

  t.test('8: rotations within the overlap: each former key is valid until its own end, three at most', async (t) => {
    const spec = { key: { source: 'Generated', generated: { rotation: { interval: '720h', overlap: '1h' } } } }
    await world.apply(virtualKey('team', 'hasty', spec))
    await world.reaches('team/hasty', 'Ready', 'True Ready')
    const texts = [await keyOfSecret('team', 'hasty-virtual-key')]
    for (const request of ['1', '2', '3', '4']) {
      await world.apply(virtualKey('team', 'hasty', spec, { 'tollgate.dev/rotate': request }))
      await until(async () => !texts.includes(await keyOfSecret('team', 'hasty-virtual-key')))
      texts.unshift(await keyOfSecret('team', 'hasty-virtual-key'))
    }
    const expected = await Promise.all(texts.slice(0, 4).map((text) => digest('team', text)))
    await until(async () => digestsOf(await world.published('team/hasty')).join() === expected.join())
    const made = await secretOf(world, 'team', 'hasty-virtual-key')
    t.strictSame(
      ['previousKey', 'previousKey2', 'previousKey3', 'previousKey4'].map((field) => entry(made, field)),
      [...texts.slice(1, 4), ''],
    )
    await until(async () => {
      const status = asObject((await world.read(VIRTUAL_KEYS, 'team', 'hasty'))?.['status'])
      const ids = asArray(status?.['keys']).map((one) => asString(asObject(one)?.['id']))
      return ids.join() === texts.slice(0, 4).map(parseVirtualKeyId).join()
    })
    await until(async () =>
      (await plane.kubectl('get', 'events', '-n', 'team')).includes('an older one has ended early'),
    )
    const past = new Date(Date.now() - 1_000).toISOString()
    await plane.kubectl(
      'annotate',
      'secret',
      '-n',
      'team',
      'hasty-virtual-key',
      '--overwrite',
      `tollgate.dev/previous-not-after-2=${past}`,
    )
    const left = [expected[0], expected[1], expected[3]].join()
    await until(async () => digestsOf(await world.published('team/hasty')).join() === left)
    await until(async () => (await keyOfSecret('team', 'hasty-virtual-key', 'previousKey2')) === texts[3])
    t.equal(await keyOfSecret('team', 'hasty-virtual-key', 'previousKey3'), '', 'the one whose time is over is gone')
    const ahead = new Date(Date.now() + 24 * 3_600_000).toISOString()
    const endOf = 'tollgate.dev/previous-not-after'
    await plane.kubectl('annotate', 'secret', '-n', 'team', 'hasty-virtual-key', '--overwrite', `${endOf}=${ahead}`)
    const end = async () => {
      const annotations = asObject((await secretOf(world, 'team', 'hasty-virtual-key'))?.metadata['annotations'])
      return Date.parse(asString(annotations?.[endOf]) ?? '')
    }
    // As where it was written while the clock was ahead.
    await until(async () => (await end()) <= Date.now() + 3_600_000)
  })

  t.test('8: by interval, and the former key is forgotten after the overlap', async (t) => {
    const rotation = { interval: '1h', overlap: '1s' }
    await world.apply(virtualKey('team', 'aging', { key: { source: 'Generated', generated: { rotation } } }))
    await world.reaches('team/aging', 'Ready', 'True Ready')
    const first = await keyOfSecret('team', 'aging-virtual-key')
    const long = new Date(Date.now() - 2 * 3_600_000).toISOString()
    await plane.kubectl(
      'annotate',
      'secret',
      '-n',
      'team',
      'aging-virtual-key',
      '--overwrite',
      `tollgate.dev/created-at=${long}`,
    )
    await until(async () => (await keyOfSecret('team', 'aging-virtual-key')) !== first)
    await until(async () => (await keyOfSecret('team', 'aging-virtual-key', 'previousKey')) === '')
    const now = await keyOfSecret('team', 'aging-virtual-key')
    const wanted = await digest('team', now)
    await until(async () => digestsOf(await world.published('team/aging')).join() === wanted)
    t.not(now, first)
  })

  t.test('9: suspending and expiry are told and published, without any further change', async (t) => {
    await world.apply(virtualKey('team', 'paused', { suspended: true }))
    await world.reaches('team/paused', 'Ready', 'False Suspended')
    t.match(await world.published('team/paused'), { suspended: true })
    const events = async () => (await plane.kubectl('get', 'events', '-n', 'team')).split('\n')
    await until(async () => (await events()).some((line) => / Suspended .*virtualkey\/paused/.test(line)))
    const told = (await events()).filter((line) => line.includes('Suspended'))
    for (const line of told) t.match(line, / Normal +Suspended /, 'what is meant is no fault')
    await world.apply(virtualKey('team', 'paused', { suspended: false }))
    await world.reaches('team/paused', 'Ready', 'True Ready')
    const expiresAt = new Date(Date.now() + 12_000).toISOString().replace(/\.\d+Z$/, 'Z')
    await world.apply(virtualKey('team', 'ending', { expiresAt }))
    await until(async () => (await world.published('team/ending'))?.['expiresAtMs'] === Date.parse(expiresAt))
    await world.reaches('team/ending', 'Ready', 'False Expired')
    t.match(await world.published('team/ending'), { suspended: true })
  })

  t.test('a second usable key of a namespace with injection is told of', async (t) => {
    const told = async () => (await plane.kubectl('get', 'events', '-n', 'several', '-o', 'wide')).split('\n')
    await plane.kubectl('create', 'namespace', 'several')
    await plane.kubectl('label', 'namespace', 'several', 'tollgate.dev/injection=enabled')
    await world.apply(virtualKey('several', 'first'), virtualKey('several', 'off', { suspended: true }))
    await world.reaches('several/first', 'Ready', 'True Ready')
    await world.reaches('several/off', 'Ready', 'False Suspended')
    await world.apply(virtualKey('several', 'second'))
    await world.reaches('several/second', 'Ready', 'True Ready')
    await until(async () => (await told()).some((line) => line.includes('SeveralVirtualKeys')))
    const [line = '', ...more] = (await told()).filter((one) => one.includes('SeveralVirtualKeys'))
    t.match(line, /Warning +SeveralVirtualKeys +virtualkey\/second .*has 2 VirtualKeys \(first, second\)/)
    t.strictSame(more, [])
  })

  t.test('of many keys at once each is in force, and gets its finalizer though it comes after that', async (t) => {
    const names = Array.from({ length: 60 }, (_, index) => `many-${index}`)
    await Promise.all(names.map((name) => world.apply(virtualKey('other', name))))
    for (const name of names) await world.reaches(`other/${name}`, 'Ready', 'True Ready', 60_000)
    const unfinalized = async () => {
      const list = await plane.client.list(VIRTUAL_KEYS, { namespace: 'other' })
      return list.items.filter((key) => !hasFinalizer(key)).length
    }
    await until(async () => (await unfinalized()) === 0, 60_000)
    t.equal(await operator.metric('tollgate_queue_depth{queue="finalizers"}'), 0)
    await Promise.all(names.map((name) => plane.client.delete(VIRTUAL_KEYS, { namespace: 'other', name })))
    await until(async () => (await plane.client.list(VIRTUAL_KEYS, { namespace: 'other' })).items.length === 0, 60_000)
    t.equal(await world.published('other/many-0'), undefined)
  })

  t.test('10: a deleted key is out of Redis before the object is gone', async (t) => {
    await world.apply(virtualKey('other', 'leaving'))
    await world.reaches('other/leaving', 'Ready', 'True Ready')
    t.ok(await world.published('other/leaving'))
    redis.freeze()
    await plane.client.delete(VIRTUAL_KEYS, { namespace: 'other', name: 'leaving' })
    await until(() => operator.output().includes('configuration not published'), 60_000)
    t.ok(await world.read(VIRTUAL_KEYS, 'other', 'leaving'), 'waits for Redis')
    redis.thaw()
    let publishedWhenGone: unknown = 'not gone'
    await until(async () => {
      if ((await world.read(VIRTUAL_KEYS, 'other', 'leaving')) !== undefined) return false
      publishedWhenGone = await world.published('other/leaving')
      return true
    }, 60_000)
    t.equal(publishedWhenGone, undefined)
  })

  t.test('SIGTERM ends it orderly, and the Lease is free', async (t) => {
    await operator.end('SIGTERM')
    t.equal(operator.child.exitCode, 0)
    const lease = await plane.kubectl('get', 'lease', '-n', SYSTEM, 'tollgate-operator', '-o', 'json')
    const parsed: unknown = JSON.parse(lease)
    const spec = asObject(asObject(Object(parsed))?.['spec'])
    t.equal(asString(spec?.['holderIdentity']) ?? '', '')
  })
})
