/** The key that makes it two is told of, once. */
import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import { SeveralKeys } from '../../../src/operator/controllers/several-keys.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { ObjectStore } from '../../../src/operator/kube/object-store.ts'

const NOW = Date.parse('2026-07-01T00:00:00Z')
const ACCEPTED = { conditions: [{ type: 'Accepted', status: 'True', reason: 'Accepted' }] }

function key(name: string, spec: JsonObject = {}, rest: JsonObject = { status: ACCEPTED }): KubeObject {
  const metadata = { namespace: 'shop', name, uid: name, creationTimestamp: '2026-06-01T00:00:00Z' }
  return { apiVersion: 'tollgate.dev/v1alpha1', kind: 'VirtualKey', metadata, spec, ...rest }
}

function telling(keys: readonly KubeObject[], labels: JsonObject = { 'tollgate.dev/injection': 'enabled' }) {
  const namespaces = new ObjectStore()
  namespaces.put('shop', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels } })
  const several = new SeveralKeys({ namespaces, keysOfNamespace: () => keys })
  return (object: KubeObject) => several.eventFor(object, NOW)
}

t.test('a second usable key is told of once, with what to do', async (t) => {
  const [a, b] = [key('a'), key('b')]
  const tell = telling([a, b])
  t.strictSame(tell(b), {
    type: 'Warning',
    reason: 'SeveralVirtualKeys',
    action: 'Reconcile',
    note: 'namespace shop has 2 VirtualKeys (a, b): new pods without the annotation tollgate.dev/virtual-key are refused; name one of them in each pod template',
  })
  t.equal(tell(b), undefined, 'once')
  t.equal(tell(a), undefined, 'nor of the other one')
})

t.test('of two that come together the later is told of', async (t) => {
  const [a, b] = [key('a', {}, {}), key('b', {}, {})]
  const tell = telling([a, b])
  t.equal(tell(a), undefined)
  t.match(tell(b), { reason: 'SeveralVirtualKeys' })
})

t.test('what pods never choose between is not told of', async (t) => {
  const only = (account: string) => ({ access: { serviceAccounts: [account] } })
  const cases: readonly (readonly [string, KubeObject, KubeObject])[] = [
    ['suspended', key('a', { suspended: true }), key('b')],
    ['expired', key('a', { expiresAt: '2026-06-30T00:00:00Z' }), key('b')],
    ['other ServiceAccounts', key('a', only('one')), key('b', only('two'))],
  ]
  for (const [what, a, b] of cases) t.equal(telling([a, b])(b), undefined, what)
  const trial = key('b')
  const onTrial = { ...trial, metadata: { ...trial.metadata, labels: { 'tollgate.dev/trial': 'true' } } }
  t.equal(telling([key('a'), onTrial])(onTrial), undefined, 'a key on trial')
  t.equal(telling([key('a'), key('b')], {})(key('b')), undefined, 'a namespace without injection')
  t.equal(telling([key('b')])(key('b')), undefined, 'the only one')
})
