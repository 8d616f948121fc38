/**
 * Scenario 22 of the operator's tests: of two operators one writes, also when the one that does dies, sleeps or is asked to
 * go. Judged by what Redis itself saw.
 */
import { spawn } from 'node:child_process'
import t from 'tap'
import { asObject, asString } from '../../../src/domain/json.ts'
import { LEASES } from '../../../src/operator/kube/resource.ts'
import { startWorld, SYSTEM, virtualKey } from '../../helpers/operator.ts'
import type { RunningOperator } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

t.test('22: two operators', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { plane, redis } = world
  const monitor = watchWrites(redis.port)
  t.teardown(() => monitor.stop())
  let most = 0
  const leaderOf = async (operators: readonly RunningOperator[]): Promise<RunningOperator> => {
    let leader: RunningOperator | undefined
    await until(async () => {
      const leading = await Promise.all(operators.map((operator) => operator.isLeader()))
      most = Math.max(most, leading.filter(Boolean).length)
      leader = operators[leading.indexOf(true)]
      return leader !== undefined
    }, 60_000)
    if (leader === undefined) throw new Error('nobody leads')
    return leader
  }
  const epoch = async () => Number((await redis.cli('GET', 'tg:cfg:epoch')).trim())
  let operators: readonly RunningOperator[] = await Promise.all([world.startOperator(), world.startOperator()])

  t.test('one leads and serves', async (t) => {
    await leaderOf(operators)
    await world.apply(virtualKey('team', 'first'))
    await world.reaches('team/first', 'Ready', 'True Ready')
    t.ok((await epoch()) > 0)
  })

  t.test('the one that does not lead keeps no list of work: nobody would take what is deleted out of it', async (t) => {
    const leader = await leaderOf(operators)
    const other = operators.find((operator) => operator !== leader)
    await until(async () => (await other?.metric('tollgate_virtual_keys')) === 1)
    t.equal(await other?.metric('tollgate_queue_depth{queue="keys"}'), 0)
    t.equal(await other?.metric('tollgate_queue_depth{queue="statuses"}'), 0)
    t.equal(await other?.metric('tollgate_queue_depth{queue="finalizers"}'), 0)
  })

  t.test('after kill -9 the other takes over with a higher epoch', async (t) => {
    const leader = await leaderOf(operators)
    const before = await epoch()
    await leader.end('SIGKILL')
    operators = operators.filter((operator) => operator !== leader)
    await leaderOf(operators)
    await world.apply(virtualKey('team', 'second'))
    await world.reaches('team/second', 'Ready', 'True Ready')
    t.ok((await epoch()) > before)
  })

  t.test('a leader that slept through the end of its term writes nothing and ends', async (t) => {
    const sleeper = await leaderOf(operators)
    const other = await world.startOperator()
    sleeper.child.kill('SIGSTOP')
    await leaderOf([other])
    await world.apply(virtualKey('team', 'third'))
    await world.reaches('team/third', 'Ready', 'True Ready')
    const [document, highest] = [await redis.cli('GET', 'tg:cfg:ns:team'), await epoch()]
    sleeper.child.kill('SIGCONT')
    await until(() => sleeper.child.exitCode !== null, 40_000)
    t.equal(sleeper.child.exitCode, 1)
    t.equal(await redis.cli('GET', 'tg:cfg:ns:team'), document)
    t.equal(await epoch(), highest)
    t.equal(most, 1, 'never two at once')
    operators = [other]
  })

  t.test('a leader that is asked to go hands over, and nobody waits for its term to end', async (t) => {
    const leader = await leaderOf(operators)
    const next = await world.startOperator()
    const holders: string[] = []
    const stopping = new AbortController()
    const { items, resourceVersion } = await plane.client.list(LEASES, { namespace: SYSTEM })
    const holderOf = (lease: object) =>
      asString(asObject(Object.entries(lease).find(([name]) => name === 'spec')?.[1])?.['holderIdentity']) ?? ''
    const holding = holderOf(items[0] ?? {})
    const watching = (async () => {
      const events = plane.client.watch(LEASES, { namespace: SYSTEM, resourceVersion, signal: stopping.signal })
      for await (const event of events) {
        const holder = event.type === 'object-changed' ? holderOf(event.object) : undefined
        if (holder !== undefined && holder !== holders.at(-1)) holders.push(holder)
      }
    })().catch(() => undefined)
    await leader.end('SIGTERM')
    t.equal(leader.child.exitCode, 0)
    await leaderOf([next])
    await until(() => holders.at(-1) !== '' && holders.at(-1) !== holding)
    stopping.abort()
    await watching
    t.equal(holders.at(-2), '', 'the Lease was free when it was taken')
    await world.apply(virtualKey('team', 'fourth'))
    await world.reaches('team/fourth', 'Ready', 'True Ready')
    await next.end('SIGTERM')
  })

  t.test('Redis has taken writes of one leader after the other', async (t) => {
    const writes = monitor.writes()
    const epochs = writes.map(({ epoch }) => epoch)
    t.ok(new Set(epochs).size >= 3, epochs.join())
    t.strictSame(
      epochs,
      epochs.toSorted((left, right) => left - right),
      'never an earlier one after a later one',
    )
    for (const [epoch, of] of Map.groupBy(writes, (write) => write.epoch))
      t.equal(new Set(of.map(({ client }) => client)).size, 1, `epoch ${epoch} is one process`)
  })
})

