/** The chart's admission policies on a real API server: what an injected pod may be, and each way to borrow its identity. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { JsonObject } from '../../src/domain/json.ts'
import { asArray, asObject, asString } from '../../src/domain/json.ts'
import { parseInjectionSettings } from '../../src/operator/injection/settings.ts'
import { renderIdentityVolume, renderSidecar } from '../../src/operator/injection/sidecar-container.ts'
import { NAMESPACES, PODS } from '../../src/operator/kube/resource.ts'
import type { ControlPlane } from '../helpers/control-plane.ts'
import { startControlPlane } from '../helpers/control-plane.ts'
import { at, find, ofKind, RELEASE_NAMESPACE, template } from '../helpers/helm.ts'

/** May all that the role `admin` allows in the namespaces, and has no group that the policies let pass. */
const DEVELOPER = ['--as=dev', '--as-group=developers', '--as-group=system:authenticated']
const KUBELET = ['--as=system:node:node1', '--as-group=system:nodes', '--as-group=system:authenticated']

const SIDECAR = await renderInjected()

t.test('admission policies', async (t) => {
  // Its controllers fill the role `admin` and make service accounts.
  const plane = await startControlPlane(t, { controllers: true })
  if (plane === undefined) return
  await prepare(plane)

  t.test('each policy compiles', async (t) => {
    const { items } = await plane.client.list({
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      plural: 'validatingadmissionpolicies',
      kind: 'ValidatingAdmissionPolicy',
      namespaced: false,
    })
    t.strictSame(items.map(({ metadata }) => metadata.name).toSorted(), [
      'tollgate-injection-label',
      'tollgate-sidecar-exec',
      'tollgate-sidecar-identity',
      'tollgate-sidecar-present',
      'tollgate-sidecar-token',
    ])
  })

  t.test('a label of a namespace that enables nothing is warned of, and no more', async (t) => {
    const label = (value: string) =>
      plane.tryKubectl(['label', 'namespace', 'other', '--overwrite', `tollgate.dev/injection${value}`])
    for (const [value, told] of [
      ['=true', true],
      ['=disabled', false],
      ['=Enabled', true],
      ['=enabled', false],
      ['-', false],
    ] as const) {
      const { code, stderr } = await label(value)
      t.equal(code, 0, value)
      t.equal(/Warning: .*label tollgate\.dev\/injection must be enabled/.test(stderr), told, value)
    }
  })

  t.test('pods that are accepted', async (t) => {
    for (const [what, namespace, pod] of ACCEPTED) {
      const { code, stderr } = await create(plane, namespace, pod)
      t.equal(code, 0, `${what}: ${stderr}`)
    }
  })

  t.test('pods that are refused, each for its own reason', async (t) => {
    for (const [what, change, reason, namespace = 'apps'] of REFUSED) {
      const { code, stderr } = await create(plane, namespace, change(injected()))
      t.equal(code, 1, what)
      t.match(stderr, reason, what)
    }
  })

  t.test('updates', async (t) => {
    const patch = (name: string, change: JsonObject) =>
      plane.tryKubectl([...DEVELOPER, 'patch', 'pod', name, '-n', 'apps', '-p', JSON.stringify(change)])
    const image = (name: string) => ({ spec: { initContainers: [{ name: 'tollgate', image: name }] } })
    const finalizers = (...names: readonly string[]) => ({ metadata: { finalizers: [...names] } })
    await plane.client.create(PODS, { ...injected(), metadata: { ...meta(injected()), namespace: 'apps' } })
    t.match(
      (await patch('app', image('registry.example/evil:1'))).stderr,
      /image of container tollgate must come from/,
      'the image of the sidecar cannot become another',
    )
    t.equal((await patch('app', image(`${REPOSITORY}:other`))).code, 0, 'but a tag of ours')

    await plane.kubectl('label', 'namespace', 'apps', 'tollgate.dev/injection-')
    const { code, stderr } = await patch('app', finalizers('example.org/job'))
    t.equal(code, 0, `what leaves the sidecar alone passes, whatever became of the namespace: ${stderr}`)
    t.equal((await patch('app', finalizers())).code, 0)
    await plane.kubectl('label', 'namespace', 'apps', 'tollgate.dev/injection=enabled')

    await plane.client.create(PODS, { ...bare(), metadata: { name: 'plain', namespace: 'apps' } })
    const forged = await patch('plain', { metadata: { labels: { 'tollgate.dev/injected': 'true' } } })
    t.match(forged.stderr, /no init container tollgate/, 'the label cannot be forged later')
  })

  t.test('nobody enters a sidecar', async (t) => {
    const connect = (verb: string, container: string, as: readonly string[]) =>
      plane.tryKubectl([
        ...as,
        'create',
        '-f',
        '-',
        '--raw',
        `/api/v1/namespaces/apps/pods/app/${verb}?container=${container}&command=id&stdout=true`,
      ])
    for (const verb of ['exec', 'attach']) {
      t.match((await connect(verb, 'tollgate', DEVELOPER)).stderr, /exec and attach are for system:masters/, verb)
      t.notMatch((await connect(verb, 'app', DEVELOPER)).stderr, /are for/, `${verb} into the application`)
      t.notMatch((await connect(verb, 'tollgate', [])).stderr, /are for/, `${verb} by an administrator`)
    }
    const debug = async (container: JsonObject) => {
      const pod = await plane.client.get(PODS, { namespace: 'apps', name: 'app' })
      const ephemeral = [
        ...asArray(asObject(pod['spec'])?.['ephemeralContainers']),
        { name: 'debug', image: 'busybox', ...container },
      ]
      const body = { ...pod, spec: { ...asObject(pod['spec']), ephemeralContainers: ephemeral } }
      return plane.tryKubectl(
        [
          ...DEVELOPER,
          'replace',
          '--raw',
          '/api/v1/namespaces/apps/pods/app/ephemeralcontainers?dryRun=All',
          '-f',
          '-',
        ],
        JSON.stringify(body),
      )
    }
    const refused = /ephemeral container may not/
    t.match((await debug({ targetContainerName: 'tollgate' })).stderr, refused, 'processes')
    t.match((await debug({ volumeMounts: [IDENTITY_MOUNT] })).stderr, refused, 'token')
    t.match((await debug({ securityContext: { runAsUser: 64100 } })).stderr, refused, 'user')
    t.equal((await debug({ targetContainerName: 'app' })).code, 0, 'the application can be debugged')
  })

  t.test('tokens of the audience are made for the kubelet only', async (t) => {
    const refused = /made for sidecars only/
    const ask = (as: readonly string[], audiences: readonly string[], bound?: JsonObject) =>
      plane.tryKubectl(
        [...as, 'create', '--raw', '/api/v1/namespaces/apps/serviceaccounts/default/token', '-f', '-'],
        JSON.stringify({
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { audiences: [...audiences], ...(bound === undefined ? {} : { boundObjectRef: bound }) },
        }),
      )
    t.match((await ask(DEVELOPER, ['tollgate.dev'])).stderr, refused)
    t.match((await ask(DEVELOPER, ['vault', 'tollgate.dev'])).stderr, refused, 'among others')
    t.equal((await ask(DEVELOPER, ['vault'])).code, 0, 'other audiences are not ours')
    t.match((await ask([], ['tollgate.dev'])).stderr, refused, 'an administrator neither')
    t.match(
      (await ask(['--as=system:node:x', '--as-group=developers'], ['tollgate.dev'])).stderr,
      /forbidden|only/i,
      'a name alone',
    )

    await plane.client.create(PODS, {
      ...injected(),
      metadata: { ...meta(injected()), name: 'on-node', namespace: 'apps' },
      spec: { ...specOf(injected()), nodeName: 'node1', serviceAccountName: 'default' },
    })
    const pod = await plane.client.get(PODS, { namespace: 'apps', name: 'on-node' })
    const bound = { apiVersion: 'v1', kind: 'Pod', name: 'on-node', uid: pod.metadata.uid ?? '' }
    const { code, stderr } = await untilAuthorized(() => ask(KUBELET, ['tollgate.dev'], bound))
    t.equal(code, 0, `the kubelet for a pod of its node: ${stderr}`)
  })
})

