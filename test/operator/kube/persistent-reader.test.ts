import t from 'tap'
import { KubeError } from '../../../src/operator/kube/kube-error.ts'
import { persistentReader } from '../../../src/operator/kube/persistent-reader.ts'
import { SECRETS } from '../../../src/operator/kube/resource.ts'
import { pause } from '../../../src/operator/kube/timing.ts'
import { ManualTiming } from './manual-timing.ts'

/** Reads three objects one after another, of which each call fails. @returns how many calls that took */
async function callsUntilFailed(status: number, takesMs: number): Promise<number> {
  const timing = new ManualTiming()
  let calls = 0
  const client = {
    async get() {
      calls++
      await pause(timing, takesMs)
      throw new KubeError('no', { status, reason: 'x' })
    },
  }
  const reader = persistentReader({ client, timing })
  const reading = (async () => {
    for (const name of ['a', 'b', 'c']) await reader.get(SECRETS, { namespace: 'n', name }).catch(() => undefined)
  })()
  await timing.advance(600_000)
  await reading
  return calls
}

t.test('what may be trouble of a moment is asked again, an answer is not', async (t) => {
  for (const status of [500, 429, 0]) t.equal(await callsUntilFailed(status, 10), 9, `${status}`)
  for (const status of [404, 403]) t.equal(await callsUntilFailed(status, 10), 3, `${status}`)
})

t.test('an API server that gives no answer is not waited for again and again', async (t) => {
  t.equal(await callsUntilFailed(0, 30_000), 3)
})
