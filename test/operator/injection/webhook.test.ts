/** Scenario 16: what the API server stores of a pod that the webhook was asked about. */
import { createServer } from 'node:https'
import t from 'tap'
import type { Test } from 'tap'
import { asArray, asObject, asString } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import { parseReview } from '../../../src/operator/injection/admission-review.ts'
import { MUTATING_WEBHOOK_CONFIGURATIONS, PODS, VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { createAuthority } from '../../helpers/certificates.ts'
import { containerOf, envOf, IMAGE, OPERATOR_ADDRESS, pod, startInjectionWorld } from '../../helpers/injection.ts'
import type { InjectionWorld } from '../../helpers/injection.ts'
import { virtualKey } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

t.test('a webhook on a real API server', async (t) => {
  const world = await startInjectionWorld(t, ['shop', 'strict', 'empty', 'many'], ['plain'])
  if (world === undefined) return
  const { plane } = world
  await plane.kubectl('label', 'namespace', 'strict', 'pod-security.kubernetes.io/enforce=restricted')
  await world.register()
  await world.startInjecting()
  await world.apply(
    virtualKey('shop', 'checkout'),
    virtualKey('strict', 'app', { key: { source: 'SecretRef', secretRef: { name: 'brought', key: 'llm' } } }),
    virtualKey('many', 'one'),
    virtualKey('many', 'two', { key: { source: 'Generated', generated: { secretName: 'second' } } }),
  )

  t.test('the sidecar is the first init container, native, and as restricted as it can be', async (t) => {
    const created = await world.create(pod('shop', 'first', { initContainers: [{ name: 'migrate', image: 'app' }] }))
    const [first, second] = asArray(asObject(created['spec'])?.['initContainers']).map(asObject)
    t.match(first, { name: 'tollgate', image: IMAGE, restartPolicy: 'Always', args: ['sidecar'] })
    t.equal(second?.['name'], 'migrate')
    t.match(first?.['securityContext'], { runAsNonRoot: true, runAsUser: 64_100, readOnlyRootFilesystem: true })
    t.match(first?.['startupProbe'], { httpGet: { path: '/readyz', port: 4_142 } })
    t.match(envOf(created, 'tollgate'), {
      TOLLGATE_OPERATOR: OPERATOR_ADDRESS,
      TOLLGATE_LISTEN: '127.0.0.1:4141',
      TOLLGATE_ADMIN: ':4142',
      POD_NAME: 'field:metadata.name',
    })
    t.equal(envOf(created, 'tollgate')['TOLLGATE_CA'], await world.caBundle(), 'trusts what the API server trusts')
    t.match(created.metadata, {
      labels: { 'tollgate.dev/injected': 'true' },
      annotations: { 'kubectl.kubernetes.io/default-container': 'app', 'tollgate.dev/config-hash': /^[0-9a-f]{16}$/ },
    })
    const volume = asArray(asObject(created['spec'])?.['volumes']).map(asObject)
    t.match(
      volume.find((one) => one?.['name'] === 'tollgate-identity'),
      { projected: { sources: [{ serviceAccountToken: { audience: 'tollgate.dev', path: 'token' } }] } },
    )
  })

  t.test('applications and init containers get the variables of the SDKs, and what they have stays', async (t) => {
    const mine = { name: 'OPENAI_API_KEY', value: 'mine' }
    const { stderr, code } = await world.tryCreate(
      pod('shop', 'env', {
        initContainers: [{ name: 'migrate', image: 'app' }],
        containers: [
          { name: 'app', image: 'app' },
          { name: 'worker', image: 'app', env: [mine] },
        ],
      }),
    )
    t.equal(code, 0, stderr)
    t.match(stderr, /Warning: tollgate: container worker: env already set, skipped: OPENAI_API_KEY/)
    const created = await plane.client.get(PODS, { namespace: 'shop', name: 'env' })
    const expected = {
      TOLLGATE_BASE_URL: 'http://127.0.0.1:4141',
      OPENAI_BASE_URL: 'http://127.0.0.1:4141/adapters/openai/v1',
      OPENAI_API_KEY: 'checkout-virtual-key/key',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:4141/adapters/anthropic',
      ANTHROPIC_API_KEY: 'checkout-virtual-key/key',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:4141/adapters/gemini',
      GEMINI_API_KEY: 'checkout-virtual-key/key',
    }
    t.strictSame(envOf(created, 'app'), expected)
    t.strictSame(envOf(created, 'migrate'), expected)
    t.strictSame(envOf(created, 'worker'), { ...expected, OPENAI_API_KEY: 'mine' })
  })

  t.test('a stored pod that is created again is left as it is', async (t) => {
    const created = await world.create(pod('shop', 'again'))
    const copy = { ...created, metadata: { ...created.metadata, name: 'again-copy' } }
    for (const field of ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'])
      Reflect.deleteProperty(copy.metadata, field)
    Reflect.deleteProperty(copy, 'status')
    const second = await world.create(copy)
    t.strictSame(second['spec'], created['spec'])
    t.strictSame(second.metadata['annotations'], created.metadata['annotations'])
  })

  t.test('asked again after another webhook, it serves what came with that one and injects once', async (t) => {
    const other = await startOtherWebhook(t, world)
    const created = await world.create(pod('shop', 'asked-again', {}, { labels: { other: 'yes' } }))
    const names = asArray(asObject(created['spec'])?.['initContainers']).map((one) => asObject(one)?.['name'])
    t.strictSame(names, ['tollgate'])
    t.equal(other.asked(), 1)
    t.ok(containerOf(created, 'late'))
    t.strictSame(envOf(created, 'late'), envOf(created, 'app'))
  })

  t.test('opted out, on the host network, or in another namespace: nothing is changed', async (t) => {
    const optedOut = await world.create(pod('shop', 'out', {}, { labels: { 'tollgate.dev/inject': 'false' } }))
    const onHost = await world.create(pod('shop', 'host', { hostNetwork: true }))
    const elsewhere = await world.create(pod('plain', 'elsewhere'))
    for (const created of [optedOut, onHost, elsewhere]) {
      t.equal(containerOf(created, 'tollgate'), undefined)
      t.strictSame(envOf(created, 'app'), {})
    }
  })

  t.test('a namespace of the restricted standard takes the pod', async (t) => {
    const restricted = {
      allowPrivilegeEscalation: false,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    }
    const app = { name: 'app', image: 'app', securityContext: restricted }
    const created = await world.create(pod('strict', 'app', { containers: [app] }))
    t.ok(containerOf(created, 'tollgate'))
    t.equal(envOf(created, 'app')['OPENAI_API_KEY'], 'brought/llm', 'a brought key is referred to where it is')
  })

  t.test('a dry run shows the sidecar and stores nothing', async (t) => {
    const { code, stdout, stderr } = await world.tryCreate(pod('shop', 'dry'), '--dry-run=server')
    t.equal(code, 0, stderr)
    t.match(stdout, /"name": "tollgate"/)
    t.equal(await world.read(PODS, 'shop', 'dry'), undefined)
  })

  t.test('which key is meant must be clear', async (t) => {
    const named = (name: string, key: string) =>
      pod('many', name, {}, { annotations: { 'tollgate.dev/virtual-key': key } })
    const refusals: [JsonObject, RegExp][] = [
      [pod('empty', 'a'), /namespace empty has no VirtualKey; create one/],
      [pod('many', 'a'), /namespace many has 2 VirtualKeys \(one, two\); name one of them/],
      [
        named('a', 'three'),
        /VirtualKey three not found in namespace many; set annotation tollgate.dev\/virtual-key or/,
      ],
    ]
    for (const [refused, message] of refusals) {
      const { code, stderr } = await world.tryCreate(refused)
      t.equal(code, 1)
      t.match(stderr, message)
    }
    const created = await world.create(named('b', 'two'))
    await world.apply(virtualKey('many', 'one', { suspended: true }))
    await until(async () => (await world.tryCreate(pod('many', 'only'), '--dry-run=server')).code === 0)
    const { stdout, stderr } = await world.tryCreate(pod('many', 'only'), '--dry-run=server')
    t.match(stdout, /"second"/)
    t.match(stderr, /Warning: tollgate: VirtualKey two is taken; .*: one \(is suspended\)/)
    await world.apply(virtualKey('many', 'one', { suspended: false }))
    t.equal(envOf(created, 'app')['OPENAI_API_KEY'], 'second/key')
    const dark = await world.create(pod('empty', 'dark', {}, { annotations: { 'tollgate.dev/env': 'off' } }))
    t.ok(containerOf(dark, 'tollgate'), 'without variables no key is needed')
  })

  t.test('a key that will be refused is warned of', async (t) => {
    await world.apply(virtualKey('many', 'paused', { suspended: true, access: { serviceAccounts: ['robot'] } }))
    const named = pod('many', 'c', {}, { annotations: { 'tollgate.dev/virtual-key': 'paused' } })
    const { code, stderr } = await world.tryCreate(named)
    t.equal(code, 0)
    t.match(stderr, /Warning: tollgate: VirtualKey paused is suspended: its calls will be refused/)
    t.match(stderr, /Warning: tollgate: VirtualKey paused is not for ServiceAccount default/)
  })

  t.test('a key that was created a moment ago is known', async (t) => {
    await plane.client.create(VIRTUAL_KEYS, virtualKey('empty', 'fresh'))
    const created = await world.create(pod('empty', 'at-once'))
    t.equal(envOf(created, 'app')['OPENAI_API_KEY'], 'fresh-virtual-key/key')
  })

  t.test('annotations are obeyed, wrong ones refused by name, unknown ones told', async (t) => {
    const annotations = {
      'tollgate.dev/port': '5151',
      'tollgate.dev/log-level': 'debug',
      'tollgate.dev/await': 'false',
      'tollgate.dev/resources-limits-memory': '512Mi',
    }
    const created = await world.create(pod('shop', 'wishes', {}, { annotations }))
    t.equal(envOf(created, 'app')['OPENAI_BASE_URL'], 'http://127.0.0.1:5151/adapters/openai/v1')
    t.match(envOf(created, 'tollgate'), { TOLLGATE_LISTEN: '127.0.0.1:5151', TOLLGATE_LOG_LEVEL: 'debug' })
    t.equal(containerOf(created, 'tollgate')?.['startupProbe'], undefined)
    t.match(containerOf(created, 'tollgate')?.['resources'], { limits: { memory: '512Mi' } })
    const wrong = await world.tryCreate(
      pod('shop', 'wrong', {}, { annotations: { 'tollgate.dev/image': 'evil.example/tollgate:1' } }),
    )
    t.match(wrong.stderr, /annotation tollgate.dev\/image must be an image that the installation allows/)
    const misspelt = await world.tryCreate(
      pod('shop', 'misspelt', {}, { annotations: { 'tollgate.dev/virtualkey': 'x' } }),
    )
    t.match(misspelt.stderr, /Warning: tollgate: annotation tollgate.dev\/virtualkey is not known/)
    const slips = await world.tryCreate(
      pod('shop', 'slips', { dnsPolicy: 'Default' }, { labels: { 'tollgate.dev/inject': 'no' } }),
    )
    t.match(slips.stderr, /Warning: tollgate: label tollgate.dev\/inject=no says nothing: .*inject="false"/)
    t.match(slips.stderr, /Warning: tollgate: dnsPolicy Default /)
  })

  t.test('what only looks like a sidecar is refused', async (t) => {
    const created = await world.create(pod('shop', 'model'))
    const genuine = containerOf(created, 'tollgate') ?? {}
    const volumes = [
      {
        name: 'tollgate-identity',
        projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'tollgate.dev' } }] },
      },
    ]
    const env = asArray(genuine['env'])
    const withEnv = (name: string, value: string) => [
      ...env.filter((one) => asObject(one)?.['name'] !== name),
      { name, value },
    ]
    const forgeries: [string, JsonObject, RegExp][] = [
      ['command', { command: ['cat'] }, /it has a command/],
      ['folder', { workingDir: '/var/run/secrets/kubernetes.io/serviceaccount' }, /it has a working directory/],
      ['mount', { volumeMounts: [{ name: 'tollgate-identity', mountPath: '/app' }] }, /it mounts \/app/],
      ['args', { args: ['standalone'] }, /its args are not/],
      ['image', { image: 'evil.example/tollgate:1' }, /its image is not one of the installation/],
      ['options', { env: withEnv('NODE_OPTIONS', '--import=data:,') }, /it has the variable NODE_OPTIONS/],
      ['address', { env: withEnv('TOLLGATE_OPERATOR', '127.0.0.1:1') }, /its TOLLGATE_OPERATOR is not/],
      ['authority', { env: withEnv('TOLLGATE_CA', OTHER_AUTHORITY) }, /its TOLLGATE_CA is not ours/],
      ['hook', { lifecycle: { preStop: { exec: { command: ['true'] } } } }, /it has a lifecycle hook/],
      ['probe', { livenessProbe: { exec: { command: ['true'] } } }, /a probe that runs a command/],
      ['once', { restartPolicy: undefined, name: 'other' }, /container other mounts its token/],
    ]
    for (const [name, change, message] of forgeries) {
      const sidecar = { ...genuine, ...change }
      const { code, stderr } = await world.tryCreate(
        pod('shop', `forged-${name}`, { initContainers: [sidecar], volumes }),
      )
      t.equal(code, 1, name)
      t.match(stderr, message)
    }
    const sharing = await world.tryCreate(pod('shop', 'sharing', { shareProcessNamespace: true }))
    t.match(sharing.stderr, /the pod shares its process namespace; change that, or set the label/)
    for (const system of [{ os: { name: 'windows' } }, { nodeSelector: { 'kubernetes.io/os': 'windows' } }]) {
      const { stderr } = await world.tryCreate(pod('shop', 'windows', system))
      t.match(stderr, /the pod is for Windows/)
    }
    const namesake = await world.tryCreate(pod('shop', 'namesake', { containers: [{ name: 'tollgate', image: 'x' }] }))
    t.match(namesake.stderr, /a container has the name tollgate/)
  })

  t.test('what another webhook has dropped is put back', async (t) => {
    const created = await world.create(pod('shop', 'whole'))
    const { restartPolicy, ...dropped } = containerOf(created, 'tollgate') ?? {}
    t.equal(restartPolicy, 'Always')
    Reflect.deleteProperty(dropped, 'startupProbe')
    Reflect.deleteProperty(dropped, 'livenessProbe')
    Reflect.deleteProperty(dropped, 'readinessProbe')
    const repaired = await world.create(pod('shop', 'dropped', { initContainers: [dropped] }))
    t.equal(containerOf(repaired, 'tollgate')?.['restartPolicy'], 'Always')
    t.ok(
      asArray(asObject(repaired['spec'])?.['volumes']).some(
        (one) => asString(asObject(one)?.['name']) === 'tollgate-identity',
      ),
    )
  })
})

