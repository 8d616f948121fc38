/** Values that nobody means, and names that look like something else: valid YAML of the same types, or a refusal by name. */
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { parseFlags } from '../../src/command-line.ts'
import { asArray, asObject, asString, isJsonObject } from '../../src/domain/json.ts'
import type { JsonObject, JsonValue } from '../../src/domain/json.ts'
import { parseInjectionSettings } from '../../src/operator/injection/settings.ts'
import { OPERATOR_FLAGS } from '../../src/operator-flags.ts'
import { at, CHART, find, helm, KUBE_VERSION, template, tryTemplate } from '../helpers/helm.ts'

const EXTERNAL: JsonObject = { 'redis.bundled.enabled': false, 'redis.external.url': 'rediss://redis.data' }
const ALL: JsonObject = {
  'organization.create': true,
  'networkPolicy.enabled': true,
  'webhook.certManager.enabled': true,
  'hooks.cleanup.deleteSecrets': true,
  'metrics.grafanaDashboards.enabled': true,
  ...Object.fromEntries(
    ['serviceMonitor', 'podMonitor', 'prometheusRule'].flatMap((kind) => [
      [`metrics.${kind}.enabled`, true],
      [`metrics.${kind}.renderMode`, 'alwaysRender'],
    ]),
  ),
}

/** Values, a few of each kind. */
const MAY_BE_EMPTY = [
  'commonLabels imagePullSecrets namespaces providers extraObjects image.tag operator.extraArgs',
  'operator.extraEnv operator.resources sidecar.resources operator.tolerations injection.excludeNamespaces',
  'injection.imagePattern webhook.existingSecret networkPolicy.metricsFrom networkPolicy.providerPorts',
  'admissionPolicies.execGroups metrics.prometheusRule.disabledAlerts metrics.grafanaDashboards.labels',
  'tests.namespace',
].flatMap((names) => names.split(' '))
/** Sections, switches, choices, numbers, and lists and texts that must hold something. */
const NEEDED = [
  'image image.repository rbac.create serviceAccount crds.install operator operator.replicaCount',
  'operator.podDisruptionBudget injection injection.failurePolicy sidecar sidecar.dataPort',
  'webhook.certManager redis redis.bundled.image redis.bundled.persistence redis.external',
  'organization.spec admissionPolicies.enabled admissionPolicies.validationActions networkPolicy',
  'networkPolicy.apiServerPorts metrics hooks.cleanup hooks.cleanup.deleteSecrets tests',
].flatMap((names) => names.split(' '))

t.test(
  'a variable whose value is a number or a switch is refused by name, as Kubernetes would refuse the Deployment',
  async (t) => {
    for (const value of [1, true]) {
      const { code, stderr } = await tryTemplate({ 'operator.extraEnv': [{ name: 'A', value }] })
      t.not(code, 0)
      t.match(stderr, /operator\/extraEnv\/0\/value/)
    }
    t.equal((await tryTemplate({ 'operator.extraEnv': [{ name: 'A', value: '1' }, { name: 'B' }] })).code, 0)
  },
)

t.test('a port that is none is refused by name: no operator would start, nor a NetworkPolicy be taken', async (t) => {
  for (const name of ['redis.external.url', 'redis.external.sidecarUrl']) {
    for (const hosts of ['a:70000', 'a:0', 'a:65536', 'a:123456789', 'a:6379,b:70000', '[fd00::1]:70000/0']) {
      const { code, stderr } = await tryTemplate({ ...EXTERNAL, [name]: `redis+cluster://${hosts}` })
      t.not(code, 0, hosts)
      t.match(stderr, `${name} has the port`)
    }
    for (const hosts of ['a', 'a:1', 'a:65535/0', 'a:06379', 'a,b:26379/m', '[fd00::7]', '[fd00::7]:6379']) {
      t.equal((await tryTemplate({ ...EXTERNAL, [name]: `redis+sentinel://${hosts}` })).code, 0, hosts)
    }
  }
})

