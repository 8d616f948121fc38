/** Who may do what once the chart is installed, asked of a real API server; and that docs/operator.md tells the same. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { asArray, asObject, asString } from '../../src/domain/json.ts'
import type { JsonObject, JsonValue } from '../../src/domain/json.ts'
import type { ControlPlane } from '../helpers/control-plane.ts'
import { startControlPlane } from '../helpers/control-plane.ts'
import { CHART, find, helm, nameIn, RELEASE_NAMESPACE, template } from '../helpers/helm.ts'
import { until } from '../helpers/redis.ts'

const RIGHTS = [
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'ServiceAccount',
  'CustomResourceDefinition',
]
const OPERATOR = `system:serviceaccount:${RELEASE_NAMESPACE}:tollgate-operator`
const SIDECAR = 'system:serviceaccount:shop:default'

/** Who, what, and whether they may. */
const MATRIX: readonly (readonly [who: string, what: string, may: boolean])[] = [
  ...[
    'get secrets -n shop',
    'list secrets -A',
    'get pods -n shop',
    'get configmaps -n shop',
    'get virtualkeys.tollgate.dev -n shop',
    'list providers.tollgate.dev',
    'list organizations.tollgate.dev',
    'create tokenreviews.authentication.k8s.io',
    'create serviceaccounts --subresource=token -n shop',
    'get leases.coordination.k8s.io -n tollgate-system',
  ].map((what) => [SIDECAR, what, false] as const),
  ...[
    'list virtualkeys.tollgate.dev -A',
    'patch virtualkeys.tollgate.dev --subresource=status -n other',
    'list secrets -n shop',
    'create secrets -n shop',
    'update secrets -n tollgate-system',
    'update leases.coordination.k8s.io -n tollgate-system',
    'create tokenreviews.authentication.k8s.io',
    'patch mutatingwebhookconfigurations.admissionregistration.k8s.io/tollgate-sidecar-injector',
  ].map((what) => [OPERATOR, what, true] as const),
  ...[
    'list secrets -A',
    'get secrets -n other',
    'get secrets -n kube-system',
    'delete secrets -n shop',
    'delete secrets -n tollgate-system',
    'create pods -n shop',
    'get pods --subresource=exec -n shop',
    'create pods --subresource=exec -n shop',
    'create serviceaccounts --subresource=token -n shop',
    'create rolebindings.rbac.authorization.k8s.io -n shop',
    'update validatingadmissionpolicies.admissionregistration.k8s.io',
    'create mutatingwebhookconfigurations.admissionregistration.k8s.io',
    'delete mutatingwebhookconfigurations.admissionregistration.k8s.io/tollgate-sidecar-injector',
    'patch mutatingwebhookconfigurations.admissionregistration.k8s.io/other',
    'update providers.tollgate.dev',
    'delete virtualkeys.tollgate.dev -n shop',
    'update leases.coordination.k8s.io -n kube-system',
    'impersonate users',
    'get nodes',
  ].map((what) => [OPERATOR, what, false] as const),
  ['editor', 'create virtualkeys.tollgate.dev -n shop', true],
  ['editor', 'delete virtualkeys.tollgate.dev -n shop', true],
  ['editor', 'patch virtualkeys.tollgate.dev --subresource=status -n shop', false],
  ['editor', 'create virtualkeys.tollgate.dev -n other', false],
  ['editor', 'create providers.tollgate.dev', false],
  ['editor', 'patch organizations.tollgate.dev', false],
  ['viewer', 'list virtualkeys.tollgate.dev -n shop', true],
  ['viewer', 'create virtualkeys.tollgate.dev -n shop', false],
  ['platform', 'create providers.tollgate.dev', true],
  ['platform', 'patch organizations.tollgate.dev', true],
  ['platform', 'get secrets -n tollgate-system', false],
]

