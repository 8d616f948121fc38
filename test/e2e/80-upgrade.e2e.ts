/** What Helm does to a running installation (notes: scenario 25). */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import t from 'tap'
import { apply, eventually, helm, kubectl, list, manifestText, rolledOut, type Fields } from './support/kubectl.ts'
import { deployment } from './support/load.ts'
import { appPod, readyPod, start } from './support/pods.ts'
import { platform, RELEASE, SYSTEM } from './support/platform.ts'
import { reach } from './support/reach.ts'

const CHART = join(import.meta.dirname, '../../charts/tollgate')
const URL = 'http://assistant.load.svc:8080'

await platform()
const cluster = await reach(t)
await apply(deployment(2))
await rolledOut('load', 'deployment/assistant')

t.test(
  'helm upgrade under streaming load: operators are replaced, no stream fails, new pods are as the new values say',
  async (t) => {
    const before = await uids()
    const stop = await cluster.load(URL, 4, 15)
    await helm(
      `upgrade ${RELEASE} ${CHART} --namespace ${SYSTEM} --reuse-values --wait --timeout 180s`,
      '--set operator.logLevel=debug --set sidecar.logLevel=warn --set tests.namespace=shop --set tests.organization=default',
    )
    // The operator that ends may still have answered a moment after the upgrade.
    await eventually('pods are injected as the new values say', async () => (await injected()).includes('"warn"'), 30)
    await start(
      t,
      appPod({ name: 'upgraded', namespace: 'apps', annotations: { 'tollgate.dev/virtual-key': 'whole' } }),
    )
    await readyPod('apps', 'upgraded')
    await sleep(2_000)
    t.same((await stop()).failures, {})
    const after = await uids()
    t.same(
      before.filter((uid) => after.includes(uid)),
      [],
      'every operator pod is new',
    )
  },
)

t.test('helm test', async (t) => {
  t.match(await helm(`test ${RELEASE} --namespace ${SYSTEM} --timeout 120s --logs`), /Phase: +Succeeded/)
})

t.test('helm rollback under streaming load: no stream fails', async (t) => {
  const stop = await cluster.load(URL, 4, 15)
  await helm(`rollback ${RELEASE} 1 --namespace ${SYSTEM} --wait --timeout 180s`)
  const result = await stop()
  t.same(result.failures, {})
  const [operator] = await list('deployments', SYSTEM, 'app.kubernetes.io/component=operator')
  t.match(JSON.stringify(operator?.at('spec', 'template', 'spec', 'containers', 0, 'args')), '--log-level=info')
})

/** What the webhook makes of a pod. */
function injected(): Promise<string> {
  const pod = appPod({ name: 'never', namespace: 'apps', annotations: { 'tollgate.dev/virtual-key': 'whole' } })
  return kubectl(['create', '--dry-run=server', '-o', 'json', '-f', '-'], manifestText([pod]))
}

async function uids(): Promise<readonly string[]> {
  const pods = await list('pods', SYSTEM, 'app.kubernetes.io/component=operator')
  return pods
    .filter((pod: Fields) => pod.at('metadata', 'deletionTimestamp') === undefined)
    .map((pod) => pod.text('metadata', 'uid'))
}