t.test('a Lease that was set back, as from a backup of the cluster, costs one restart', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const lead = async () => {
    const operator = await world.startOperator()
    await until(() => operator.output().includes('became leader'), 60_000)
    return operator
  }
  const setBack = async () => {
    const [lease] = (await world.plane.client.list(LEASES, { namespace: SYSTEM })).items
    const transitions = Number(asObject(lease?.['spec'])?.['leaseTransitions'])
    const spec = JSON.stringify({ spec: { leaseTransitions: transitions - 20 } })
    await world.plane.kubectl('patch', 'lease', 'tollgate-operator', '-n', SYSTEM, '--type=merge', '-p', spec)
  }
  const first = await lead()
  await world.apply(virtualKey('team', 'app'))
  await world.reaches('team/app', 'Ready', 'True Ready')
  await first.end('SIGTERM')
  await setBack()
  const refused = await lead()
  await until(() => refused.child.exitCode !== null, 40_000)
  t.match(refused.output(), /a leader of epoch \d+ has published/)
  await lead()
  await world.apply(virtualKey('team', 'app', { suspended: true }))
  await until(async () => (await world.published('team/app'))?.['suspended'] === true)
})

t.test(
  'what is derived from a secret that was deleted and made anew does not live on beside the new one',
  async (t) => {
    const world = await startWorld(t, ['team'])
    if (world === undefined) return
    for (const name of ['tollgate-master', 'tollgate-signing']) {
      const leader = await world.startOperator()
      await until(() => leader.isLeader(), 60_000)
      await world.plane.kubectl('delete', 'secret', name, '-n', SYSTEM)
      const other = await world.startOperator()
      await until(() => leader.child.exitCode !== null)
      t.match(leader.output(), `the Secret ${name} has been replaced`)
      await until(() => other.isLeader(), 60_000)
      await world.apply(virtualKey('team', name))
      await world.reaches(`team/${name}`, 'Ready', 'True Ready')
      await other.end('SIGTERM')
    }
  },
)

interface Write {
  readonly epoch: number
  /** Address of the connection that it came over. */
  readonly client: string
}

/** The shards that Redis stores, as MONITOR tells them. */
function watchWrites(port: number): { writes(): readonly Write[]; stop(): void } {
  const child = spawn('redis-cli', ['-p', `${port}`, 'MONITOR'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  return {
    writes: () => {
      const found: Write[] = []
      let client = ''
      for (const line of output.split('\n')) {
        const caller = /\[0 ([\d.:]+)\] "eval/i.exec(line)?.[1]
        if (caller !== undefined) client = caller
        const epoch = /\[0 lua\] "SET" "tg:cfg:[^"]*" "\{\\"schema\\":1,\\"epoch\\":(\d+)/.exec(line)?.[1]
        if (epoch !== undefined) found.push({ epoch: Number(epoch), client })
      }
      return found
    },
    stop: () => void child.kill(),
  }
}
