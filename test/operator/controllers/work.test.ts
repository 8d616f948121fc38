import t from 'tap'
import { Work } from '../../../src/operator/controllers/work.ts'
import { ManualTiming, settle } from '../kube/manual-timing.ts'
import { recordedLog } from '../kube/recorded-log.ts'

/** A leader whose 32 workers of statuses are held up, so that others wait. */
async function begin() {
  const timing = new ManualTiming()
  const held = Promise.withResolvers<undefined>()
  const state = { isLeader: true }
  const finalized: string[] = []
  const work = new Work({ timing, log: recordedLog(), onFailed: () => undefined })
  work.lead(() => state.isLeader, {
    keys: async () => undefined,
    statuses: () => held.promise,
    finalizers: async (key) => void finalized.push(key),
  })
  for (let index = 0; index < 40; index += 1) work.statuses.add(`VirtualKey/team/${index}`)
  work.finalizers.add('team/late')
  await settle()
  return { timing, work, state, finalized, release: () => held.resolve(undefined) }
}

t.test('a finalizer waits until the last status has been handed out', async (t) => {
  const { timing, finalized, release, work } = await begin()
  t.strictSame(work.depths, { keys: 0, statuses: 8, finalizers: 0 })
  await timing.advance(10_000)
  t.strictSame(finalized, [])
  release()
  await timing.advance(250)
  t.strictSame(finalized, ['team/late'])
})

t.test('who has waited and does not lead any more writes nothing', async (t) => {
  const { timing, finalized, release, state } = await begin()
  state.isLeader = false
  release()
  await timing.advance(250)
  t.strictSame(finalized, [])
})

t.test('at the end, what is under way is finished and what waits is left to the next leader', async (t) => {
  const { timing, finalized, release, work } = await begin()
  const stopped = work.stop()
  release()
  await stopped
  t.strictSame(finalized, [])
  t.equal(timing.timers, 0)
})
