import t from 'tap'
import type { SecretLookup } from '../../../src/domain/resources/secret-lookup.ts'
import type { KeyDigest } from '../../../src/domain/snapshot/snapshot.ts'
import { build, grant, organization, secrets, virtualKey } from './resource-samples.ts'

const NOW = 1_000_000
const organizations = [organization({ grants: [grant({})] })]
const [FIRST, SECOND] = ['a'.repeat(40), 'b'.repeat(40)]

function brought(overlap?: string, name = 'key', secret = 'mine') {
  const secretRef = { name: secret, key: 'token', ...(overlap === undefined ? {} : { overlap }) }
  return virtualKey({ key: { source: 'SecretRef', secretRef } }, name)
}

/** The digests of `team/key`, which are the texts themselves here, as they follow from those in force. */
function digestsAfter(
  secretValue: SecretLookup,
  inForce: Readonly<Record<string, readonly KeyDigest[]>>,
  virtualKeys = [brought('1m')],
  nowMs = NOW,
): readonly KeyDigest[] | undefined {
  const digestsInForce = (id: string) => inForce[id] ?? []
  const { snapshot } = build({
    organizations,
    virtualKeys,
    secretValue,
    digestsInForce,
    digestOf: (text) => text,
    nowMs,
  })
  return snapshot.virtualKeys.find(({ id }) => id === 'team/key')?.digests
}

const reading = (text: string) => secrets({ 'team/mine/token': text })

t.test('the former text of a brought key is valid for the overlap, and then not', async (t) => {
  const after = digestsAfter(reading(SECOND), { 'team/key': [{ digest: FIRST }] })
  t.same(after, [{ digest: SECOND }, { digest: FIRST, notAfterMs: NOW + 60_000 }])
  const again = { 'team/key': after ?? [] }
  t.same(digestsAfter(reading(SECOND), again, undefined, NOW + 59_999), after, 'its end does not move')
  t.same(digestsAfter(reading(SECOND), again, undefined, NOW + 60_000), [{ digest: SECOND }])
  t.same(digestsAfter(reading(FIRST), again), [{ digest: FIRST }, { digest: SECOND, notAfterMs: NOW + 60_000 }])
})

t.test('a former text that was replaced while the clock was ahead is valid for the overlap from now', async (t) => {
  const inForce = { 'team/key': [{ digest: SECOND }, { digest: FIRST, notAfterMs: NOW + 3_600_000 }] }
  t.match(digestsAfter(reading(SECOND), inForce), [{}, { digest: FIRST, notAfterMs: NOW + 60_000 }])
})

t.test('the overlap is an hour where none is stated, and none where it is zero', async (t) => {
  const inForce = { 'team/key': [{ digest: FIRST }] }
  t.match(digestsAfter(reading(SECOND), inForce, [brought()]), [{}, { notAfterMs: NOW + 3_600_000 }])
  t.same(digestsAfter(reading(SECOND), inForce, [brought('0s')]), [{ digest: SECOND }])
})

t.test('a Secret that is gone or holds no good key revokes the former text too', async (t) => {
  const inForce = { 'team/key': [{ digest: FIRST }, { digest: SECOND, notAfterMs: NOW + 1 }] }
  t.equal(digestsAfter(secrets({}), inForce), undefined)
  t.equal(digestsAfter(reading('short'), inForce), undefined)
})

t.test('a Secret that cannot be read changes nothing; a key that was never in force stays out', async (t) => {
  const unreadable: SecretLookup = () => ({ type: 'unreadable' })
  const inForce = [{ digest: FIRST }, { digest: SECOND, notAfterMs: NOW }]
  for (const key of [brought(), virtualKey({}, 'key')]) {
    t.same(digestsAfter(unreadable, { 'team/key': inForce }, [key]), [{ digest: FIRST }], 'but time goes on')
    t.equal(digestsAfter(unreadable, {}, [key]), undefined)
  }
})

t.test('a text that moves to another key belongs to that one only', async (t) => {
  const secretValue = secrets({ 'team/mine/token': SECOND, 'team/other/token': FIRST })
  const keys = [brought('1m'), brought('1m', 'mover', 'other')]
  t.same(digestsAfter(secretValue, { 'team/key': [{ digest: FIRST }] }, keys), [{ digest: SECOND }])
})

t.test('a text that changes all the time does not make the entry grow', async (t) => {
  const many = Array.from({ length: 9 }, (_unused, index) => ({ digest: `${index}`, notAfterMs: NOW + 9 - index }))
  t.equal(digestsAfter(reading(SECOND), { 'team/key': [{ digest: FIRST }, ...many] })?.length, 5)
})
