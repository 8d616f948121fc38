/** Which key a pod gets that names none: what cannot be used is never in the way. */
import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import { chooseKey } from '../../../src/operator/injection/choose-key.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'

const NOW = Date.parse('2026-07-01T00:00:00Z')

function key(name: string, spec: JsonObject = {}, conditions: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'tollgate.dev/v1alpha1',
    kind: 'VirtualKey',
    metadata: { ...metadata, namespace: 'shop', name, uid: name },
    spec: { key: { source: 'Generated' }, ...spec },
    status: {
      conditions: Object.entries(conditions).map(([type, reason]) => ({
        type,
        reason,
        status: type === reason ? 'True' : 'False',
      })),
    },
  }
}

const good = (name: string, spec: JsonObject = {}) => key(name, spec, { Accepted: 'Accepted', KeyReady: 'KeyReady' })
const refused = (name: string) => key(name, {}, { Accepted: 'NotGranted', Ready: 'NotGranted' })
const USELESS: readonly KubeObject[] = [
  refused('not-accepted'),
  key('without-secret', {}, { Accepted: 'Accepted', KeyReady: 'SecretNotFound' }),
  good('suspended', { suspended: true }),
  good('expired', { expiresAt: '2026-06-30T00:00:00Z' }),
  good('for-others', { access: { serviceAccounts: ['robot'] } }),
  key('too-new'),
]
const INVISIBLE: readonly KubeObject[] = [
  key('ending', {}, { Accepted: 'Accepted' }, { deletionTimestamp: '2026-06-30T00:00:00Z' }),
  key('tollgate-verify-1', {}, { Accepted: 'Accepted' }, { labels: { 'tollgate.dev/trial': 'true' } }),
]

function choose(keys: readonly KubeObject[], name?: string) {
  return chooseKey(
    { namespace: 'shop', name, serviceAccount: 'default', now: NOW },
    {
      find: async (_namespace, wanted) => keys.find(({ metadata }) => metadata.name === wanted),
      list: async () => keys,
    },
  )
}

t.test('a key that the pod cannot use does not stand beside one that it can', async (t) => {
  for (const other of USELESS) {
    const choice = await choose([other, good('shop')])
    t.match(choice, { type: 'chosen', key: { secretName: 'shop-virtual-key' } }, other.metadata.name)
    const [warning = '', ...more] = choice.type === 'chosen' ? choice.warnings : []
    t.match(warning, /VirtualKey shop is taken; name it with annotation tollgate.dev\/virtual-key, or pods are refused/)
    t.match(warning, new RegExp(`: ${other.metadata.name} \\(.+\\)$`))
    t.strictSame(more, [])
  }
})

t.test('a key that goes, or that is only being tried, is not counted at all', async (t) => {
  const choice = await choose([...INVISIBLE, good('shop')])
  t.strictSame(choice, { type: 'chosen', key: { secretName: 'shop-virtual-key', entry: 'key' }, warnings: [] })
  t.match(await choose(INVISIBLE), { type: 'refused', message: /^namespace shop has no VirtualKey; create one/ })
  t.match(await choose(INVISIBLE, 'tollgate-verify-1'), { type: 'chosen' }, 'by its name it is there')
})

t.test('a spent budget does not hand its pods to another key', async (t) => {
  const spent = key('spent', {}, { Accepted: 'Accepted', QuotaAvailable: 'BudgetExceeded', Ready: 'BudgetExceeded' })
  t.match(await choose([spent, good('shop')]), {
    type: 'refused',
    message:
      'namespace shop has 2 VirtualKeys (shop, spent); name one of them with annotation tollgate.dev/virtual-key',
  })
})

t.test('where several can be used, or only new ones are there, nothing is guessed', async (t) => {
  const both = await choose([good('b'), refused('c'), good('a')])
  t.match(both, { type: 'refused', message: /^namespace shop has 2 VirtualKeys \(a, b\); name one of them/ })
  t.match(await choose([key('b'), key('a')]), { type: 'refused', message: /has 2 VirtualKeys \(a, b\)/ })
  t.match(await choose([good('a'), good('b')], 'b'), { type: 'chosen', key: { secretName: 'b-virtual-key' } })
})

t.test('where none of several can be used, each is named with its reason', async (t) => {
  t.match(await choose([good('suspended', { suspended: true }), refused('never')]), {
    type: 'refused',
    message:
      'namespace shop has no VirtualKey that this pod can use: never (is not ready (NotGranted)), suspended (is suspended); ' +
      'mend one, or name one with annotation tollgate.dev/virtual-key',
  })
})

t.test('the only key is taken whatever it is, and what is wrong with it is said', async (t) => {
  t.match(await choose([refused('shop')]), {
    type: 'chosen',
    warnings: ['tollgate: VirtualKey shop is not ready (NotGranted): its calls will be refused'],
  })
  t.match(await choose([key('shop')]), { type: 'chosen', warnings: [] }, 'one that was made a moment ago')
})
