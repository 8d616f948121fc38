import t from 'tap'
import { asObject } from '../../../src/domain/json.ts'
import { LeaderElector } from '../../../src/operator/kube/leader-elector.ts'
import { pause } from '../../../src/operator/kube/timing.ts'
import { ManualTiming } from './manual-timing.ts'
import { MemoryApi } from './memory-api.ts'
import { recordedLog } from './recorded-log.ts'

const LEASE = 'leases/n/operator'

interface Candidate {
  readonly elector: LeaderElector
  readonly told: string[]
}

function fixture() {
  const timing = new ManualTiming()
  const api = new MemoryApi()
  const log = recordedLog()
  const candidate = (identity: string, clock = timing, onElected?: (epoch: number) => void): Candidate => {
    const told: string[] = []
    const part = api.client(identity, (ms) => pause(clock, ms))
    const elector = new LeaderElector({
      client: part,
      namespace: 'n',
      name: 'operator',
      identity,
      timing: clock,
      log,
      onElected: onElected ?? ((epoch) => void told.push(`elected ${epoch}`)),
      onLost: (reason) => void told.push(`lost: ${reason}`),
    })
    return { elector, told }
  }
  const spec = () => asObject(api.objects.get(LEASE)?.['spec'])
  return { timing, api, log, candidate, spec }
}

t.test('the first candidate leads, the second waits', async (t) => {
  const { timing, candidate, spec } = fixture()
  const [a, b] = [candidate('a'), candidate('b')]
  a.elector.start()
  await timing.advance(0)
  b.elector.start()
  await timing.advance(60_000)
  t.equal(a.elector.isLeader, true)
  t.equal(b.elector.isLeader, false)
  t.equal(b.elector.epoch, undefined)
  t.equal(b.elector.holder, 'a')
  t.strictSame(b.told, [])
  t.match(spec(), {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-15T12:00:00.000000Z',
    leaseTransitions: a.elector.epoch ?? -1,
  })
})

t.test(
  'one that gives the Lease back as it was set back is followed by a higher epoch than it was told of',
  async (t) => {
    const { timing, candidate, spec } = fixture()
    const [a, b] = [candidate('a'), candidate('b')]
    a.elector.start()
    await timing.advance(0)
    const seen = (a.elector.epoch ?? 0) + 20
    const stopped = a.elector.stop(seen)
    await timing.advance(5_000)
    await stopped
    t.match(spec(), { holderIdentity: '', leaseTransitions: seen })
    b.elector.start()
    await timing.advance(5_000)
    t.equal(b.elector.epoch, seen + 1)
  },
)

t.test('a leader that vanishes is followed after the duration, not before, with a higher epoch', async (t) => {
  const { timing, api, candidate } = fixture()
  const [a, b] = [candidate('a'), candidate('b')]
  a.elector.start()
  await timing.advance(0)
  b.elector.start()
  await timing.advance(10_500)
  api.fault = (client) => (client === 'a' ? 'unavailable' : undefined)
  await timing.advance(13_500)
  t.equal(b.elector.isLeader, false)
  t.match(a.told.at(-1), /^lost: not renewed for 10000 ms/, 'the old one knows before the new one leads')
  t.equal(a.elector.isLeader, false)
  await timing.advance(3_500)
  t.equal(b.elector.isLeader, true)
  t.ok((b.elector.epoch ?? 0) > Number(a.told[0]?.split(' ')[1]))
})

t.test('a leader that stops gives the lease back, and the next follows within a second', async (t) => {
  const { timing, candidate, spec } = fixture()
  const [a, b] = [candidate('a'), candidate('b')]
  a.elector.start()
  await timing.advance(0)
  b.elector.start()
  await timing.advance(5_000)
  await a.elector.stop()
  t.equal(spec()?.['holderIdentity'], '')
  t.strictSame(a.told.length, 1, 'stopping is not losing')
  await timing.advance(1_100)
  t.equal(b.elector.isLeader, true)
  await b.elector.stop()
  await a.elector.stop()
})

t.test('a frozen leader is none by its own clock, finds another holder when it wakes, and loses once', async (t) => {
  const { timing, candidate } = fixture()
  const other = new ManualTiming()
  const [a, b] = [candidate('a'), candidate('b', other)]
  a.elector.start()
  await timing.advance(0)
  b.elector.start()
  await other.advance(20_000)
  t.equal(b.elector.isLeader, true)
  timing.freeze(20_000)
  t.equal(a.elector.isLeader, false)
  await timing.advance(60_000)
  t.strictSame(a.told.slice(1), ['lost: b holds the lease'])
})

t.test('a leader that was frozen without a rival goes on with its epoch', async (t) => {
  const { timing, candidate } = fixture()
  const a = candidate('a')
  a.elector.start()
  await timing.advance(0)
  timing.freeze(30_000)
  t.equal(a.elector.isLeader, false)
  await timing.advance(2_000)
  t.equal(a.elector.isLeader, true)
  t.equal(a.told.length, 1)
})

