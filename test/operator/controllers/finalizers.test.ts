import t from 'tap'
import { Finalizers, hasFinalizer } from '../../../src/operator/controllers/finalizers.ts'
import type { JsonPatchOperation } from '../../../src/operator/kube/kube-api.ts'
import { KubeError } from '../../../src/operator/kube/kube-error.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { ObjectStore } from '../../../src/operator/kube/object-store.ts'

function key(uid: string, more: Readonly<Record<string, unknown>> = {}): KubeObject {
  const metadata = { namespace: 'team', name: 'app', uid, ...more }
  return { apiVersion: 'tollgate.dev/v1alpha1', kind: 'VirtualKey', metadata }
}

function begin(object: KubeObject) {
  const virtualKeys = new ObjectStore()
  virtualKeys.put('team/app', object)
  const patches: (readonly JsonPatchOperation[])[] = []
  let before: () => void = () => undefined
  const jsonPatch = async (_resource: unknown, _name: unknown, operations: readonly JsonPatchOperation[]) => {
    patches.push(operations)
    const then = before
    before = () => undefined
    then()
    return object
  }
  const finalizers = new Finalizers({ client: { jsonPatch }, view: { virtualKeys } })
  const show = (current: KubeObject | undefined) => {
    const change = virtualKeys.put('team/app', current)
    if (change !== undefined) finalizers.note(change)
  }
  return { patches, finalizers, show, during: (work: () => void) => (before = work) }
}

t.test('it is added once, beside those of others, though the cache lags behind', async (t) => {
  const object = key('a', { finalizers: ['somebody.else/waits'] })
  const { finalizers, patches } = begin(object)
  t.ok(finalizers.isMissing('team/app', object))
  await finalizers.add('team/app')
  t.strictSame(patches, [
    [
      { op: 'test', path: '/metadata/uid', value: 'a' },
      { op: 'test', path: '/metadata/finalizers', value: ['somebody.else/waits'] },
      { op: 'add', path: '/metadata/finalizers/-', value: 'tollgate.dev/redis-cleanup' },
    ],
  ])
  t.notOk(finalizers.isMissing('team/app', object))
  await finalizers.add('team/app')
  t.equal(patches.length, 1)
})

t.test('a key that was stripped of it by hand, or made anew under its name, gets it again', async (t) => {
  const { finalizers, patches, show } = begin(key('a'))
  await finalizers.add('team/app')
  show(key('a', { finalizers: ['tollgate.dev/redis-cleanup'] }))
  show(key('a'))
  t.ok(finalizers.isMissing('team/app', key('a')), 'seen with it, then without')
  await finalizers.add('team/app')
  show(key('b'))
  await finalizers.add('team/app')
  t.strictSame(
    patches.map(([uid]) => uid),
    ['a', 'a', 'b'].map((value) => ({ op: 'test', path: '/metadata/uid', value })),
  )
})

t.test('a key that is gone or going gets none', async (t) => {
  const going = key('a', { deletionTimestamp: '2026-11-21T10:00:00Z' })
  const { finalizers, patches, show } = begin(going)
  t.notOk(finalizers.isMissing('team/app', going))
  await finalizers.add('team/app')
  show(undefined)
  await finalizers.add('team/app')
  t.strictSame(patches, [])
})

t.test('a key that went while it was added is not remembered', async (t) => {
  const object = key('a')
  const { finalizers, show, during } = begin(object)
  during(() => show(undefined))
  await finalizers.add('team/app')
  t.ok(finalizers.isMissing('team/app', object))
})

t.test(
  'a key that is seen with it before the API server has answered, and is stripped then, gets it again',
  async (t) => {
    const { finalizers, patches, during, show } = begin(key('a'))
    during(() => show(key('a', { finalizers: ['tollgate.dev/redis-cleanup'] })))
    await finalizers.add('team/app')
    show(key('a'))
    t.ok(finalizers.isMissing('team/app', key('a')))
    await finalizers.add('team/app')
    t.equal(patches.length, 2)
  },
)

t.test('a patch that failed is tried again', async (t) => {
  const { finalizers, patches, during } = begin(key('a'))
  during(() => {
    throw new Error('the API server does not answer')
  })
  await t.rejects(finalizers.add('team/app'))
  await finalizers.add('team/app')
  t.equal(patches.length, 2)
})

t.test('a key that the API server did not find, and the cache still shows, is not taken for done', async (t) => {
  const { finalizers, during } = begin(key('a'))
  during(() => {
    throw new KubeError('404 page not found', { status: 404, reason: 'NotFound' })
  })
  t.equal(await finalizers.add('team/app'), 10_000, 'no event would bring it again')
  t.ok(finalizers.isMissing('team/app', key('a')))
  t.equal(await finalizers.add('team/app'), undefined)
})

t.test('only ours counts as ours', (t) => {
  t.ok(hasFinalizer(key('a', { finalizers: ['x/y', 'tollgate.dev/redis-cleanup'] })))
  t.notOk(hasFinalizer(key('a', { finalizers: ['x/y'] })))
  t.notOk(hasFinalizer(key('a')))
  t.end()
})