/** Without the label that brings a policy of its own. */
function unlabelled(pod: JsonObject): JsonObject {
  return { ...pod, metadata: { name: 'app' } }
}

async function prepare(plane: ControlPlane): Promise<void> {
  const labels = { 'tollgate.dev/injection': 'enabled' }
  await plane.client.create(NAMESPACES, { metadata: { name: RELEASE_NAMESPACE, labels } })
  await plane.client.create(NAMESPACES, { metadata: { name: 'apps', labels } })
  await plane.client.create(NAMESPACES, { metadata: { name: 'other' } })
  for (const namespace of ['apps', 'other', RELEASE_NAMESPACE]) {
    await plane.kubectl(
      'create',
      'rolebinding',
      'developers',
      '-n',
      namespace,
      '--clusterrole=admin',
      '--group=developers',
    )
  }
  // Nothing that `admin` allows, but what a team may well be given.
  await plane.kubectl(
    'create',
    'role',
    'debug',
    '-n',
    'apps',
    '--verb=update,patch',
    '--resource=pods/ephemeralcontainers',
  )
  await plane.kubectl('create', 'rolebinding', 'debug', '-n', 'apps', '--role=debug', '--group=developers')
  const objects = await template()
  const wanted = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].flatMap((kind) =>
    ofKind(objects, kind),
  )
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: wanted })
  const { code, stderr } = await plane.tryKubectl(['apply', '--server-side', '-f', '-'], list)
  if (code !== 0) throw new Error(stderr)
  await inForce(async () => (await create(plane, 'other', bare())).code === 0)
  // The API server takes a moment to enforce them, each on its own.
  const forged = { ...bare(), metadata: { name: 'forged', labels: { 'tollgate.dev/injected': 'true' } } }
  await inForce(async () => (await create(plane, 'other', forged)).stderr.includes('no init container tollgate'))
  await inForce(async () => (await create(plane, 'other', injected())).stderr.includes('must be in a namespace'))
  await inForce(async () => {
    // Told at a change only.
    const { stderr } = await plane.tryKubectl([
      'label',
      'namespace',
      'other',
      '--overwrite',
      `tollgate.dev/injection=yes-${Date.now()}`,
    ])
    return stderr.includes('label tollgate.dev/injection must be')
  })
  await plane.kubectl('label', 'namespace', 'other', 'tollgate.dev/injection-')
  await inForce(async () => {
    const { stderr } = await plane.tryKubectl([
      ...DEVELOPER,
      'create',
      'token',
      'default',
      '-n',
      'apps',
      '--audience=tollgate.dev',
    ])
    return stderr.includes('made for sidecars only')
  })
  await inForce(async () => {
    const path = '/api/v1/namespaces/apps/pods/none/exec?container=tollgate&command=id&stdout=true'
    return (await plane.tryKubectl([...DEVELOPER, 'create', '-f', '-', '--raw', path])).stderr.includes(
      'exec and attach are for',
    )
  })
}

