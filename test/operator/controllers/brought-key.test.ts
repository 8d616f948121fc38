/** A key that somebody brings: which texts are valid until when, and that there is another. */
import t from 'tap'
import { broughtKeys, rotationEvent } from '../../../src/operator/controllers/brought-key.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'

const NOW = Date.parse('2026-07-01T00:00:00Z')
const HOUR = 3_600_000

function key(status: JsonObject = {}): KubeObject {
  const metadata = { namespace: 'team', name: 'brought' }
  return { apiVersion: 'tollgate.dev/v1alpha1', kind: 'VirtualKey', metadata, status }
}

const digest = (letter: string) => letter.repeat(64)
const id = (letter: string) => letter.repeat(12)
const secretRef = { name: 'mine', key: 'key' }

t.test('each text has its place and its end', async (t) => {
  const digests = [{ digest: digest('b') }, { digest: digest('a'), notAfterMs: NOW + HOUR }]
  const keys = [
    { id: id('b'), state: 'Active', createdAt: '2026-07-01T00:00:00Z' },
    { id: id('a'), state: 'Retiring', notAfter: '2026-07-01T01:00:00Z' },
  ]
  t.strictSame(broughtKeys(key(), digests, NOW), keys)
  t.strictSame(broughtKeys(key({ keys }), digests, NOW + 1_000), keys, 'as it was first seen')
  t.strictSame(broughtKeys(key({ keys }), digests, NOW + HOUR), keys.slice(0, 1), 'an ended one is gone')
  t.strictSame(broughtKeys(key(), [], NOW), [], 'one that is not in force has none')
  const many = ['a', 'b', 'c', 'd', 'e'].map((letter, index) => ({
    digest: digest(letter),
    ...(index === 0 ? {} : { notAfterMs: NOW + HOUR }),
  }))
  t.equal(broughtKeys(key(), many, NOW).length, 4, 'as many as the CRD takes')
})

t.test('another text is told of with the end of the former', async (t) => {
  const active = (letter: string) => ({ id: id(letter), state: 'Active' })
  const retiring = { id: id('a'), state: 'Retiring', notAfter: '2026-07-01T01:00:00Z' }
  const before = key({ keys: [active('a')] })
  t.match(rotationEvent(before, { secretRef, keys: [active('b'), retiring] }), {
    type: 'Normal',
    reason: 'KeyRotated',
    note: `a new key is in Secret mine (${id('b')}); the former one (${id('a')}) is valid until 2026-07-01T01:00:00Z`,
  })
  t.match(rotationEvent(before, { secretRef, keys: [active('b')] }), { note: /the former one \(a+\) has ended$/ })
  t.equal(rotationEvent(before, { secretRef, keys: [active('a')] }), undefined, 'the same')
  t.equal(rotationEvent(key(), { secretRef, keys: [active('a')] }), undefined, 'the first')
  t.equal(rotationEvent(before, { secretRef }), undefined, 'none any more')
})
