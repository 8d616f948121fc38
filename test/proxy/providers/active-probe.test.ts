import t from 'tap'
import { once, EventEmitter } from 'node:events'
import { checkTimeout, connectTimeout } from '../../../src/proxy/providers/attempt-error.ts'
import { ActiveProbe, type OnProbed } from '../../../src/proxy/providers/active-probe.ts'
import { AttemptError } from '../../../src/proxy/pipeline/ports.ts'
import type { ProbeCall } from '../../../src/proxy/providers/transport.ts'
import { HealthBoard } from '../../../src/proxy/providers/health-board.ts'
import { HttpTransport } from '../../../src/proxy/providers/transport.ts'
import type { ProviderEntry } from '../../../src/domain/snapshot/snapshot.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { freeze, status } from '../../helpers/behaviours.ts'
import { startFakeProvider } from '../../helpers/fake-provider.ts'
import { provider } from '../../domain/routing/samples.ts'

const CHECK = { mode: 'Active', intervalMs: 1, timeoutMs: 1000, unhealthyThreshold: 2, healthyThreshold: 2 } as const

function active(name: string, fields: Partial<ProviderEntry> = {}): ProviderEntry {
  return provider(name, [], { healthCheck: CHECK, ...fields })
}

/** Runs checks whose results are given, and collects the verdicts; then checks hang. */
async function verdictsOf(results: (number | Error)[], onChange: OnProbed = () => undefined): Promise<string[]> {
  const events = new EventEmitter()
  const left = [...results]
  const verdicts: string[] = []
  const probe = new ActiveProbe({
    transport: {
      probe: () => {
        const next = left.shift()
        if (next === undefined) events.emit('done')
        if (next === undefined) return new Promise<number>(() => undefined)
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
      },
    },
    board: { markProvider: (_name, verdict) => verdicts.push(verdict.type) },
    credentialOf: () => undefined,
    now: () => 0,
    random: () => 0.5,
    onChange,
  })
  const done = once(events, 'done')
  probe.retain([active('one')])
  // The checks' own timers do not keep a process alive.
  const awake = setInterval(() => undefined, 1000)
  await done
  clearInterval(awake)
  probe.stop()
  return verdicts.slice(0, results.length)
}

t.test('a provider goes down and comes back at its thresholds', async (t) => {
  t.same(await verdictsOf([200, 500, 200, 500, new Error('connect'), 200, 500, 200, 200]), [
    'up',
    'up',
    'up',
    'up',
    'down',
    'down',
    'down',
    'down',
    'up',
  ])
})

t.test('an answer that shows a living server is good, one that refuses our key is not', async (t) => {
  t.same(await verdictsOf([404, 404, 429, 429]), ['up', 'up', 'up', 'up'])
  t.same(await verdictsOf([401, 401]), ['up', 'down'])
  t.same(await verdictsOf([403, 403]), ['up', 'down'])
})

t.test('a check that was not sent, as calls took all connections, says nothing of the provider', async (t) => {
  const full = new AttemptError('busy', 'too many connections to the provider')
  const verdicts = await verdictsOf([200, full, full, 200, 500, 500])
  t.same(verdicts.slice(0, 4), ['up', 'up', 'up', 'down'])
})

t.test(
  'what takes a provider out is told once, with the reason of the last check, and so is that it is back',
  async (t) => {
    const changes: unknown[] = []
    const refused = new AttemptError('connect', 'connect ECONNREFUSED 127.0.0.1:9')
    const results = [
      500,
      503,
      500,
      refused,
      refused,
      200,
      200,
      200,
      new Error('quotes a key'),
      new Error('quotes a key'),
    ]
    await verdictsOf(results, (...change) => changes.push(change))
    t.strictSame(changes, [
      ['one', 'down', { reason: 'status-503' }],
      ['one', 'up', undefined],
      ['one', 'down', { reason: 'error' }],
    ])
    changes.length = 0
    await verdictsOf([refused, refused, refused], (...change) => changes.push(change))
    t.strictSame(changes, [['one', 'down', { reason: 'connect', detail: 'connect ECONNREFUSED 127.0.0.1:9' }]])
  },
)

t.test('the end of the checks brings no provider back: calls that go on are not sent to a frozen server', async (t) => {
  const board = new HealthBoard(() => 0)
  const down = new Promise<void>((resolve) => {
    const probe: ActiveProbe = new ActiveProbe({
      transport: { probe: async () => 500 },
      board,
      credentialOf: () => undefined,
      now: () => 0,
      random: () => 0,
      onChange: () => (probe.stop(), resolve()),
    })
    probe.retain([active('one')])
  })
  const awake = setInterval(() => undefined, 1000)
  await down
  clearInterval(awake)
  t.equal(board.failsChecks('one/model'), true)
})

