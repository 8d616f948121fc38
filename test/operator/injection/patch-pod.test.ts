/** The patch of a pod: what holds for every pod. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { asArray, asObject } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import type { EnvMode } from '../../../src/operator/injection/settings.ts'
import { patchPod } from '../../../src/operator/injection/patch-pod.ts'
import type { InjectionPlan } from '../../../src/operator/injection/patch-pod.ts'
import { parseInjectionSettings } from '../../../src/operator/injection/settings.ts'
import { applyPatch } from '../../helpers/json-patch.ts'

const SETTINGS = parseInjectionSettings('{image: tollgate:1, operatorAddress: "operator:8443"}')
const OURS = new Set(['tollgate.dev/injected', 'tollgate.dev/config-hash', 'kubectl.kubernetes.io/default-container'])

function planOf(mode: EnvMode): InjectionPlan {
  return {
    wishes: { ...SETTINGS, env: mode, virtualKey: undefined, await: true },
    trust: 'CA',
    configHash: '0123456789abcdef',
    env: { mode, dataPort: 4_141, key: { secretName: 'app-virtual-key', entry: 'key' } },
    rules: {
      isAllowedImage: (image) => image === 'tollgate:1',
      operatorAddress: 'operator:8443',
      isTrusted: (pem) => pem === 'CA',
    },
  }
}

const name = fc.constantFrom('app', 'worker', 'migrate', 'istio-proxy', 'linkerd-proxy', 'x')
const variable = fc.record({
  name: fc.constantFrom('OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_AUTH_TOKEN', 'GEMINI_API_KEY', 'PATH', 'X'),
  value: fc.constantFrom('a', '', 'http://127.0.0.1:4141/v1', 'https://api.openai.com/v1'),
})
const unknown = fc.dictionary(fc.constantFrom('newField', 'other'), fc.jsonValue(), { maxKeys: 2 })
const container = fc
  .tuple(
    fc.record(
      {
        name,
        image: fc.constant('i'),
        env: fc.uniqueArray(variable, { selector: (one) => one.name, maxLength: 4 }),
        restartPolicy: fc.constant('Always'),
        volumeMounts: fc.array(fc.constant({ name: 'data', mountPath: '/data' }), { maxLength: 1 }),
      },
      { requiredKeys: ['name'] },
    ),
    unknown,
  )
  .map(([known, rest]) => ({ ...rest, ...known }))
const containers = (minLength: number) =>
  fc.uniqueArray(container, { selector: (one) => one.name, minLength, maxLength: 3 })
const strings = fc.dictionary(fc.constantFrom('a/b~c', 'app', 'team.example/x'), fc.constantFrom('1', ''))
const anyPod = fc
  .record(
    {
      metadata: fc.record({ name: fc.constant('p'), labels: strings, annotations: strings }, { requiredKeys: [] }),
      spec: fc
        .tuple(
          fc.record(
            {
              containers: containers(1),
              initContainers: containers(0),
              volumes: fc.array(fc.constant({ name: 'data', emptyDir: {} }), { maxLength: 1 }),
            },
            { requiredKeys: ['containers'] },
          ),
          unknown,
        )
        .map(([known, rest]) => ({ ...rest, ...known })),
    },
    { requiredKeys: ['spec', 'metadata'] },
  )
  // fast-check makes objects without a prototype; the API server's are read from text.
  .map((pod): JsonObject => JSON.parse(JSON.stringify(pod)))

function inject(pod: JsonObject, mode: EnvMode): JsonObject {
  const patch = patchPod(pod, planOf(mode))
  if (patch.type === 'refused') throw new Error(patch.message)
  return applyPatch(pod, patch.operations)
}

t.test('a second application changes nothing', async (t) => {
  const mode = fc.constantFrom<EnvMode>('auto', 'off', 'override')
  fc.assert(
    fc.property(anyPod, mode, (pod, env) => {
      const injected = inject(pod, env)
      const again = patchPod(injected, planOf(env))
      assert.deepEqual(again.type === 'patch' ? again.operations : again, [])
    }),
    { numRuns: 300 },
  )
  t.pass()
})

t.test('without what was added, the pod is what it was: unknown fields, order and variables included', async (t) => {
  fc.assert(
    fc.property(anyPod, (pod) => {
      assert.deepEqual(withoutOurs(inject(pod, 'auto'), pod), pod)
    }),
    { numRuns: 300 },
  )
  t.pass()
})

t.test('each application container can call the gateway, or says itself whom it calls', async (t) => {
  fc.assert(
    fc.property(anyPod, (pod) => {
      for (const one of listOf(inject(pod, 'auto'), 'containers')) {
        if (['istio-proxy', 'linkerd-proxy'].includes(String(one['name']))) continue
        const names = asArray(one['env']).map((entry) => asObject(entry)?.['name'])
        for (const wanted of ['TOLLGATE_BASE_URL', 'OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL'])
          assert.equal(names.filter((found) => found === wanted).length, 1)
      }
    }),
    { numRuns: 100 },
  )
  t.pass()
})

t.test('the virtual key is not given where it would be sent elsewhere', async (t) => {
  const at = (value: string) =>
    listOf(inject(podWith({ env: [{ name: 'OPENAI_BASE_URL', value }] }), 'auto'), 'containers')[0]?.['env']
  const hasKey = (value: string) => asArray(at(value)).some((one) => asObject(one)?.['name'] === 'OPENAI_API_KEY')
  t.notOk(hasKey('https://api.openai.com/v1'))
  t.notOk(hasKey('http://127.0.0.1:4141.evil.example/v1'))
  t.notOk(hasKey('http://127.0.0.1:9999/v1'))
  t.ok(hasKey('http://127.0.0.1:4141/v1'))
  t.ok(hasKey('http://localhost:4141/adapters/openai/v1'))
})

t.test('override takes the place of what is set, where it is', async (t) => {
  const pod = podWith({
    env: [
      { name: 'OPENAI_API_KEY', value: 'mine' },
      { name: 'X', value: '$(OPENAI_API_KEY)' },
    ],
  })
  const [app] = listOf(inject(pod, 'override'), 'containers')
  t.match(asArray(app?.['env']).slice(0, 2), [
    { name: 'OPENAI_API_KEY', valueFrom: { secretKeyRef: { name: 'app-virtual-key', key: 'key' } } },
    { name: 'X', value: '$(OPENAI_API_KEY)' },
  ])
})

t.test('the sidecar comes before other init containers, and after the native proxies of meshes', async (t) => {
  const order = (...names: readonly [string, string?][]) => {
    const initContainers = names.map(([one, restartPolicy]) => ({ name: one, ...(restartPolicy && { restartPolicy }) }))
    return listOf(inject(podWith({}, { initContainers }), 'auto'), 'initContainers').map((one) => one['name'])
  }
  t.strictSame(order(['migrate']), ['tollgate', 'migrate'])
  t.strictSame(order(['istio-init'], ['istio-proxy', 'Always'], ['migrate']), [
    'istio-init',
    'istio-proxy',
    'tollgate',
    'migrate',
  ])
  // Its rules would lead the sidecar into a proxy that does not run yet.
  t.strictSame(order(['istio-init'], ['migrate']), ['tollgate', 'istio-init', 'migrate'])
})

function podWith(container: JsonObject, spec: JsonObject = {}): JsonObject {
  return { metadata: { name: 'p' }, spec: { containers: [{ name: 'app', image: 'i', ...container }], ...spec } }
}

function listOf(pod: JsonObject, field: string): readonly JsonObject[] {
  return asArray(asObject(pod['spec'])?.[field]).map((one) => asObject(one) ?? {})
}

/** Takes out of an injected pod what the webhook adds; `original` tells which lists were there. */
function withoutOurs(injected: JsonObject, original: JsonObject): JsonObject {
  const spec = asObject(original['spec']) ?? {}
  const strip = (field: string): JsonObject[] => {
    const before = listOf(original, field)
    return listOf(injected, field)
      .filter((one) => one['name'] !== 'tollgate' && one['name'] !== 'tollgate-identity')
      .map((one, index) => {
        const env = asArray(before[index]?.['env'])
        const kept = asArray(one['env']).slice(0, env.length)
        const { env: _, ...rest } = one
        return before[index]?.['env'] === undefined ? rest : { ...rest, env: kept }
      })
  }
  const lists = ['containers', 'initContainers', 'volumes'].filter((field) => spec[field] !== undefined)
  const rest = Object.entries(asObject(injected['spec']) ?? {}).filter(
    ([field]) => !['containers', 'initContainers', 'volumes'].includes(field),
  )
  const metadata = asObject(original['metadata']) ?? {}
  const members = ['labels', 'annotations'].filter((field) => metadata[field] !== undefined)
  return {
    metadata: {
      ...metadata,
      ...Object.fromEntries(
        members.map((field) => [
          field,
          Object.fromEntries(
            Object.entries(asObject(asObject(injected['metadata'])?.[field]) ?? {}).filter(([key]) => !OURS.has(key)),
          ),
        ]),
      ),
    },
    spec: { ...Object.fromEntries(rest), ...Object.fromEntries(lists.map((field) => [field, strip(field)])) },
  }
}