t.test('a list, map or text that is null is an empty one', async (t) => {
  const values = Object.fromEntries(MAY_BE_EMPTY.map((name) => [name, null]))
  const objects = await template({ ...ALL, ...values })
  const injection = asString(at(find(objects, 'ConfigMap', 'tollgate-injection'), 'data', 'injection.yaml'))
  t.match(injection, /^imagePattern: ""$/m)
  t.same(parseInjectionSettings(injection ?? '').resources, { requests: {}, limits: {} })
  const exec = find(objects, 'ValidatingAdmissionPolicy', 'tollgate-sidecar-exec')
  t.match(JSON.stringify(exec), /g in \[\]/)
})

t.test('what must be something is refused by its name where it is null', async (t) => {
  for (const name of NEEDED) {
    const { code, stderr } = await tryTemplate({ [name]: null })
    t.equal(code, 1, name)
    t.match(stderr, new RegExp(`missing property '${name.split('.').at(-1)}'`), name)
  }
})

t.test('labels that Kubernetes would refuse one by one are refused together, by their name', async (t) => {
  const wrong = [
    { team: 'core platform' },
    { 'my team': 'core' },
    { team: '-core' },
    { team: 'x'.repeat(64) },
    { '/team': 'x' },
    { 'example..com/team': 'x' },
    { 'example.-com/team': 'x' },
    { [`${'x'.repeat(254)}/team`]: 'x' },
    { [`example.com/${'x'.repeat(64)}`]: 'x' },
  ]
  for (const labels of wrong) {
    const { code, stderr } = await tryTemplate({ commonLabels: labels })
    t.equal(code, 1, JSON.stringify(labels))
    t.match(stderr, /commonLabels/, JSON.stringify(labels))
  }
  const right = {
    [`${'x'.repeat(253)}/${'x'.repeat(63)}`]: 'x',
    team: 'core_platform.1',
    'example.com/cost-centre': '4711',
    empty: '',
    X: 'A',
  }
  await template({ commonLabels: right, 'operator.podLabels': right, 'metrics.grafanaDashboards.labels': right })
})

t.test('certificates that would be renewed before they are made are refused', async (t) => {
  const CERT: JsonObject = { 'webhook.certManager.enabled': true }
  const fits = async (duration: string, renewBefore: string) => {
    const times = { 'webhook.certManager.duration': duration, 'webhook.certManager.renewBefore': renewBefore }
    const { code, stderr } = await tryTemplate({ ...CERT, ...times })
    if (code !== 0) t.match(stderr, /renewBefore must be shorter than duration/)
    return code === 0
  }
  t.notOk(await fits('720h', '720h'))
  t.notOk(await fits('1h', '61m'))
  t.ok(await fits('1h', '59m'))
  t.ok(await fits('3601s', '3600000ms'))
})