t.test('an edit of a provider that is out is told, and whether its checks pass or fail since', async (t) => {
  const events = new EventEmitter()
  const checkedAt = (path: string) => ({ healthCheck: { ...CHECK, path } })
  let answer = 500
  const changes: unknown[] = []
  const probe = new ActiveProbe({
    transport: { probe: async () => answer },
    board: { markProvider: () => undefined },
    credentialOf: () => undefined,
    now: () => 0,
    random: () => 0,
    onChange: (name, change) => (changes.push(`${name} ${change}`), events.emit('change')),
  })
  t.teardown(() => probe.stop())
  const awake = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(awake))
  const changed = () => once(events, 'change')
  const down = changed()
  probe.retain([active('one')])
  await down
  probe.retain([active('one')])
  t.strictSame(changes, ['one down'], 'the same entry in another configuration')
  probe.retain([active('one', checkedAt('/1'))])
  t.strictSame(changes, ['one down', 'one forgotten'])
  await changed()
  t.strictSame(changes.slice(2), ['one down'], 'it fails as before')
  probe.retain([active('one', checkedAt('/2'))])
  probe.retain([active('one', checkedAt('/3'))])
  answer = 200
  await changed()
  t.strictSame(changes.slice(3), ['one forgotten', 'one up'])
  answer = 500
  await changed()
  probe.retain([])
  t.strictSame(changes.slice(5), ['one down', 'one forgotten'], 'it is checked no more')
  probe.retain([active('two')])
  await changed()
  probe.stop()
  t.strictSame(changes.slice(7), ['two down'], 'the end of the process is no news of it')
})

t.test('only active providers are watched, unchanged ones go on, others end with their check', async (t) => {
  const calls: ProbeCall[] = []
  const events = new EventEmitter()
  const probe = new ActiveProbe({
    transport: { probe: (call) => new Promise(() => (calls.push(call), events.emit('call'))) },
    board: { markProvider: () => undefined },
    credentialOf: () => undefined,
    now: () => 0,
    random: () => 0,
  })
  t.teardown(() => probe.stop())
  const awake = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(awake))
  const first = once(events, 'call')
  probe.retain([active('one'), provider('passive', []), active('off', { enabled: false })])
  await first
  probe.retain([active('one')])
  probe.retain([active('one', { priority: 7 })])
  t.equal(calls[0]?.signal.aborted, false)
  const second = once(events, 'call')
  probe.retain([active('one', { priority: 7, healthCheck: { ...CHECK, path: '/health' } })])
  t.equal(calls[0]?.signal.aborted, true)
  await second
  probe.stop()
  t.same(
    calls.map(({ provider }) => [provider.name, provider.priority]),
    [
      ['one', 100],
      ['one', 7],
    ],
  )
  t.equal(calls[1]?.signal.aborted, true)
})

t.test(
  'a provider that is out stays so where only its price or priority changes, and is asked as it is then',
  async (t) => {
    const verdicts: string[] = []
    const priorities: number[] = []
    const events = new EventEmitter()
    const probe = new ActiveProbe({
      transport: {
        probe: ({ provider: { priority } }) => {
          priorities.push(priority)
          return Promise.resolve(500)
        },
      },
      board: { markProvider: (_name, { type }) => (verdicts.push(type), events.emit('verdict')) },
      credentialOf: () => undefined,
      now: () => 0,
      random: () => 0,
    })
    const awake = setInterval(() => undefined, 1000)
    t.teardown(() => clearInterval(awake))
    probe.retain([active('one')])
    while (verdicts.at(-1) !== 'down') await once(events, 'verdict')
    probe.retain([active('one', { priority: 7 })])
    t.equal(verdicts.at(-1), 'down')
    while (priorities.at(-1) !== 7) await once(events, 'verdict')
    t.equal(verdicts.at(-1), 'down')
    probe.stop()
  },
)

t.test('a provider with another key is checked anew, and is not down before', async (t) => {
  const keys: (string | undefined)[] = []
  const verdicts: string[] = []
  const events = new EventEmitter()
  let key = new Secret('old')
  const probe = new ActiveProbe({
    transport: {
      probe: ({ credential }) => new Promise(() => (keys.push(credential?.reveal()), events.emit('call'))),
    },
    board: { markProvider: (_name, { type }) => verdicts.push(type) },
    credentialOf: () => key,
    now: () => 0,
    random: () => 0,
  })
  t.teardown(() => probe.stop())
  const awake = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(awake))
  const first = once(events, 'call')
  probe.retain([active('one')])
  await first
  key = new Secret('old')
  probe.retain([active('one')])
  t.same(verdicts, [], 'the same key in another configuration')
  const second = once(events, 'call')
  key = new Secret('new')
  probe.retain([active('one')])
  t.same(verdicts, ['up'])
  await second
  t.same(keys, ['old', 'new'])
})

t.test('a check asks the health route with the key and gives up on a frozen provider', async (t) => {
  const fake = await startFakeProvider()
  const transport = new HttpTransport()
  t.teardown(async () => {
    await fake.close()
    await transport.close()
  })
  fake.enqueue(status(204), freeze())
  const from = (timeoutMs: number) =>
    provider('one', [], {
      credentials: { type: 'Bearer' },
      endpoint: { baseUrl: `${fake.url}/v1`, allowInsecureHttp: true, headers: {} },
      healthCheck: { ...CHECK, timeoutMs },
    })
  const call = { credential: new Secret('sk-1'), signal: new AbortController().signal }
  t.equal(await transport.probe({ ...call, provider: from(60_000) }), 204)
  t.match(fake.requests[0], { method: 'GET', path: '/v1/models', headers: { authorization: 'Bearer sk-1' } })
  const message = `no answer of the provider at ${fake.url} within healthCheck.timeout`
  await t.rejects(transport.probe({ ...call, provider: from(60) }), { kind: 'timeout', message })
  const unconnected = checkTimeout('the provider', connectTimeout('the provider'))
  t.match(unconnected, { kind: 'timeout', message: 'no connection to the provider within healthCheck.timeout' })
})
