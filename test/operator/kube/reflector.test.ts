/** The reflector against a server that misbehaves, on real connections, with waits made fifty times shorter. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { Test } from 'tap'
import { asObject } from '../../../src/domain/json.ts'
import { createKubeClient } from '../../../src/operator/kube/kube-client.ts'
import { KubeHttp } from '../../../src/operator/kube/kube-http.ts'
import type { ObjectChange } from '../../../src/operator/kube/object-store.ts'
import { Reflector } from '../../../src/operator/kube/reflector.ts'
import type { ReflectorOptions } from '../../../src/operator/kube/reflector.ts'
import { VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { until } from '../../helpers/redis.ts'
import { fasterTiming } from './manual-timing.ts'
import { MisbehavingServer } from './misbehaving-server.ts'
import type { Fault } from './misbehaving-server.ts'
import { recordedLog } from './recorded-log.ts'

const FASTER = 50

async function fixture(t: Test, options: Partial<ReflectorOptions> = {}) {
  const server = new MisbehavingServer()
  const timing = fasterTiming(FASTER)
  const http = new KubeHttp({ server: await server.listen(), tls: {}, namespace: 'n' }, { timing, userAgent: 'test' })
  const client = createKubeClient(http, { timing, fieldManager: 'test' })
  const log = recordedLog()
  const reflector = new Reflector({ client, resource: VIRTUAL_KEYS, timing, log, ...options })
  const changes: ObjectChange[] = []
  reflector.onChange((change) => changes.push(change))
  t.teardown(async () => {
    await reflector.stop()
    await http.close()
    await server.close()
  })
  return { server, reflector, changes, log, timing }
}

function names(reflector: Reflector): string[] {
  return reflector.store
    .list()
    .map(({ metadata }) => metadata.name)
    .toSorted()
}

function valueOf(reflector: Reflector, name: string): unknown {
  return asObject(reflector.store.get(`n/${name}`)?.['spec'])?.['value']
}

t.test('all pages are listed, then every change is seen, frozen and without managedFields', async (t) => {
  const { server, reflector, changes } = await fixture(t)
  server.pageSize = 2
  for (const name of ['a', 'b', 'c', 'd', 'e']) server.put(name)
  t.equal(reflector.hasSynced, false)
  reflector.start()
  await reflector.synced
  t.strictSame(names(reflector), ['a', 'b', 'c', 'd', 'e'])
  t.equal(server.count('list'), 3)
  await until(() => server.openWatches === 1)
  server.put('a', 'new')
  server.remove('b')
  await until(() => valueOf(reflector, 'a') === 'new' && reflector.store.size === 4)
  t.match(changes.at(-1), { key: 'n/b', current: undefined, previous: { metadata: { name: 'b' } } })
  const object = reflector.store.get('n/a')
  t.equal(object?.metadata['managedFields'], undefined)
  t.equal(Object.isFrozen(object?.metadata), true)
  const watch = server.requests.find(({ kind }) => kind === 'watch')?.url.searchParams
  t.equal(watch?.get('allowWatchBookmarks'), 'true')
  const seconds = Number(watch?.get('timeoutSeconds'))
  t.ok(seconds >= 300 && seconds <= 600)
})

t.test(
  'a watch that the server ends is opened again from the last version that was heard, without a list',
  async (t) => {
    const { server, reflector } = await fixture(t)
    server.put('a')
    reflector.start()
    await until(() => server.openWatches === 1)
    const nextFrom = async () => {
      const before = server.count('watch')
      // A watch that ends sooner than after a second counts as failed, which is not the question here.
      await new Promise((resolve) => setTimeout(resolve, 2_000 / FASTER))
      server.endWatches()
      await until(() => server.count('watch') > before && server.openWatches === 1)
      return server.requests.at(-1)?.url.searchParams.get('resourceVersion')
    }
    t.equal(await nextFrom(), '101', 'the version of the list')
    server.put('b')
    await until(() => reflector.store.size === 2)
    t.equal(await nextFrom(), '102', 'the version of the event')
    server.tick()
    server.bookmark()
    t.equal(await nextFrom(), '103', 'the version of the bookmark')
    server.put('c')
    await until(() => reflector.store.size === 3)
    t.equal(server.count('list'), 1)
    t.equal(reflector.stats.failures, 0)
  },
)

t.test('a watch that has lasted, though nothing was there to tell, ends a failure', async (t) => {
  const { server, reflector, timing } = await fixture(t)
  server.put('a')
  reflector.start()
  await until(() => server.openWatches === 1)
  server.faults.watch.push({ type: 'status', code: 503 })
  server.disconnect()
  await until(() => reflector.stats.isFailing && server.openWatches === 1)
  const begunAt = timing.elapsed()
  await until(() => timing.elapsed() - begunAt > 2_000)
  server.endWatches()
  await until(() => !reflector.stats.isFailing)
  t.equal(server.count('list'), 1)
})

t.test('a watch lives as long as anything is heard', async (t) => {
  const { server, reflector } = await fixture(t, { inactivityMs: 2_000 * FASTER })
  server.put('a')
  reflector.start()
  await until(() => server.openWatches === 1)
  for (let round = 0; round < 25; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    server.bookmark()
  }
  t.equal(server.count('watch'), 1)
})

t.test('a compacted history leads to a list that tells deletions too', async (t) => {
  const { server, reflector, changes, log } = await fixture(t)
  for (const name of ['a', 'b']) server.put(name)
  reflector.start()
  await until(() => server.openWatches === 1)
  server.faults.watch.push({ type: 'status', code: 503 })
  server.disconnect()
  server.remove('a')
  server.put('b', 'new')
  server.compact()
  await until(() => valueOf(reflector, 'b') === 'new')
  t.strictSame(names(reflector), ['b'])
  t.strictSame(
    changes.slice(2).map(({ key, current }) => [key, current === undefined]),
    [
      ['n/a', true],
      ['n/b', false],
    ],
  )
  await until(() => server.openWatches === 1)
  const kinds = server.requests.map(({ kind }) => kind).slice(2)
  t.strictSame(kinds.slice(kinds.indexOf('list') - 1), ['watch', 'list', 'watch'])
  t.equal(log.entries.filter(({ message }) => message === 'watch expired').length, 1)
})

t.test('what an outage has made too old is listed at once, however long the waits have become in it', async (t) => {
  const { server, reflector, log } = await fixture(t)
  server.put('a')
  reflector.start()
  await until(() => server.openWatches === 1)
  server.broken = { type: 'reset' }
  server.disconnect()
  await until(() => reflector.stats.failures >= 4)
  t.equal(reflector.stats.isFailing, true)
  server.put('b')
  server.compact()
  server.broken = undefined
  await until(() => reflector.store.size === 2)
  t.equal(log.entries.filter(({ message }) => message === 'watch expired').length, 1)
  t.equal(reflector.stats.isFailing, false)
  const waited = log.entries.filter(({ message }) => message === 'list or watch failed')
  t.notOk(waited.some(({ fields }) => JSON.stringify(fields).includes('"status":410')))
})

t.test('a list whose continuation has expired is started again', async (t) => {
  const { server, reflector } = await fixture(t)
  server.pageSize = 1
  for (const name of ['a', 'b', 'c']) server.put(name)
  server.answer = () => ({ code: 200, body: {} })
  reflector.start()
  await until(() => server.count('list') >= 1)
  server.put('d')
  server.compact()
  await until(() => reflector.store.size === 4)
  t.equal(reflector.hasSynced, true)
})

const FAULTS: Readonly<Record<string, Fault>> = {
  'a 429 with Retry-After': { type: 'status', code: 429, retryAfter: 2 },
  'a 500': { type: 'status', code: 500 },
  'a 401': { type: 'status', code: 401 },
  'a 403': { type: 'status', code: 403 },
  'no answer': { type: 'hang' },
  'a closed connection': { type: 'reset' },
  'a malformed answer': { type: 'malformed' },
}
const WATCH_FAULTS: Readonly<Record<string, Fault>> = {
  ...FAULTS,
  silence: { type: 'silent' },
  'an end at once': { type: 'end' },
  'an ERROR 410': { type: 'error-event', code: 410 },
  'an ERROR 500': { type: 'error-event', code: 500 },
  'half an event': { type: 'cut' },
}

for (const [name, fault] of Object.entries(FAULTS)) {
  t.test(`a list survives ${name}`, async (t) => {
    const { server, reflector } = await fixture(t)
    server.put('a')
    server.faults.list.push(fault)
    reflector.start()
    await reflector.synced
    t.strictSame(names(reflector), ['a'])
    t.ok(reflector.stats.failures > 0)
  })
}

for (const [name, fault] of Object.entries(WATCH_FAULTS)) {
  t.test(`a watch survives ${name}`, async (t) => {
    const { server, reflector } = await fixture(t, { inactivityMs: 10_000 })
    server.put('a')
    server.faults.watch.push(fault)
    reflector.start()
    await reflector.synced
    await until(() => server.count('watch') >= 1)
    server.put('b')
    server.remove('a')
    await until(() => names(reflector).join() === 'b')
    t.ok(reflector.stats.watches > 1)
  })
}

t.test('a malformed event that comes again and again is overcome by a list', async (t) => {
  const { server, reflector } = await fixture(t)
  server.put('a')
  for (let index = 0; index < 5; index += 1) server.faults.watch.push({ type: 'malformed' })
  reflector.start()
  await until(() => server.count('list') === 2)
  server.put('b')
  await until(() => reflector.store.size === 2)
  t.equal(server.count('list'), 2)
})

t.test('nothing heard for ten minutes leads to a list', async (t) => {
  const { server, reflector } = await fixture(t, { inactivityMs: 250_000 })
  server.put('a')
  for (let index = 0; index < 3; index += 1) server.faults.watch.push({ type: 'silent' })
  reflector.start()
  await until(() => server.count('list') === 2, 60_000)
  t.ok(server.count('watch') <= 4)
})

t.test('a server that always fails is asked at a bounded rate, and for longer and longer waits', async (t) => {
  for (const broken of [
    { type: 'status', code: 500 },
    { type: 'error-event', code: 410 },
    { type: 'end' },
    { type: 'reset' },
    undefined,
  ] as const) {
    const { server, reflector, timing } = await fixture(t)
    server.put('a')
    reflector.start()
    await until(() => server.openWatches === 1)
    const before = server.requests.length
    const beganAt = timing.elapsed()
    server.broken = broken
    // Without another fault lists go well, but each watch is told to list again.
    server.brokenWatches = { type: 'error-event', code: 410 }
    server.disconnect()
    await until(() => timing.elapsed() - beganAt > 60_000)
    const asked = server.requests.length - before
    // One each 0.8 s at most, but for the first; timers may fire a millisecond early, which counts fifty here.
    t.ok(
      asked <= 3 + ((broken === undefined ? 2 : 1) * (timing.elapsed() - beganAt)) / 700,
      `${broken?.type ?? 'watches'}: ${asked} requests in a minute`,
    )
    t.ok(asked >= 2, `${broken?.type ?? 'watches'}: ${asked} requests in a minute`)
    server.broken = undefined
    server.brokenWatches = undefined
    server.put('b')
    await until(() => reflector.store.size === 2)
  }
})

t.test('whatever goes wrong in whatever order, in the end the store is what the server holds', async (t) => {
  const kinds = [...Object.values(WATCH_FAULTS), undefined, undefined, undefined]
  for (const seed of [1, 2, 3]) {
    const random = mulberry32(seed)
    const choose = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)]
    const { server, reflector, log } = await fixture(t, { inactivityMs: 5_000 })
    server.pageSize = 3
    reflector.start()
    for (let step = 0; step < 150; step += 1) {
      const name = `key-${Math.floor(random() * 12)}`
      if (random() < 0.6) server.put(name, `${step}`)
      else server.remove(name)
      const fault = choose(kinds)
      if (fault !== undefined && random() < 0.2) server.faults[random() < 0.5 ? 'list' : 'watch'].push(fault)
      if (random() < 0.1) server.disconnect()
      if (random() < 0.1) server.compact()
      if (random() < 0.1) server.bookmark()
      if (random() < 0.05) server.write('{"type": "ADDED"\n')
      if (random() < 0.2) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    server.faults.list = []
    server.faults.watch = []
    const known = () => Object.fromEntries(reflector.store.list().map(({ metadata, spec }) => [metadata.name, spec]))
    await until(() => isDeepStrictEqual(known(), server.state))
    t.strictSame(known(), server.state, `seed ${seed}`)
    t.strictSame(
      log.entries.filter(({ level }) => level === 'error'),
      [],
    )
  }
})

t.test('a handler that throws is logged and harms nobody', async (t) => {
  const { server, reflector, changes, log } = await fixture(t)
  reflector.onChange(() => {
    throw new Error('handler')
  })
  server.put('a')
  server.put('b')
  reflector.start()
  await reflector.synced
  t.equal(changes.length, 2)
  t.equal(log.entries.filter(({ message }) => message === 'change handler failed').length, 2)
})

t.test('what nobody needs is dropped before it is kept', async (t) => {
  const { server, reflector } = await fixture(t, {
    transform: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
  })
  server.put('a', 'large')
  reflector.start()
  await reflector.synced
  t.equal(reflector.store.get('n/a')?.['spec'], undefined)
})

t.test('a stopped reflector asks nothing more, also in the middle of a list or a wait', async (t) => {
  for (const fault of [{ type: 'hang' }, { type: 'status', code: 500 }] as const) {
    const { server, reflector } = await fixture(t)
    server.broken = fault
    reflector.start()
    reflector.start()
    await until(() => server.count('list') >= 1)
    await reflector.stop()
    // Three times the longest wait after so few failures.
    const pause = () => new Promise((resolve) => setTimeout(resolve, 10_000 / FASTER))
    // What was sent before the stop may arrive after it.
    await pause()
    const asked = server.requests.length
    await pause()
    t.equal(server.requests.length, asked)
    t.equal(reflector.hasSynced, false)
  }
})

/** Numbers 0..1 that are the same in each run. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