async function inForce(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await isSo());) {
    if (Date.now() > deadline) throw new Error(`a policy is not enforced: ${isSo.toString()}`)
    await sleep(100)
  }
}

/** The authorizer of nodes learns of a pod from a watch. */
async function untilAuthorized<Result extends { readonly code: number }>(ask: () => Promise<Result>): Promise<Result> {
  for (const deadline = Date.now() + 15_000; ;) {
    const result = await ask()
    if (result.code === 0 || Date.now() > deadline) return result
    await sleep(200)
  }
}

function create(plane: ControlPlane, namespace: string, pod: JsonObject) {
  return plane.tryKubectl([...DEVELOPER, 'create', '--dry-run=server', '-n', namespace, '-f', '-'], JSON.stringify(pod))
}

const REPOSITORY = 'docker.io/local/tollgate'
const IDENTITY_MOUNT = { name: 'tollgate-identity', mountPath: '/var/run/tollgate', readOnly: true }
const TOKEN = { serviceAccountToken: { path: 'token', audience: 'tollgate.dev', expirationSeconds: 3600 } }

/** Just as the webhook makes it from the chart's settings. */
async function renderInjected(): Promise<JsonObject> {
  const text = at(find(await template(), 'ConfigMap', 'tollgate-injection'), 'data', 'injection.yaml')
  const wishes = { ...parseInjectionSettings(asString(text) ?? ''), virtualKey: undefined, await: true }
  return renderSidecar({ wishes, trust: 'PEM' })
}

