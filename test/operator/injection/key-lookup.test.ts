/** Keys from the cache, and what it does not know from the API server: once, in time, and never too many at a time. */
import t from 'tap'
import { keyLookup } from '../../../src/operator/injection/key-lookup.ts'
import { KubeError } from '../../../src/operator/kube/kube-error.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { ObjectStore } from '../../../src/operator/kube/object-store.ts'

const KEY: KubeObject = {
  apiVersion: 'tollgate.dev/v1alpha1',
  kind: 'VirtualKey',
  metadata: { namespace: 'shop', name: 'known', resourceVersion: '1', uid: 'u' },
}

function server() {
  const asked: string[] = []
  const open: (() => void)[] = []
  let hangs = false
  return {
    asked,
    hang: () => (hangs = true),
    release: () => open.splice(0).forEach((go) => go()),
    client: {
      get: async (_: unknown, { name }: { readonly name: string }) => {
        asked.push(name)
        if (hangs) await new Promise<void>((resolve) => open.push(resolve))
        if (name === 'late') return { ...KEY, metadata: { namespace: 'shop', name } }
        throw new KubeError('no', { status: 404, reason: 'NotFound' })
      },
      list: async () => {
        asked.push('*')
        return { items: [], resourceVersion: '1' }
      },
    },
  }
}

t.test('what the cache knows is not asked; what it does not know is, once', async (t) => {
  const store = new ObjectStore()
  store.put('shop/known', KEY)
  const { client, asked } = server()
  const lookup = keyLookup(client, () => store)
  t.equal((await lookup.find('shop', 'known'))?.metadata.name, 'known')
  t.equal((await lookup.list('shop')).length, 1)
  t.strictSame(asked, [])
  t.equal((await lookup.find('shop', 'late'))?.metadata.name, 'late')
  t.equal(await lookup.find('shop', 'none'), undefined)
  t.strictSame(await lookup.list('other'), [])
  t.strictSame(asked, ['late', 'none', '*'])
})

t.test('a cache that is not complete yet is not believed', async (t) => {
  const { client, asked } = server()
  const lookup = keyLookup(client, () => undefined)
  await lookup.find('shop', 'late')
  t.strictSame(asked, ['late'])
})

t.test('a flood of unknown keys is bounded, and known ones are not in its way', async (t) => {
  const store = new ObjectStore()
  store.put('shop/known', KEY)
  const api = server()
  api.hang()
  const lookup = keyLookup(api.client, () => store)
  const flood = Array.from({ length: 40 }, (_, index) => lookup.find('shop', `x${index}`))
  const settled = Promise.allSettled(flood)
  t.ok(await lookup.find('shop', 'known'))
  t.equal(api.asked.length, 32)
  api.release()
  t.equal((await settled).filter(({ status }) => status === 'rejected').length, 8)
  const after = lookup.find('shop', 'late')
  api.release()
  t.ok(await after)
})