t.test('rights on a real API server', async (t) => {
  const plane = await startControlPlane(t, { controllers: true })
  if (plane === undefined) return
  for (const name of [RELEASE_NAMESPACE, 'shop', 'other']) await plane.kubectl('create', 'namespace', name)
  await install(plane, { namespaces: ['shop'] })
  await plane.kubectl('create', 'rolebinding', 'editor', '-n', 'shop', '--clusterrole=edit', '--user=editor')
  await plane.kubectl('create', 'rolebinding', 'viewer', '-n', 'shop', '--clusterrole=view', '--user=viewer')
  const platform = ['platform', '--clusterrole=tollgate-platform-admin', '--user=platform']
  await plane.kubectl('create', 'clusterrolebinding', ...platform)

  t.test('each may what it needs and nothing else', async (t) => {
    for (const [who, what, may] of MATRIX) if (may) await t.resolves(learnt(plane, who, what), `${who} ${what}`)
    for (const [who, what, may] of MATRIX) t.equal(await can(plane, who, what), may, `${who} ${what}`)
  })

  t.test('clusterWideSecrets is the one value that opens all Secrets', async (t) => {
    await install(plane, { 'rbac.clusterWideSecrets': true })
    await t.resolves(learnt(plane, OPERATOR, 'list secrets -A'))
  })
})

t.test('docs/operator.md and the chart give the operator the same rights', async (t) => {
  const objects = await template()
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operator.md'), 'utf8')
  t.strictSame(rightsIn(find(objects, 'ClusterRole', 'tollgate-operator')), tableIn(page))
  const own = /In its own namespace: (.+?)\. In each namespace with VirtualKeys: ([\s\S]+?)\./.exec(page)
  t.strictSame(rightsIn(find(objects, 'Role', 'tollgate-operator')), sentence(own?.[1]))
  t.strictSame(rightsIn(find(objects, 'ClusterRole', 'tollgate-namespace')), sentence(own?.[2]))
})

t.test('without rbac.create no right is made that stays, and the notes name none that is not there', async (t) => {
  const values = { namespaces: ['shop'], 'rbac.clusterWideSecrets': true, 'organization.create': true }
  const isRight = ({ kind }: JsonObject) => /Role/.test(asString(kind) ?? '')
  const isLasting = ({ metadata }: JsonObject) => !JSON.stringify(metadata).includes('helm.sh/hook')
  const rights = (await template({ ...values, 'rbac.create': false })).filter(isRight)
  t.strictSame(rights.filter(isLasting), [])
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'helm.md'), 'utf8')
  const own = rights.filter(({ kind }) => kind === 'ClusterRole').map((role) => nameIn(role).replace('tollgate', ''))
  t.match(page, own.map((name, index) => (index === 0 ? `\`<prefix>${name}\`` : `\`${name}\``)).join(', '))
  const printed = await template(values, ['--show-only', 'templates/rbac.yaml'])
  t.strictSame(printed.filter(isRight), (await template(values)).filter(isRight).filter(isLasting))

  const [withRights, without] = [await notes(values), await notes({ ...values, 'rbac.create': false })]
  t.match(withRights, /WARNING: rbac.clusterWideSecrets/)
  t.match(without, /rbac.create is false: no role .* for `namespaces` either. Give tollgate-system:tollgate-operator/)
  t.notMatch(without, /tollgate-namespace|Secrets are granted|clusterWideSecrets/)
  t.match(await notes({ namespaces: ['shop'] }), /Secrets are granted in: shop/)
})

t.test('an uninstall may delete Secrets only where it is to', async (t) => {
  const deletable = async (values: JsonObject): Promise<JsonValue[]> => {
    const { rules } = find(await template(values), 'Role', 'tollgate-cleanup')
    const ofSecrets = asArray(rules).filter((rule) => JSON.stringify(rule).includes('"secrets"'))
    return ofSecrets.flatMap((rule) =>
      JSON.stringify(rule).includes('"delete"') ? asArray(asObject(rule)?.['resourceNames']) : [],
    )
  }
  const login = {
    'redis.bundled.enabled': false,
    'redis.external.url': 'redis://redis.data.svc',
    'redis.external.existingSecret': 'login',
  }
  t.strictSame(await deletable({}), [])
  t.strictSame(await deletable(login), [])
  t.strictSame((await deletable({ ...login, 'hooks.cleanup.deleteSecrets': true })).toSorted(), [
    'login',
    'tollgate-ca',
    'tollgate-master',
    'tollgate-signing',
    'tollgate-tls',
  ])
})