/** An init container that ends; only those that keep running may have probes. */
const ORDINARY = { restartPolicy: null, startupProbe: null, readinessProbe: null, livenessProbe: null }

function bare(): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'app' },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
  }
}

function injected(): JsonObject {
  return withSpec(
    { ...bare(), metadata: { name: 'app', labels: { 'tollgate.dev/injected': 'true' } } },
    { initContainers: [SIDECAR], volumes: [renderIdentityVolume()] },
  )
}

function specOf(pod: JsonObject): JsonObject {
  return asObject(pod['spec']) ?? {}
}

function meta(pod: JsonObject): JsonObject {
  return asObject(pod['metadata']) ?? {}
}

function withSpec(pod: JsonObject, change: JsonObject): JsonObject {
  return { ...pod, spec: { ...specOf(pod), ...change } }
}

/** The sidecar changed; a field that is null goes away. */
function withSidecar(pod: JsonObject, change: JsonObject): JsonObject {
  const [sidecar, ...rest] = asArray(specOf(pod)['initContainers'])
  const changed = Object.entries({ ...asObject(sidecar), ...change }).filter(([, value]) => value !== null)
  return withSpec(pod, { initContainers: [Object.fromEntries(changed), ...rest] })
}

function withEnv(...variables: readonly JsonObject[]) {
  return (pod: JsonObject) => withSidecar(pod, { env: [...asArray(SIDECAR['env']), ...variables] })
}

function withApp(change: JsonObject) {
  return (pod: JsonObject) => withSpec(pod, { containers: [{ name: 'app', image: 'app:1', ...change }] })
}

function withVolumes(...volumes: readonly JsonObject[]) {
  return (pod: JsonObject) => withSpec(pod, { volumes: [...asArray(specOf(pod)['volumes']), ...volumes] })
}

const ACCEPTED: readonly (readonly [string, string, JsonObject])[] = [
  ['the pod as injected', 'apps', injected()],
  ['a pod without a sidecar', 'other', bare()],
  [
    'a token of another audience',
    'other',
    withSpec(bare(), {
      volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } }],
    }),
  ],
  [
    'a container of that name without the token',
    'other',
    withSpec(bare(), { initContainers: [{ name: 'tollgate', image: 'x:1' }] }),
  ],
  ['a process namespace of all where there is no token', 'other', withSpec(bare(), { shareProcessNamespace: true })],
  ['an image by digest', 'apps', withSidecar(injected(), { image: `${REPOSITORY}@sha256:${'a'.repeat(64)}` })],
  [
    'the token of the service account, which the API server mounts everywhere',
    'apps',
    withVolumes({ name: 'kube-api-access-x', emptyDir: {} })(
      withSidecar(injected(), {
        volumeMounts: [
          IDENTITY_MOUNT,
          { name: 'kube-api-access-x', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
        ],
      }),
    ),
  ],
]