t.test('names that look like numbers or like true and false stay texts', async (t) => {
  const names: JsonObject = {
    ...ALL,
    nameOverride: '0x1f',
    fullnameOverride: 'no',
    'serviceAccount.name': '1e3',
    namespaces: ['123', 'true'],
    'operator.priorityClassName': '123',
    'redis.bundled.existingSecret': '123',
    'redis.bundled.persistence.storageClassName': 'on',
    'organization.name': '123',
    providers: [{ name: 'null', spec: { type: 'OpenAI' } }],
  }
  for (const values of [names, { ...names, ...EXTERNAL, 'redis.external.caSecret': '123', fullnameOverride: 'yes' }]) {
    const set = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`])
    const { code, stdout, stderr } = await helm(['template', '12', CHART, '-n', '2026', ...KUBE_VERSION, ...set])
    t.equal(code, 0, stderr)
    for (const object of asKubernetesReads(stdout)) t.strictSame(wrongNames(object), [], String(object['kind']))
    const { data } =
      asKubernetesReads(stdout).find(({ data }) => asObject(data)?.['resources.yaml'] !== undefined) ?? {}
    const resources = asKubernetesReads(asString(asObject(data)?.['resources.yaml']) ?? '')
    t.strictSame(
      resources.map(({ metadata }) => metadata),
      [{ name: '123' }, { name: 'null' }],
    )
  }
})

t.test('extraArgs replace what the chart says, and unsay its switches', async (t) => {
  const flagsWith = async (...extra: string[]) => {
    const objects = await template({ 'operator.extraArgs': extra })
    const operator = find(objects, 'Deployment', 'tollgate-operator')
    const args = asArray(at(operator, 'spec', 'template', 'spec', 'containers', 0, 'args'))
    return parseFlags(args.slice(1).map(String), OPERATOR_FLAGS, {})
  }
  t.match(await flagsWith(), { 'generate-redis-secret': true, 'log-level': 'info' })
  const said = await flagsWith('--no-generate-redis-secret', '--log-level=debug')
  t.match(said, { 'generate-redis-secret': false, 'log-level': 'debug' })
})

t.test('names of groups may hold any character', async (t) => {
  const groups = ['CORP\\admins', 'a "b"', "it's: #1", 'two\nlines']
  const objects = await template({ 'admissionPolicies.execGroups': groups })
  const exec = find(objects, 'ValidatingAdmissionPolicy', 'tollgate-sidecar-exec')
  const messages = asArray(at(exec, 'spec', 'validations')).map((one) => at(one, 'message'))
  t.ok(messages.some((message) => asString(message)?.endsWith(groups.join(', '))))
})

t.test('the operator may reach each server of an external Redis, and the one that Sentinels name', async (t) => {
  const cases: [string, number[]][] = [
    ['rediss://redis.data', [6379]],
    ['rediss://[fd00::7]', [6379]],
    ['rediss://[fd00::7]:7000/1', [7000]],
    ['redis+sentinel://a:26379,b:26380/mymaster', [26379, 26380, 6379]],
    ['redis+sentinel://a,b/mymaster', [26379, 6379]],
    ['redis+sentinel://a:26380,b/mymaster/0', [26380, 26379, 6379]],
    ['redis+cluster://a:7000,b', [7000, 6379]],
    ['rediss+cluster://a:6379,b,c:6380', [6379, 6380]],
  ]
  for (const [url, ports] of cases) {
    const objects = await template({ ...EXTERNAL, 'redis.external.url': url, 'networkPolicy.enabled': true })
    const egress = asArray(at(find(objects, 'NetworkPolicy', 'tollgate-operator'), 'spec', 'egress'))
    t.strictSame(
      asArray(at(egress.at(-1), 'ports')).map((one) => at(one, 'port')),
      ports,
      url,
    )
  }
})

/** By YAML 1.1, where `on` is true and `1e3` a number. */
function asKubernetesReads(text: string): readonly JsonObject[] {
  return parseAllDocuments(text, { version: '1.1' })
    .map((one): unknown => one.toJS({ maxAliasCount: 1_000 }))
    .filter(isJsonObject)
}

const NAMES =
  /^(name|namespace|serviceAccountName|secretName|priorityClassName|storageClassName|commonName|serviceName|app\.kubernetes\.io\/.*)$/

/** Paths of names, labels and arguments that are no texts. */
function wrongNames(value: JsonValue | undefined, path = ''): readonly string[] {
  if (path.endsWith('.openAPIV3Schema')) return []
  if (Array.isArray(value)) {
    const texts = /\.(args|resourceNames|matchNames|dnsNames)$/.test(path)
    return value.flatMap((item, index) =>
      texts ? (typeof item === 'string' ? [] : [path]) : wrongNames(item, `${path}.${index}`),
    )
  }
  return Object.entries(asObject(value) ?? {}).flatMap(([name, item]) =>
    NAMES.test(name) && typeof item !== 'string' ? [`${path}.${name}`] : wrongNames(item, `${path}.${name}`),
  )
}
