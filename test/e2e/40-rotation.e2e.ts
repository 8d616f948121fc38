/** Keys change while applications stream: nothing fails (notes: scenarios 8 and 12 on a real node). */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { apply, eventually, get, kubectl, rolledOut } from './support/kubectl.ts'
import { deployment } from './support/load.ts'
import { appPod, readyPod, start } from './support/pods.ts'
import { platform, SYSTEM } from './support/platform.ts'
import { reach } from './support/reach.ts'
import { report } from './support/report.ts'

await platform()
const cluster = await reach(t)
await apply(deployment(2))
await rolledOut('load', 'deployment/assistant')
const URL = 'http://assistant.load.svc:8080'

t.test("a vendor's key is rotated under load: each vendor call has a key that is valid, and none fails", async (t) => {
  const [former, next] = ['key-of-vendor-a-0001', 'key-of-vendor-a-0002']
  await cluster.vendor('a').set({ keys: [former, next] })
  t.teardown(() => cluster.vendor('a').set({ keys: [] }))
  const stop = await cluster.load(URL, 6, 5)
  await sleep(2_000)
  await setVendorKey(next)
  await eventually('the new key is in use', async () => (await keysSeen()).has(next))
  // The vendor ends the old key: the sidecars must have left it altogether.
  await sleep(3_000)
  await cluster.vendor('a').set({ keys: [next] })
  await sleep(3_000)
  const result = await stop()
  t.same(result.failures, {})
  t.same([...(await keysSeen())], [next])
  report(`provider rotation: ${result.good} streams`)
})

t.test(
  'a virtual key is rotated under load: pods go on with the old one until new pods have the new one',
  async (t) => {
    const former = await keyOf('load', 'load')
    const stop = await cluster.load(URL, 6, 5)
    await rotate('load', 'load')
    await eventually('a new key in the Secret', async () => (await keyOf('load', 'load')) !== former)
    // Pods that start from now on have the new key in their environment.
    await kubectl(['-n', 'load', 'rollout', 'restart', 'deployment/assistant'])
    await rolledOut('load', 'deployment/assistant')
    const result = await stop()
    t.same(result.failures, {})
    report(`virtual key rotation and restart: ${result.good} streams`)
  },
)

t.test('after the overlap the former key is refused, the new one served', async (t) => {
  await start(t, appPod({ name: 'two-keys', namespace: 'apps', annotations: { 'tollgate.dev/virtual-key': 'brief' } }))
  await readyPod('apps', 'two-keys')
  const statusWith = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    return (await cluster.ask('apps', 'pods/two-keys:8080', { prompt: 'Hi', headers })).status
  }
  const former = await keyOf('apps', 'brief')
  t.equal(await statusWith(former), 200)
  await rotate('apps', 'brief')
  const next = await eventually('a new key', async () => {
    const key = await keyOf('apps', 'brief')
    return key === former ? undefined : key
  })
  await eventually('the new key is served', async () => (await statusWith(next)) === 200, 20)
  await eventually('the former key is refused', async () => (await statusWith(former)) === 401, 30)
  t.equal(await statusWith(next), 200)
})

async function rotate(namespace: string, name: string): Promise<void> {
  await kubectl(['-n', namespace, 'annotate', 'virtualkey', name, `tollgate.dev/rotate=${Date.now()}`, '--overwrite'])
}

/** The text of the key, as an application gets it. */
async function keyOf(namespace: string, name: string): Promise<string> {
  const secret = await get('secret', `${name}-virtual-key`, namespace)
  return Buffer.from(secret?.text('data', 'key') ?? '', 'base64').toString()
}

async function setVendorKey(key: string): Promise<void> {
  const change = JSON.stringify({ stringData: { apiKey: key } })
  await kubectl(['-n', SYSTEM, 'patch', 'secret', 'vendor-a', '--type=merge', '--patch', change])
}

async function keysSeen(): Promise<ReadonlySet<string>> {
  return new Set((await cluster.vendor('a').log()).map((call) => call.text('key')))
}