/** Adds a container to each pod with the label `other`, after ours has been asked. */
async function startOtherWebhook(t: Test, { plane }: InjectionWorld): Promise<{ asked(): number }> {
  const authority = createAuthority()
  const { certificate, privateKey } = authority.issue()
  let asked = 0
  const late = { op: 'add', path: '/spec/containers/-', value: { name: 'late', image: 'late' } }
  const patch = Buffer.from(JSON.stringify([late])).toString('base64')
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    void (async () => {
      asked += 1
      const { uid } = parseReview((await request.toArray()).join(''))
      const answer = { uid, allowed: true, patchType: 'JSONPatch', patch }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const name = 'zz-other.example.com'
  await plane.client.create(MUTATING_WEBHOOK_CONFIGURATIONS, {
    metadata: { name },
    webhooks: [
      {
        name,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        objectSelector: { matchLabels: { other: 'yes' } },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        clientConfig: {
          url: `https://localhost:${port}/`,
          caBundle: Buffer.from(authority.ca).toString('base64'),
        },
      },
    ],
  })
  t.teardown(() => plane.client.delete(MUTATING_WEBHOOK_CONFIGURATIONS, { name }))
  // The API server learns of it by its own watch.
  await until(async () => {
    const probe = { metadata: { namespace: 'plain', name: 'probe', labels: { other: 'yes' } }, spec: PROBE }
    await plane.client.create(PODS, probe, { dryRun: true })
    return asked > 0
  })
  asked = 0
  return { asked: () => asked }
}

const PROBE = { serviceAccountName: 'default', containers: [{ name: 'app', image: 'app' }] }
const OTHER_AUTHORITY = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