type Refused = readonly [string, (pod: JsonObject) => JsonObject, RegExp, string?]

const AS_INJECTED = /must run as injected/
const ENVIRONMENT = /no environment variable but those injected/
const ONLY_SIDECAR = /only the init container tollgate may mount/
const SHARED = /cannot share the host's network or any process namespace/
const ALONE = /alone in one volume/
const PRIVILEGES = /must be without privileges/
const MOUNTS = /nothing of its pod's own/

const REFUSED: readonly Refused[] = [
  ['a namespace without the label', (pod) => pod, /must be in a namespace/, 'other'],
  ["the operator's namespace, though labelled", (pod) => pod, /must be in a namespace/, RELEASE_NAMESPACE],
  [
    'opted out, with a sidecar of its own making',
    (pod) => ({ ...pod, metadata: { ...meta(pod), labels: { 'tollgate.dev/inject': 'false' } } }),
    /cannot opt out/,
  ],
  ["the host's network", (pod) => withSpec(pod, { hostNetwork: true }), SHARED],
  ["the host's processes", (pod) => withSpec(pod, { hostPID: true }), SHARED],
  ['one process namespace', (pod) => withSpec(pod, { shareProcessNamespace: true }), SHARED],
  ['the application mounts the token', withApp({ volumeMounts: [IDENTITY_MOUNT] }), ONLY_SIDECAR],
  [
    'another init container mounts it',
    (pod) =>
      withSpec(pod, { initContainers: [SIDECAR, { name: 'other', image: 'x:1', volumeMounts: [IDENTITY_MOUNT] }] }),
    ONLY_SIDECAR,
  ],
  [
    'a second volume with such a token',
    (pod) =>
      withApp({ volumeMounts: [{ name: 'mine', mountPath: '/t' }] })(
        withVolumes({ name: 'mine', projected: { sources: [TOKEN] } })(pod),
      ),
    ALONE,
  ],
  [
    'the token hidden beside others in a volume',
    (pod) =>
      withSpec(pod, {
        volumes: [{ name: 'tollgate-identity', projected: { sources: [{ downwardAPI: { items: [] } }, TOKEN] } }],
      }),
    ALONE,
  ],
  [
    'the volume under another name',
    (pod) =>
      withSidecar(withSpec(unlabelled(pod), { volumes: [{ name: 'mine', projected: { sources: [TOKEN] } }] }), {
        volumeMounts: [],
      }),
    ALONE,
  ],
  ['no sidecar', (pod) => withSpec(unlabelled(pod), { initContainers: [] }), /needs the init container tollgate/],
  [
    'a sidecar that ends before the application starts',
    (pod) => withSidecar(unlabelled(pod), ORDINARY),
    /restartPolicy Always/,
  ],
  [
    'the sidecar as an application container',
    (pod) => withSpec(unlabelled(pod), { initContainers: [], containers: [{ ...SIDECAR, restartPolicy: undefined }] }),
    ONLY_SIDECAR,
  ],
  ['another image', (pod) => withSidecar(pod, { image: 'registry.example/evil:1' }), /image of container tollgate/],
  [
    'an image whose name only begins alike',
    (pod) => withSidecar(pod, { image: `${REPOSITORY}-evil:1` }),
    /image of container tollgate/,
  ],
  ['a command', (pod) => withSidecar(pod, { command: ['node', '-e', '1'] }), AS_INJECTED],
  ['other arguments', (pod) => withSidecar(pod, { args: ['sidecar', '--listen=0.0.0.0:4141'] }), AS_INJECTED],
  ['another subcommand', (pod) => withSidecar(pod, { args: ['standalone'] }), AS_INJECTED],
  [
    'a hook that runs a program in it',
    (pod) => withSidecar(pod, { lifecycle: { postStart: { exec: { command: ['node'] } } } }),
    AS_INJECTED,
  ],
  [
    'a probe that runs a program in it',
    (pod) => withSidecar(pod, { livenessProbe: { exec: { command: ['node'] } } }),
    AS_INJECTED,
  ],
  ['another working directory', (pod) => withSidecar(pod, { workingDir: '/tmp' }), AS_INJECTED],
  [
    'environment from a ConfigMap',
    (pod) => withSidecar(pod, { envFrom: [{ configMapRef: { name: 'x' } }] }),
    AS_INJECTED,
  ],
  ['a terminal', (pod) => withSidecar(pod, { stdin: true, tty: true }), AS_INJECTED],
  ['options of Node', withEnv({ name: 'NODE_OPTIONS', value: '--require=/x.js' }), ENVIRONMENT],
  ['authorities of its own', withEnv({ name: 'NODE_EXTRA_CA_CERTS', value: '/x' }), ENVIRONMENT],
  ['a proxy on the way', withEnv({ name: 'HTTPS_PROXY', value: 'http://x' }), ENVIRONMENT],
  ['another flag by the environment', withEnv({ name: 'TOLLGATE_STATE', value: '/x' }), ENVIRONMENT],
  ['another operator', withEnv({ name: 'TOLLGATE_OPERATOR', value: 'evil.apps.svc:8443' }), ENVIRONMENT],
  [
    'another operator from a ConfigMap',
    withEnv({ name: 'TOLLGATE_OPERATOR', valueFrom: { configMapKeyRef: { name: 'x', key: 'y' } } }),
    ENVIRONMENT,
  ],
  ['no operator', (pod) => withSidecar(pod, { env: [] }), ENVIRONMENT],
  ['data on all addresses', withEnv({ name: 'TOLLGATE_LISTEN', value: '0.0.0.0:4141' }), ENVIRONMENT],
  ['data on all addresses of both families', withEnv({ name: 'TOLLGATE_LISTEN', value: ':4141' }), ENVIRONMENT],
  ["another pod's name", withEnv({ name: 'POD_NAME', value: 'other' }), ENVIRONMENT],
  [
    'code mounted over its own',
    (pod) =>
      withVolumes({ name: 'code', emptyDir: {} })(
        withSidecar(pod, { volumeMounts: [IDENTITY_MOUNT, { name: 'code', mountPath: '/app' }] }),
      ),
    MOUNTS,
  ],
  [
    'the token where others might read it',
    (pod) => withSidecar(pod, { volumeMounts: [{ ...IDENTITY_MOUNT, mountPath: '/x' }] }),
    MOUNTS,
  ],
  [
    'privileged',
    (pod) =>
      withSidecar(pod, {
        securityContext: { ...asObject(SIDECAR['securityContext']), allowPrivilegeEscalation: true, privileged: true },
      }),
    PRIVILEGES,
  ],
  [
    'capabilities',
    (pod) =>
      withSidecar(pod, {
        securityContext: { ...asObject(SIDECAR['securityContext']), capabilities: { add: ['SYS_PTRACE'] } },
      }),
    PRIVILEGES,
  ],
  [
    'root',
    (pod) =>
      withSidecar(pod, {
        securityContext: { ...asObject(SIDECAR['securityContext']), runAsUser: 0, runAsNonRoot: false },
      }),
    PRIVILEGES,
  ],
  ["the application as the sidecar's user", withApp({ securityContext: { runAsUser: 64100 } }), PRIVILEGES],
  [
    "all of the pod as the sidecar's user",
    (pod) => withSpec(pod, { securityContext: { runAsUser: 64100 } }),
    PRIVILEGES,
  ],
  [
    'the label without a sidecar',
    (pod) => withSpec(pod, { initContainers: [], volumes: [] }),
    /no init container tollgate/,
  ],
  [
    'a label, and a sidecar that has lost its restartPolicy',
    (pod) =>
      withSpec(withSidecar(pod, ORDINARY), {
        volumes: [{ name: 'tollgate-identity', emptyDir: {} }],
      }),
    /did another webhook drop it/,
  ],
]
