import t from 'tap'
import { KubeError } from '../../../src/operator/kube/kube-error.ts'
import { runWorkers } from '../../../src/operator/kube/run-workers.ts'
import { WorkQueue } from '../../../src/operator/kube/work-queue.ts'
import { ManualTiming, settle } from './manual-timing.ts'
import { recordedLog } from './recorded-log.ts'

function fixture(reconcile: (key: string, round: number) => Promise<number | undefined>) {
  const timing = new ManualTiming()
  const queue = new WorkQueue({ timing })
  const log = recordedLog()
  const rounds: string[] = []
  const ended = runWorkers({
    queue,
    concurrency: 2,
    name: 'test',
    log,
    reconcile: (key) => reconcile(key, rounds.push(key)),
  })
  return { timing, queue, log, rounds, ended }
}

t.test('a failed key is tried again until it works, and then forgotten', async (t) => {
  const { timing, queue, log, rounds } = fixture(async (_key, round) => {
    if (round < 3) throw new Error('not yet')
    return undefined
  })
  queue.add('a')
  await timing.advance(1_000)
  t.strictSame(rounds, ['a', 'a', 'a'])
  t.equal(queue.failuresOf('a'), 0)
  t.match(log.entries, [
    { level: 'warn', fields: { work: 'test', object: 'a', failures: 1, error: 'not yet' } },
    { fields: { failures: 2 } },
  ])
})

t.test('a key that wants to be called again is', async (t) => {
  const { timing, queue, rounds } = fixture(async (_key, round) => (round === 1 ? 5_000 : undefined))
  queue.add('a')
  await timing.advance(4_999)
  t.equal(rounds.length, 1)
  await timing.advance(60_000)
  t.equal(rounds.length, 2)
})

t.test('the wait that the server asked for is kept, and a conflict is no warning', async (t) => {
  const { timing, queue, log, rounds } = fixture(async (_key, round) => {
    if (round === 1) throw new KubeError('slow down', { status: 429, reason: 'TooManyRequests', retryAfterMs: 2_000 })
    if (round === 2) throw new KubeError('behind', { status: 409, reason: 'Conflict' })
    return undefined
  })
  queue.add('a')
  await timing.advance(1_999)
  t.equal(rounds.length, 1)
  await timing.advance(1_000)
  t.equal(rounds.length, 3)
  t.strictSame(
    log.entries.map(({ level }) => level),
    ['warn', 'debug'],
  )
})

t.test('workers end when the queue is drained', async (t) => {
  const { queue, rounds, ended } = fixture(async () => undefined)
  queue.add('a')
  await settle()
  t.equal(await queue.drain(1_000), true)
  await ended
  t.strictSame(rounds, ['a'])
})
