/** Pods come and go under streams that do not end (notes: scenario 18). */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { apply, eventually, get, kubectl, rolledOut } from './support/kubectl.ts'
import { deployment } from './support/load.ts'
import { appPod, readyPod, start } from './support/pods.ts'
import { platform } from './support/platform.ts'
import { reach } from './support/reach.ts'
import { report } from './support/report.ts'

await platform()
const cluster = await reach(t)

t.test('a Deployment is rolled out twice under continuous streams: none fails', async (t) => {
  await apply(deployment(2))
  await rolledOut('load', 'deployment/assistant')
  const stop = await cluster.load('http://assistant.load.svc:8080', 6, 15)
  for (const round of ['first', 'second']) {
    await apply(deployment(2, { round }))
    await rolledOut('load', 'deployment/assistant')
  }
  const result = await stop()
  t.same(result.failures, {})
  report(`two rollouts: ${result.good} streams of 1.5 s`)
})

t.test('a pod that is deleted in the middle of a stream finishes it, then its sidecar ends in order', async (t) => {
  await start(t, appPod({ name: 'streaming', namespace: 'apps', annotations: { 'tollgate.dev/virtual-key': 'whole' } }))
  await readyPod('apps', 'streaming')
  // Seven seconds of words; the application closes its server at SIGTERM and ends with the last answer.
  const answer = cluster.ask('apps', 'pods/streaming:8080', { stream: true, prompt: '70 pieces' })
  await sleep(1_500)
  const begun = Date.now()
  await kubectl(['-n', 'apps', 'delete', 'pod', 'streaming', '--wait=false'])
  const { text, pieces } = await answer
  t.equal(text?.trim().split(' ').length, 70)
  t.ok(pieces > 10, `in ${pieces} pieces`)
  await eventually('the pod is gone', async () => (await get('pod', 'streaming', 'apps')) === undefined, 30)
  const seconds = (Date.now() - begun) / 1_000
  t.ok(seconds < 20, `gone after ${seconds.toFixed(1)} s: nobody waited for the grace period`)
})
