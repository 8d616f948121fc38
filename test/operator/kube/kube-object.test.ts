import t from 'tap'
import { deepFreeze, isKubeObject, keyOf, nameOf } from '../../../src/operator/kube/kube-object.ts'

t.test("keys and names are each other's opposite", async (t) => {
  for (const key of ['team/key', 'cluster-wide']) t.equal(keyOf({ metadata: nameOf(key) }), key)
})

t.test('an object without a name, a kind or a version, or with a number for one, is none', async (t) => {
  const good = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 1 },
  }
  t.equal(isKubeObject(good), true)
  t.equal(isKubeObject({ ...good, metadata: { name: 'a' } }), true)
  for (const bad of [
    null,
    7,
    [],
    {},
    { ...good, kind: 1 },
    { ...good, apiVersion: undefined },
    { ...good, metadata: [] },
  ]) {
    t.equal(isKubeObject(bad), false)
  }
  for (const wrong of [
    { name: 1 },
    { name: 'a', namespace: 1 },
    { name: 'a', uid: 1 },
    { name: 'a', resourceVersion: 1 },
    { name: 'a', generation: '1' },
  ]) {
    t.equal(isKubeObject({ ...good, metadata: wrong }), false)
  }
})

t.test('a frozen object is frozen in all its depth', async (t) => {
  const value = deepFreeze({ a: [{ b: { c: 1 } }], d: null })
  t.throws(() => {
    const inner = value.a[0]
    if (inner !== undefined) inner.b.c = 2
  }, TypeError)
  t.throws(() => value.a.push({ b: { c: 1 } }), TypeError)
})
