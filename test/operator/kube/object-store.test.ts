import fc from 'fast-check'
import t from 'tap'
import { asArray, asObject, asString } from '../../../src/domain/json.ts'
import { keyOf } from '../../../src/operator/kube/kube-object.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { ObjectStore } from '../../../src/operator/kube/object-store.ts'

const INDEXES = {
  color: (object: KubeObject) =>
    asArray(asObject(object['spec'])?.['colors']).flatMap((color) => asString(color) ?? []),
}

function item(name: string, resourceVersion: string, colors: string[] = []): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { namespace: 'n', name, resourceVersion, uid: name },
    spec: { colors },
  }
}

t.test('a changed object leaves the words that it had and is found by its new ones', async (t) => {
  const store = new ObjectStore(INDEXES)
  store.put('n/a', item('a', '1', ['red', 'blue']))
  store.put('n/b', item('b', '2', ['red']))
  t.strictSame(store.keysBy('color', 'red'), ['n/a', 'n/b'])
  store.put('n/a', item('a', '3', ['blue']))
  t.strictSame(store.keysBy('color', 'red'), ['n/b'])
  t.strictSame(
    store.findBy('color', 'blue').map(({ metadata }) => metadata.name),
    ['a'],
  )
  store.put('n/b', undefined)
  t.strictSame(store.keysBy('color', 'red'), [])
  t.equal(store.size, 1)
})

t.test('the words of an index are those under which something is found', async (t) => {
  const store = new ObjectStore(INDEXES)
  store.put('n/a', item('a', '1', ['red', 'blue']))
  store.put('n/b', item('b', '2', ['red']))
  t.strictSame(store.words('color'), ['red', 'blue'])
  store.put('n/a', undefined)
  t.strictSame(store.words('color'), ['red'])
})

t.test('an index that was not declared is a mistake', async (t) => {
  t.throws(() => new ObjectStore().keysBy('color', 'red'), /no index named color/)
  t.throws(() => new ObjectStore().words('color'), /no index named color/)
})

t.test('the same version again is no change, the same name with another uid is', async (t) => {
  const store = new ObjectStore()
  t.ok(store.put('n/a', item('a', '1')))
  t.equal(store.put('n/a', item('a', '1')), undefined)
  t.ok(store.put('n/a', { ...item('a', '1'), metadata: { ...item('a', '1').metadata, uid: 'other' } }))
  t.equal(store.put('n/missing', undefined), undefined)
})

t.test('replacing tells exactly the differences, and indexes never disagree with the objects', async (t) => {
  const objects = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      version: fc.constantFrom('1', '2'),
      colors: fc.subarray(['red', 'blue']),
    }),
    { selector: ({ name }) => name },
  )
  fc.assert(
    fc.property(fc.array(objects, { maxLength: 6 }), (rounds) => {
      const store = new ObjectStore(INDEXES)
      for (const round of rounds) {
        const before = new Map(store.list().map((object) => [keyOf(object), object]))
        const after = round.map(({ name, version, colors }) =>
          item(
            name,
            version,
            before.get(`n/${name}`)?.metadata.resourceVersion === version ? colorsOf(before.get(`n/${name}`)) : colors,
          ),
        )
        const changes = store.replace(after)
        const expected = new Set([
          ...[...before.keys()].filter((key) => !after.some((object) => keyOf(object) === key)),
          ...after
            .filter((object) => before.get(keyOf(object))?.metadata.resourceVersion !== object.metadata.resourceVersion)
            .map(keyOf),
        ])
        if (changes.length !== expected.size || !changes.every(({ key }) => expected.has(key))) return false
        for (const color of ['red', 'blue']) {
          const found = store.keysBy('color', color).toSorted()
          const wanted = store
            .list()
            .filter((object) => colorsOf(object).includes(color))
            .map(keyOf)
            .toSorted()
          if (found.join() !== wanted.join()) return false
        }
      }
      return true
    }),
  )
  t.pass()
})

function colorsOf(object: KubeObject | undefined): string[] {
  return object === undefined ? [] : INDEXES.color(object)
}