t.test('a renewal whose answer was lost, and an edited label, are not a lost lease', async (t) => {
  const { timing, api, candidate } = fixture()
  const a = candidate('a')
  a.elector.start()
  await timing.advance(0)
  let losses = 1
  api.fault = (_client, verb) => (verb === 'replace' && losses-- > 0 ? 'lost' : undefined)
  await timing.advance(20_000)
  const lease = api.objects.get(LEASE)
  if (lease !== undefined)
    api.objects.set(LEASE, { ...lease, metadata: { ...lease.metadata, resourceVersion: 'edited', labels: { a: 'b' } } })
  await timing.advance(20_000)
  t.equal(a.elector.isLeader, true)
  t.equal(a.told.length, 1)
})

t.test('an acquisition whose answer was lost is noticed, with a new epoch', async (t) => {
  const { timing, api, candidate, spec } = fixture()
  const a = candidate('a')
  let losses = 1
  api.fault = (_client, verb) => (verb === 'create' && losses-- > 0 ? 'lost' : undefined)
  a.elector.start()
  await timing.advance(2_000)
  t.equal(a.elector.isLeader, true)
  t.equal(spec()?.['leaseTransitions'], a.elector.epoch ?? -1)
})

t.test('a deleted lease is made again by its leader, and a new one never starts with a lower epoch', async (t) => {
  const { timing, api, candidate, spec } = fixture()
  const a = candidate('a')
  a.elector.start()
  await timing.advance(0)
  const epoch = a.elector.epoch ?? 0
  api.objects.delete(LEASE)
  await timing.advance(4_000)
  t.equal(a.elector.isLeader, true)
  t.equal(spec()?.['leaseTransitions'], epoch)
  await a.elector.stop()
  api.objects.delete(LEASE)
  await timing.advance(2_000)
  const b = candidate('b')
  b.elector.start()
  await timing.advance(0)
  t.ok((b.elector.epoch ?? 0) > epoch)
})

t.test('calls that hang end before the deadline does, so that the leader knows in time', async (t) => {
  const { timing, api, candidate } = fixture()
  const a = candidate('a')
  a.elector.start()
  await timing.advance(0)
  api.fault = () => 'slow'
  await timing.advance(9_000)
  t.equal(a.told.length, 1)
  await timing.advance(3_000)
  t.match(a.told.at(-1), /not renewed/)
})

t.test('of two that take an expired lease at once one wins, silently', async (t) => {
  const { timing, api, log, candidate } = fixture()
  api.objects.set(LEASE, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'n', name: 'operator', resourceVersion: '0' },
    spec: { holderIdentity: '' },
  })
  const candidates = ['a', 'b', 'c'].map((name) => candidate(name))
  for (const { elector } of candidates) elector.start()
  await timing.advance(5_000)
  t.equal(candidates.filter(({ elector }) => elector.isLeader).length, 1)
  t.strictSame(
    log.entries.filter(({ level }) => level === 'warn'),
    [],
  )
})

t.test('a failure that goes on is told once', async (t) => {
  const { timing, api, log, candidate } = fixture()
  api.fault = () => 'unavailable'
  const a = candidate('a')
  a.elector.start()
  await timing.advance(30_000)
  t.equal(log.entries.length, 1)
  await a.elector.stop()
  t.equal(timing.timers, 0)
})

t.test('a candidate asks once a second, too, while nobody answers and the lease has run out', async (t) => {
  const { timing, api, candidate } = fixture()
  const [a, b] = [candidate('a'), candidate('b')]
  a.elector.start()
  await timing.advance(0)
  b.elector.start()
  await timing.advance(5_000)
  api.fault = () => 'unavailable'
  await timing.advance(20_000)
  const before = api.calls.length
  await timing.advance(10_000)
  t.ok(api.calls.length - before <= 12, `${api.calls.length - before} calls in 10 s`)
  api.fault = () => undefined
  await timing.advance(17_000)
  t.equal(b.elector.isLeader, true)
})

t.test('a leader that cannot start loses instead of leading', async (t) => {
  const { timing, candidate, log } = fixture()
  const a = candidate('a', timing, () => {
    throw new Error('no start')
  })
  a.elector.start()
  await timing.advance(5_000)
  t.equal(a.elector.isLeader, false)
  t.strictSame(a.told, ['lost: the leader could not start'])
  t.ok(log.entries.some(({ message }) => message === 'leader could not start'))
})

t.test('times that make two leaders possible are refused', async (t) => {
  const options = {
    client: new MemoryApi().client('a'),
    namespace: 'n',
    name: 'x',
    identity: 'a',
    timing: new ManualTiming(),
    log: recordedLog(),
    onElected: () => undefined,
    onLost: () => undefined,
  }
  t.throws(() => new LeaderElector({ ...options, renewDeadlineMs: 15_000 }), TypeError)
  t.throws(() => new LeaderElector({ ...options, retryPeriodMs: 10_000 }), TypeError)
})
