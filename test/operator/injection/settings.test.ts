import t from 'tap'
import { readWishes } from '../../../src/operator/injection/annotations.ts'
import { allowedImages, repositoryOf } from '../../../src/operator/injection/images.ts'
import { parseInjectionSettings } from '../../../src/operator/injection/settings.ts'
import { re2ImagePattern } from '../../../src/proxy/guardrails/re2-pattern-engine.ts'

const LEAST = 'image: tollgate:1\noperatorAddress: operator:8443\n'

t.test('the least file has the defaults', async (t) => {
  t.match(parseInjectionSettings(LEAST), {
    dataPort: 4_141,
    adminPort: 4_142,
    env: 'auto',
    runAsUser: 64_100,
    resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    excludeNamespaces: ['kube-system', 'kube-public', 'kube-node-lease', 'cert-manager'],
  })
})

t.test('a file that is wrong is refused by the name of the field', async (t) => {
  const cases: [string, RegExp][] = [
    ['[]', /one mapping/],
    ['image: a\nimage: b', /not YAML/],
    ['image: tollgate:1', /operatorAddress is required/],
    ['operatorAddress: a:1', /image is required/],
    [`${LEAST}imagePatern: x`, /unknown field imagePatern/],
    [`${LEAST}dataPort: 80`, /dataPort must be a port from 1024 to 65535/],
    [`${LEAST}dataPort: 4142`, /must differ/],
    [`${LEAST}env: maybe`, /env must be one of auto, off, override/],
    [`${LEAST}logLevel: loud`, /logLevel must be one of/],
    [`${LEAST}runAsUser: 0`, /runAsUser must be a whole number above 0, or null/],
    [`${LEAST}resources: {claims: {}}`, /unknown field resources.claims/],
    [`${LEAST}excludeNamespaces: mesh`, /excludeNamespaces must be a list/],
    [`${LEAST}excludeNamespaces: [1]`, /excludeNamespaces must be text/],
    [`${LEAST}resources: {limits: {memory: lots}}`, /resources.limits.memory must be a quantity/],
    ['image: a b\noperatorAddress: a:1', /image must be text without spaces/],
    ['image: a\noperatorAddress: a', /operatorAddress must be host:port/],
  ]
  for (const [yaml, message] of cases) t.throws(() => parseInjectionSettings(yaml), { message }, yaml)
})

t.test('what the platform gives is left out, and a bare off is understood', async (t) => {
  const settings = parseInjectionSettings(
    `${LEAST}runAsUser: null\nrunAsGroup: null\nenv: off\nresources: {requests: {cpu: 1}}`,
  )
  t.match(settings, {
    runAsUser: null,
    runAsGroup: null,
    env: 'off',
    resources: { requests: { cpu: '1' }, limits: {} },
  })
  t.equal(parseInjectionSettings(JSON.stringify({ image: 'a', operatorAddress: 'a:1', env: false })).env, 'off')
})

t.test('an image of the repository in any version is ours, another one only by the pattern', async (t) => {
  const allowed = allowedImages('registry:5000/acme/tollgate:1.2', re2ImagePattern('mirror\\.example/tollgate:.*'))
  const digest = `@sha256:${'0'.repeat(64)}`
  for (const image of [
    'registry:5000/acme/tollgate:1.1',
    `registry:5000/acme/tollgate${digest}`,
    'mirror.example/tollgate:9',
  ])
    t.ok(allowed(image), image)
  for (const image of [
    'registry:5000/acme/tollgate-evil:1.2',
    'registry:6000/acme/tollgate:1.2',
    'acme/tollgate',
    'x/mirror.example/tollgate:9',
    '',
  ])
    t.notOk(allowed(image), image)
  t.equal(repositoryOf('localhost:5000/a'), 'localhost:5000/a')
})

t.test('wishes of a pod that are wrong are refused by the name of the annotation', async (t) => {
  const settings = parseInjectionSettings(LEAST)
  const wish = (name: string, value: string) => () =>
    readWishes({ metadata: { annotations: { [`tollgate.dev/${name}`]: value } } }, settings, () => false)
  const cases: [string, string, RegExp][] = [
    ['virtual-key', 'Not A Name', /virtual-key must be the name of a VirtualKey/],
    ['env', 'on', /env must be one of/],
    ['port', '22', /port must be a port from 1024/],
    ['port', '4142', /must not be 4142/],
    ['log-level', 'loud', /log-level must be one of/],
    ['await', 'no', /await must be "true" or "false"/],
    ['image', 'tollgate:2', /image must be an image that the installation allows/],
    ['resources-limits-memory', '1e9x', /must be a quantity/],
  ]
  for (const [name, value, message] of cases) t.throws(wish(name, value), { message })
  t.doesNotThrow(wish('team', 'blue'), 'what is not known is no wish of ours')
})
