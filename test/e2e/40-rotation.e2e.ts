/** Keys change while applications stream: nothing fails (notes: scenarios 8 and 12 on a real node). */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { apply, eventually, get, kubectl, rolledOut } from './support/kubectl.ts'
import { deployment } from './support/load.ts'
import { readyPods } from './support/pods.ts'
import { platform, SYSTEM } from './support/platform.ts'
import { reach } from './support/reach.ts'

await platform()
const cluster = await reach(t)
await apply(deployment(2))
await rolledOut('load', 'deployment/assistant')
const URL = 'http://assistant.load.svc:8080'

t.test("a vendor's key is rotated under load: each vendor call has a key that is valid, and none fails", async (t) => {
  const [former, next] = ['key-of-vendor-a-0001', 'key-of-vendor-a-0002']
  await cluster.vendor('a').set({ keys: [former, next] })
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
  t.ok(result.good > 20, `${result.good} answers`)
  t.same([...(await keysSeen())], [next])
  t.comment(`provider rotation: ${result.good} streams`)
})

t.test(
  'a virtual key is rotated under load: old and new are valid for the overlap, then the old one ends',
  async (t) => {
    const secret = async () => (await get('secret', 'load-virtual-key', 'load'))?.text('data', 'key')
    const former = await secret()
    const stop = await cluster.load(URL, 6, 5)
    await kubectl(['-n', 'load', 'annotate', 'virtualkey', 'load', `tollgate.dev/rotate=${Date.now()}`, '--overwrite'])
    await eventually('a new key in the Secret', async () => (await secret()) !== former)
    // Pods that start from now on have the new key in their environment.
    await kubectl(['-n', 'load', 'rollout', 'restart', 'deployment/assistant'])
    await rolledOut('load', 'deployment/assistant')
    const result = await stop()
    t.same(result.failures, {})
    t.ok(result.good > 20, `${result.good} answers`)
    t.comment(`virtual key rotation and restart: ${result.good} streams`)
    const [pod = ''] = await readyPods('load', 'app=assistant')
    const withKey = async (key = '') => {
      const text = Buffer.from(key, 'base64').toString()
      const headers = { authorization: `Bearer ${text}` }
      return (await cluster.ask('load', `pods/${pod}:8080`, { prompt: 'Hi', headers })).status
    }
    t.equal(await withKey(await secret()), 200)
    await eventually('the old key is refused', async () => (await withKey(former)) === 401, 40)
  },
)

async function setVendorKey(key: string): Promise<void> {
  const change = JSON.stringify({ stringData: { apiKey: key } })
  await kubectl(['-n', SYSTEM, 'patch', 'secret', 'vendor-a', '--type=merge', '--patch', change])
}

async function keysSeen(): Promise<ReadonlySet<string>> {
  return new Set((await cluster.vendor('a').log()).map((call) => call.text('key')))
}