t.test('an uninstall reads and names the Secret of the Redis login where it revokes by it or deletes it', async (t) => {
  // Of digits, which YAML would read as a number.
  const login = {
    'redis.bundled.enabled': false,
    'redis.external.url': 'redis://redis.data.svc',
    'redis.external.existingSecret': '2024',
  }
  for (const [revokeKeys, deleteSecrets, verbs] of [
    [true, false, ['get']],
    [true, true, ['get', 'delete']],
    [false, true, ['get', 'delete']],
    [false, false, undefined],
  ] as const) {
    const objects = await template({
      ...login,
      'hooks.cleanup.revokeKeys': revokeKeys,
      'hooks.cleanup.deleteSecrets': deleteSecrets,
    })
    const rules = asArray(find(objects, 'Role', 'tollgate-cleanup').rules).map(asObject)
    const rule = rules.find((one) => asArray(one?.['resourceNames']).includes('2024'))
    t.strictSame(rule?.['verbs'], verbs)
    t.equal(
      JSON.stringify(find(objects, 'Job', 'tollgate-cleanup')).includes('--redis-secret=2024'),
      verbs !== undefined,
    )
  }
})

/** What Helm prints after an install. */
async function notes(values: JsonObject): Promise<string> {
  const set = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`])
  const install = ['install', 'tollgate', CHART, '--namespace', RELEASE_NAMESPACE, '--dry-run=client', ...set]
  const { code, stdout, stderr } = await helm(install, '/dev/null')
  if (code !== 0) throw new Error(stderr)
  return stdout.slice(stdout.indexOf('\nNOTES:\n'))
}

/** `kubectl auth can-i`; it exits with 1 for no. */
async function can(plane: ControlPlane, who: string, what: string): Promise<boolean> {
  const { stdout } = await plane.tryKubectl(['auth', 'can-i', ...what.split(' '), `--as=${who}`])
  const answer = stdout.trim()
  if (answer !== 'yes' && answer !== 'no') throw new Error(`${what}: ${answer}`)
  return answer === 'yes'
}

/** The API server learns of bindings one by one. */
function learnt(plane: ControlPlane, who: string, what: string): Promise<void> {
  return until(() => can(plane, who, what), 30_000)
}

async function install(plane: ControlPlane, values: JsonObject): Promise<void> {
  const wanted = (await template(values)).filter(({ kind }) => RIGHTS.includes(asString(kind) ?? ''))
  const items = wanted.filter(({ metadata }) => !JSON.stringify(metadata).includes('helm.sh/hook'))
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const { code, stderr } = await plane.tryKubectl(['apply', '--server-side', '-f', '-'], list)
  if (code !== 0) throw new Error(stderr)
}

/** `resource: verbs`, sorted. */
function rightsIn(role: JsonObject): readonly string[] {
  return asArray(role['rules'])
    .flatMap((rule) => {
      const { resources, verbs } = { resources: [] as JsonValue, verbs: [] as JsonValue, ...objectOf(rule) }
      const known = asArray(verbs).map((verb) => asString(verb) ?? '')
      return asArray(resources).map((resource) => `${asString(resource) ?? ''}: ${known.toSorted().join(' ')}`)
    })
    .toSorted()
}

function tableIn(page: string): readonly string[] {
  const table = /Cluster-wide:\n\n([\s\S]+?)\n\n/.exec(page)?.[1] ?? ''
  const rows = [...table.matchAll(/^\| (`.+?) \| ([a-z ]+) \|$/gm)]
  return rows
    .flatMap(([, names = '', verbs = '']) =>
      // In brackets is when the right is needed; a group after the resource is for kubectl.
      [...names.replaceAll(/\(.*?\)/g, '').matchAll(/`([^`]+)`/g)].map(([, name = '']) =>
        right(name.split('.')[0] ?? '', verbs),
      ),
    )
    .toSorted()
}

function sentence(text = ''): readonly string[] {
  return text
    .replaceAll('\n', ' ')
    .split('; ')
    .map((part) => /^`(\S+)` (.+)$/.exec(part))
    .map((match) => right(match?.[1] ?? '', match?.[2] ?? ''))
    .toSorted()
}

function right(resource: string, verbs: string): string {
  return `${resource}: ${verbs.trim().split(' ').toSorted().join(' ')}`
}

function objectOf(value: JsonValue): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
