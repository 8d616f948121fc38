/** After the end nothing holds anything up (notes: scenario 25). The commands are the README's. */
import t from 'tap'
import { apply, eventually, fieldsOf, get, kubectl } from './support/kubectl.ts'
import { appPod, readyPod } from './support/pods.ts'
import { platform } from './support/platform.ts'
import { reach } from './support/reach.ts'
import { commandBlocks, runBlock } from './support/readme.ts'

await platform()
const cluster = await reach(t)
await apply([appPod({ name: 'stays', namespace: 'apps', annotations: { 'tollgate.dev/virtual-key': 'whole' } })])
await readyPod('apps', 'stays')
const answered = async () => (await cluster.ask('apps', 'pods/stays:8080', { prompt: 'Hi' })).status
t.equal(await answered(), 200)

t.test("the README's commands for the end work", async (t) => {
  const block = commandBlocks().find((text) => text.includes('helm uninstall'))
  if (block === undefined) throw new Error('the README does not say how to uninstall')
  t.comment(await runBlock(block))
})

t.test('an application that goes on running is refused', async (t) => {
  t.equal(await answered(), 401)
})

t.test('no webhook and no policy is left', async (t) => {
  for (const kind of [
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
  ]) {
    t.same(await names(kind), [], kind)
  }
  t.same(
    (await names('clusterroles,clusterrolebindings')).filter((name) => name.includes('tollgate')),
    [],
  )
})

t.test("no pod is left in the release's namespace", async (t) => {
  const pods = fieldsOf(JSON.parse(await kubectl(['get', 'pods', '-n', 'tollgate-system', '-o', 'json']))).list('items')
  const left = pods.filter((pod) => pod.at('metadata', 'deletionTimestamp') === undefined)
  t.same(
    left.map((pod) => pod.text('metadata', 'name')),
    [],
  )
})

t.test('CRDs and resources are kept, without finalizers', async (t) => {
  t.same((await names('customresourcedefinitions')).toSorted(), [
    'organizations.tollgate.dev',
    'providers.tollgate.dev',
    'virtualkeys.tollgate.dev',
  ])
  const keys = fieldsOf(JSON.parse(await kubectl(['get', 'virtualkeys', '-A', '-o', 'json']))).list('items')
  t.ok(keys.length > 0)
  for (const key of keys) t.same(key.at('metadata', 'finalizers') ?? [], [], key.text('metadata', 'name'))
})

t.test('pods start in namespaces that are still labelled, and namespaces can go', async (t) => {
  await apply([appPod({ name: 'free', namespace: 'apps' })])
  t.same((await get('pod', 'free', 'apps'))?.list('spec', 'initContainers'), [])
  await kubectl(['delete', 'namespace', 'apps', 'load', 'shop', 'tollgate-system', '--wait=false'])
  await eventually(
    'the namespaces are gone',
    async () => {
      const left = (await names('namespaces')).filter((name) => /^(apps|load|shop|tollgate-system)$/.test(name))
      if (left.length > 0) throw new Error(`left: ${left.join(', ')}`)
      return true
    },
    90,
  )
})

async function names(kinds: string): Promise<readonly string[]> {
  const items = fieldsOf(JSON.parse(await kubectl(['get', kinds, '-o', 'json']))).list('items')
  return items.map((item) => item.text('metadata', 'name'))
}
