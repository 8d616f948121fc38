/** With the controllers and all admission plugins of a real cluster: they change pods before and after the webhook. */
import t from 'tap'
import { asArray, asObject, asString } from '../../../src/domain/json.ts'
import { allowedImages } from '../../../src/operator/injection/images.ts'
import { readSummary, summarizePod } from '../../../src/operator/injection/pod-summary.ts'
import { PODS } from '../../../src/operator/kube/resource.ts'
import { containerOf, envOf, IMAGE, OPERATOR_ADDRESS, pod, startInjectionWorld } from '../../helpers/injection.ts'
import { virtualKey } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

const RULES = { isAllowedImage: allowedImages(IMAGE, () => false), operatorAddress: OPERATOR_ADDRESS }

t.test('in a cluster with controllers', async (t) => {
  const world = await startInjectionWorld(t, ['shop'], [], {}, { controllers: true })
  if (world === undefined) return
  const { plane } = world
  await world.register()
  await world.startInjecting()
  await world.apply(virtualKey('shop', 'app'))

  t.test('the ServiceAccount plugin may mount its token into the sidecar, which stays one', async (t) => {
    const created = await world.create(pod('shop', 'first'))
    const mounts = asArray(containerOf(created, 'app')?.['volumeMounts']).map((one) => asObject(one)?.['mountPath'])
    t.strictSame(mounts, ['/var/run/secrets/kubernetes.io/serviceaccount'], 'the plugin is at work')
    t.equal(readSummary(summarizePod(created, RULES)).problem, '')
    t.equal(asArray(asObject(created['spec'])?.['initContainers']).length, 1)
  })

  t.test('the pods of a Deployment and of a Job get it, and refusals are events of their owners', async (t) => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'app' }] } }
    await world.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'shop', name: 'web' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
    })
    const pods = async () => (await plane.client.list(PODS, { namespace: 'shop', labelSelector: 'app=web' })).items
    await until(async () => (await pods()).length === 2)
    for (const one of await pods()) {
      t.equal(readSummary(summarizePod(one, RULES)).problem, '')
      t.equal(envOf(one, 'app')['OPENAI_API_KEY'], 'app-virtual-key/key')
    }
    const annotations = { 'tollgate.dev/virtual-key': 'missing' }
    await world.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: 'shop', name: 'report' },
      spec: { template: { metadata: { annotations }, spec: { ...template.spec, restartPolicy: 'Never' } } },
    })
    let events = ''
    await until(async () => {
      events = await plane.kubectl('get', 'events', '-n', 'shop', '--field-selector', 'involvedObject.name=report')
      return events.includes('FailedCreate')
    })
    t.match(events, /VirtualKey missing not found in namespace shop; set annotation tollgate.dev\/virtual-key/)
  })

  t.test('a pod that is copied for debugging is injected as its original was', async (t) => {
    const { code, stderr } = await plane.tryKubectl([
      'debug',
      '-n',
      'shop',
      'first',
      '--copy-to=copy',
      '--same-node=false',
      '--share-processes=false',
      '--set-image=app=busybox',
      '--keep-init-containers=true',
    ])
    t.equal(code, 0, stderr)
    const copy = await plane.client.get(PODS, { namespace: 'shop', name: 'copy' })
    t.equal(readSummary(summarizePod(copy, RULES)).problem, '')
    const names = asArray(asObject(copy['spec'])?.['initContainers']).map((one) => asString(asObject(one)?.['name']))
    t.strictSame(names, ['tollgate'])
  })
})
