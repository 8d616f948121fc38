/** What the chart says without a cluster: lint, schema, names, the same bytes each time, and that its parts fit tollgate. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { parseFlags } from '../../src/command-line.ts'
import { asArray, asObject, asString } from '../../src/domain/json.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { parseInjectionSettings } from '../../src/operator/injection/settings.ts'
import { createOperatorMetrics } from '../../src/operator/operator-metrics.ts'
import { OPERATOR_FLAGS } from '../../src/operator-flags.ts'
import { createMetrics } from '../../src/proxy/telemetry/metrics.ts'
import { APPLY_FLAGS } from '../../src/apply.ts'
import { CLEANUP_FLAGS } from '../../src/cleanup.ts'
import { VERIFY_FLAGS } from '../../src/verify.ts'
import {
  at,
  CHART,
  CRDS_CHART,
  find,
  helm,
  KUBE_VERSION,
  nameIn,
  objectsIn,
  ofKind,
  template,
  tryTemplate,
} from '../helpers/helm.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const EVERYTHING: JsonObject = {
  namespaces: ['shop', 'support'],
  'rbac.clusterWideSecrets': true,
  'organization.create': true,
  providers: [{ name: 'p', spec: { type: 'OpenAI' } }],
  'webhook.certManager.enabled': true,
  'networkPolicy.enabled': true,
  'hooks.cleanup.deleteSecrets': true,
  ...Object.fromEntries(
    ['serviceMonitor', 'podMonitor', 'prometheusRule'].flatMap((kind) => [
      [`metrics.${kind}.enabled`, true],
      [`metrics.${kind}.renderMode`, 'alwaysRender'],
    ]),
  ),
  'metrics.grafanaDashboards.enabled': true,
  extraObjects: [{ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'extra' } }, 'kind: {{ "Secret" }}'],
}

t.test('helm lint --strict has nothing to say', async (t) => {
  for (const chart of [CHART, CRDS_CHART]) {
    const { code, stdout } = await helm(['lint', '--strict', chart, ...KUBE_VERSION])
    t.equal(code, 0, stdout)
    t.notMatch(stdout, /WARNING|ERROR/)
  }
})

t.test('the same values give the same bytes', async (t) => {
  const [first, second] = [await tryTemplate(EVERYTHING), await tryTemplate(EVERYTHING)]
  t.equal(first.code, 0, first.stderr)
  t.equal(first.stdout, second.stdout)
  const sources = readdirSync(join(CHART, 'templates'), { recursive: true, encoding: 'utf8' })
  for (const name of sources.filter((one) => /\.(yaml|tpl|txt)$/.test(one))) {
    const text = readFileSync(join(CHART, 'templates', name), 'utf8')
    t.notMatch(text, /\{\{[^}]*\b(lookup|rand[A-Z]\w*|uuidv4|now|gen[A-Z]\w*)\b/, name)
  }
})

t.test('what is generated is current', async (t) => {
  t.doesNotThrow(() => execFileSync(process.execPath, [join(ROOT, 'build', 'charts.ts'), '--check']), 'run make charts')
})

t.test('the charts have the version of the package', async (t) => {
  const { version } = asObject(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))) ?? {}
  const charts = [CHART, CRDS_CHART].map((chart) => asObject(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))))
  for (const chart of charts) t.match(chart, { version, appVersion: version })
  t.match(charts[0]?.['dependencies'], [{ name: 'tollgate-crds', version, condition: 'crds.install' }])
})

t.test('no empty document, and every object is of the release or of no namespace', async (t) => {
  const namespaced = (await template(EVERYTHING)).filter((object) => nameIn(object) !== 'extra')
  for (const object of namespaced) {
    const namespace = at(object, 'metadata', 'namespace')
    if (namespace !== undefined)
      t.ok(['tollgate-system', 'shop', 'support'].includes(asString(namespace) ?? ''), nameIn(object))
  }
  t.match(
    ofKind(namespaced, 'RoleBinding')
      .map((one) => at(one, 'metadata', 'namespace'))
      .toSorted()
      .join(),
    /shop,support,/,
  )
})

t.test('values that the schema refuses', async (t) => {
  const refused: readonly (readonly [JsonObject, RegExp])[] = [
    [{ unknown: 1 }, /additional properties 'unknown' not allowed/],
    [{ 'image.tagg': 'x' }, /additional properties 'tagg'/],
    [{ 'redis.external.url': 'redis://x:6379' }, /\/redis/],
    [{ 'redis.bundled.enabled': false }, /\/redis/],
    [{ 'redis.bundled.enabled': false, 'redis.external.url': 'redis://user:password@x:6379' }, /external\/url/],
    [{ 'redis.bundled.enabled': false, 'redis.external.url': 'http://x' }, /external\/url/],
    [{ 'operator.replicaCount': 0 }, /replicaCount/],
    [{ 'operator.replicaCount': '2' }, /replicaCount/],
    [{ 'operator.logLevel': 'verbose' }, /logLevel/],
    [{ 'injection.failurePolicy': 'Maybe' }, /failurePolicy/],
    [{ 'injection.env': false }, /injection\/env/],
    [{ 'injection.timeoutSeconds': 31 }, /timeoutSeconds/],
    [{ 'sidecar.dataPort': 80 }, /dataPort/],
    [{ 'sidecar.runAsUser': 0 }, /runAsUser/],
    [{ 'sidecar.resources': { limits: { memory: 'much' } } }, /memory/],
    [{ 'image.digest': 'sha256:abc' }, /digest/],
    [{ 'image.repository': 'Upper/Case' }, /repository/],
    [{ namespaces: ['a', 'a'] }, /namespaces/],
    [{ namespaces: 'shop' }, /namespaces/],
    [{ namespaces: ['-x'] }, /namespaces/],
    [{ 'metrics.podMonitor.renderMode': 'sometimes' }, /renderMode/],
    [{ 'metrics.prometheusRule.disabledAlerts': ['Nope'] }, /disabledAlerts.*one of 'TollgateOperatorDown'/],
    [{ 'admissionPolicies.validationActions': [] }, /validationActions/],
    [{ 'webhook.certManager.issuerRef': { kind: 'ClusterIssuer' } }, /issuerRef/],
    [{ 'organization.name': 'Acme' }, /organization\/name/],
    [{ providers: [{ name: 'x' }] }, /providers/],
    [{ fullnameOverride: 'a_b' }, /fullnameOverride/],
    [{ fullnameOverride: '1x' }, /fullnameOverride/],
    [{ 'tollgate-crds.x': 1 }, /tollgate-crds/],
  ]
  for (const [values, reason] of refused) {
    const { code, stderr } = await tryTemplate(values)
    t.equal(code, 1, JSON.stringify(values))
    t.match(stderr, reason, JSON.stringify(values))
    t.match(stderr, /schema/)
  }
})

t.test('values that contradict each other are refused with a sentence', async (t) => {
  const tls = await tryTemplate({ 'webhook.certManager.enabled': true, 'webhook.existingSecret': 'x' })
  t.match(tls.stderr, /webhook.certManager.enabled and webhook.existingSecret exclude each other/)
  t.match((await tryTemplate({ namespaces: ['tollgate-system'] })).stderr, /namespaces may not contain tollgate-system/)
  t.match((await tryTemplate({ 'sidecar.dataPort': 4142 })).stderr, /dataPort and sidecar.adminPort must differ/)
  t.match((await tryTemplate({ 'injection.imagePattern': '(' })).stderr, /error parsing regexp/)
  const actions = { 'admissionPolicies.validationActions': ['Deny', 'Warn'] }
  t.match((await tryTemplate(actions)).stderr, /validationActions may not have Deny and Warn together/)
  t.match((await tryTemplate({ 'redis.bundled.image.tag': '' })).stderr, /image must have a tag or a digest/)
  const { stderr } = await tryTemplate({
    'metrics.podMonitor.enabled': true,
    'metrics.podMonitor.renderMode': 'failIfMissing',
  })
  t.match(stderr, /no PodMonitor of monitoring.coreos.com/)
  t.match((await tryTemplate({}, ['--kube-version', '1.29.0'])).stderr, /incompatible with Kubernetes v1.29.0/)
})

t.test('requests above their limits are refused, whatever units they are written in', async (t) => {
  const refused: readonly (readonly [string, string, string | number, string | number])[] = [
    ['sidecar.resources', 'memory', '512Mi', '256Mi'],
    ['operator.resources', 'memory', '1Gi', '1000Mi'],
    ['sidecar.resources', 'memory', '1G', '953Mi'],
    ['sidecar.resources', 'memory', '257Mi', 268_435_456],
    ['sidecar.resources', 'memory', 268_435_457, '256Mi'],
    ['operator.resources', 'memory', '1001k', '1M'],
    ['operator.resources', 'cpu', '501m', '0.5'],
    ['sidecar.resources', 'cpu', 1, '999m'],
    ['sidecar.resources', 'cpu', 0.5, 0.25],
    ['sidecar.resources', 'cpu', '1.5', 1],
    ['redis.bundled.resources', 'ephemeral-storage', '2Ti', '1T'],
    ['hooks.resources', 'memory', '1E', '1P'],
  ]
  for (const [name, resource, request, limit] of refused) {
    const { code, stderr } = await tryTemplate({
      [name]: { requests: { [resource]: request }, limits: { [resource]: limit } },
    })
    t.equal(code, 1, `${request} ${limit}`)
    const said = `${name}.requests.${resource} (${request}) is above ${name}.limits.${resource} (${limit})`
    t.match(stderr, said, `${request} ${limit}`)
  }
})

t.test('limits that are below the requests of the chart itself are refused, too', async (t) => {
  const { stderr } = await tryTemplate({ 'sidecar.resources.limits.memory': '64Mi' })
  t.match(stderr, 'sidecar.resources.requests.memory (96Mi) is above sidecar.resources.limits.memory (64Mi)')
})

t.test('requests up to their limits pass, of each resource by itself', async (t) => {
  const passing: readonly JsonObject[] = [
    { requests: { memory: '1Gi' }, limits: { memory: 1_073_741_824 } },
    { requests: { memory: '1024Mi' }, limits: { memory: '1Gi' } },
    { requests: { memory: '1000k' }, limits: { memory: '1M' } },
    { requests: { memory: '1.5Gi' }, limits: { memory: '1536Mi' } },
    { requests: { cpu: '700m' }, limits: { cpu: 0.7 } },
    { requests: { cpu: '0.7' }, limits: { cpu: '700m' } },
    { requests: { cpu: 2, memory: '96Mi' }, limits: { memory: '256Mi' } },
    { requests: { cpu: '20m' }, limits: { memory: '128Mi' } },
    {},
  ]
  for (const resources of passing) {
    const { code, stderr } = await tryTemplate({ 'sidecar.resources': resources, 'operator.resources': resources })
    t.equal(code, 0, `${JSON.stringify(resources)} ${stderr}`)
  }
})

t.test('labels and annotations of users take the place of the same ones of the chart', async (t) => {
  const part = 'app.kubernetes.io/part-of'
  const objects = await template({
    commonLabels: { [part]: 'ai', 'helm.sh/chart': 'ours' },
    'operator.podLabels': { [part]: 'control' },
    'operator.podAnnotations': { 'kubectl.kubernetes.io/default-container': 'other' },
    'metrics.serviceMonitor': { enabled: true, renderMode: 'alwaysRender', interval: '30s' },
    'metrics.serviceMonitor.additionalLabels': { 'app.kubernetes.io/instance': 'prometheus' },
  })
  const deployment = find(objects, 'Deployment', 'tollgate-operator')
  t.match(at(deployment, 'metadata', 'labels'), { [part]: 'ai', 'helm.sh/chart': 'ours' })
  t.match(at(deployment, 'spec', 'template', 'metadata'), {
    labels: { [part]: 'control', 'helm.sh/chart': 'ours', 'app.kubernetes.io/instance': 'tollgate' },
    annotations: { 'kubectl.kubernetes.io/default-container': 'other' },
  })
  const monitor = find(objects, 'ServiceMonitor', 'tollgate-operator')
  t.match(at(monitor, 'metadata', 'labels'), { 'app.kubernetes.io/instance': 'prometheus' })
  for (const values of ['commonLabels', 'operator.podLabels'])
    t.match(
      (await tryTemplate({ [values]: { 'app.kubernetes.io/instance': 'x' } })).stderr,
      /may not have app.kubernetes.io\/instance: the chart's objects are found by it/,
    )
})

t.test('monitoring objects appear where the cluster has their kinds', async (t) => {
  const values = { 'metrics.podMonitor.enabled': true }
  t.equal(ofKind(await template(values), 'PodMonitor').length, 0)
  const known = ['--api-versions', 'monitoring.coreos.com/v1/PodMonitor']
  t.equal(ofKind(await template(values, known), 'PodMonitor').length, 1)
})

t.test('docs/helm.md says by which port of which pods Prometheus must get through a default-deny policy', async (t) => {
  const monitored = await template({
    'metrics.podMonitor.enabled': true,
    'metrics.podMonitor.renderMode': 'alwaysRender',
  })
  const selector = at(ofKind(monitored, 'PodMonitor')[0], 'spec', 'selector', 'matchLabels')
  const injection = asString(at(find(monitored, 'ConfigMap', 'tollgate-injection'), 'data', 'injection.yaml')) ?? ''
  const page = readFileSync(join(ROOT, 'docs', 'helm.md'), 'utf8')
  const { adminPort } = parseInjectionSettings(injection)
  t.strictSame(selector, { 'tollgate.dev/injected': 'true' })
  t.match(page, /`tollgate\.dev\/injected: "true"`\. Where it denies ingress and `metrics\.podMonitor` is on/)
  t.match(page, `let Prometheus reach those pods on ${adminPort} (\`sidecar.adminPort\`)`)
})

t.test('long names are cut to what Kubernetes takes', async (t) => {
  const release = 'a'.repeat(53)
  for (const args of [
    [release],
    ['tollgate', '--set', `fullnameOverride=${'b'.repeat(63)}`],
    ['tollgate', '--set', `nameOverride=${'c'.repeat(63)}`],
  ]) {
    const all = [...KUBE_VERSION, '--set', 'organization.create=true', '--set', 'networkPolicy.enabled=true']
    const { code, stdout, stderr } = await helm(['template', ...args.slice(0, 1), CHART, ...args.slice(1), ...all])
    t.equal(code, 0, stderr)
    for (const object of objectsIn(stdout)) {
      // A Service's and a Job's name become a DNS label and a pod's label, a StatefulSet's gets a hash as well.
      const longest = { Service: 63, Job: 63, Deployment: 63, StatefulSet: 52 }[asString(object['kind']) ?? ''] ?? 253
      t.ok(nameIn(object).length <= longest && !nameIn(object).endsWith('-'), nameIn(object))
    }
    const labels = [...stdout.matchAll(/^ +(?:app\.kubernetes\.io|helm\.sh)\/\S+: "?([^\s"]+)"?$/gm)].map(
      ([, value = '']) => value,
    )
    for (const value of labels) t.ok(value.length <= 63 || value.includes(','), value)
  }
})

t.test('a release of any name gives names that Kubernetes takes, or is told of fullnameOverride', async (t) => {
  const rendered = (release: string, ...set: string[]) =>
    helm(['template', release, CHART, '--namespace', 'x', ...KUBE_VERSION, ...set.flatMap((one) => ['--set', one])])
  const prefixes = {
    tollgate: 'tollgate',
    gw: 'gw-tollgate',
    'a--b': 'a--b-tollgate',
    'my.gw': 'my-gw-tollgate',
    'my.tollgate.v1-2': 'my-tollgate-v1-2',
    [`${'a'.repeat(39)}.b`]: 'a'.repeat(39),
  }
  for (const [release, prefix] of Object.entries(prefixes)) {
    const { stdout, stderr } = await rendered(release, 'organization.create=true', 'webhook.certManager.enabled=true')
    t.equal(stderr, '')
    const objects = objectsIn(stdout).filter(({ kind }) => kind !== 'CustomResourceDefinition')
    const names = objects.map(nameIn).filter((name) => name !== 'tollgate-namespace')
    for (const name of names) t.match(name, new RegExp(`^${prefix}(-[a-z]+)+$`), `${release}: ${name}`)
    for (const service of ofKind(objects, 'Service')) t.match(nameIn(service), /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/)
    const variable = `--sidecar-redis=$(${prefix.replaceAll('-', '_').toUpperCase()}_REDIS_PORT)`
    t.match(stdout, variable, release)
  }
  t.match((await rendered('1gw')).stderr, /name begins with a letter, .* 1gw-tollgate-operator: set fullnameOverride/)
  t.equal((await rendered('1gw', 'fullnameOverride=gw')).stderr, '')
  t.equal((await rendered('gw', 'nameOverride=1x')).stderr, '')
})

t.test('tollgate takes the arguments of each container', async (t) => {
  const external = {
    'redis.bundled.enabled': false,
    'redis.external.url': 'rediss://redis.data:6379',
    'redis.external.sidecarUrl': 'rediss://redis.edge:6379',
    'redis.external.existingSecret': 'login',
    'redis.external.sidecarSecret': 'sidecars',
    'redis.external.caSecret': 'ca',
    'webhook.existingSecret': 'tls',
  }
  const specs = { operator: OPERATOR_FLAGS, cleanup: CLEANUP_FLAGS, verify: VERIFY_FLAGS, apply: APPLY_FLAGS }
  const seen = new Set<string>()
  for (const values of [{}, EVERYTHING, { ...external, 'organization.create': true }]) {
    for (const pod of (await template(values)).map(podOf)) {
      for (const container of asArray(at(pod, 'containers')).map(asObject)) {
        const [command = '', ...args] = asArray(container?.['args']).map((one) => asString(one) ?? '')
        const spec = Object.entries(specs).find(([name]) => name === command)?.[1]
        if (spec === undefined) continue
        seen.add(command)
        t.doesNotThrow(() => parseFlags(args, spec, {}), `${command} ${args.join(' ')}`)
      }
    }
  }
  t.strictSame([...seen].toSorted(), Object.keys(specs).toSorted())
})

t.test('the operator reads what the chart says of injection', async (t) => {
  const settings = async (values: JsonObject) =>
    parseInjectionSettings(
      asString(at(find(await template(values), 'ConfigMap', 'tollgate-injection'), 'data', 'injection.yaml')) ?? '',
    )
  t.match(await settings({}), {
    image: 'docker.io/local/tollgate:0.1.0',
    operatorAddress: 'tollgate-operator.tollgate-system.svc:8443',
    runAsUser: 64_100,
    env: 'auto',
    resources: { limits: { memory: '256Mi' } },
    excludeNamespaces: ['kube-system', 'kube-public', 'kube-node-lease', 'cert-manager', 'tollgate-system'],
  })
  const others = await settings({
    'sidecar.runAsUser': null,
    'sidecar.runAsGroup': null,
    'injection.env': 'off',
    'injection.imagePattern': '^registry\\.example/(?:a|b):"x"$',
    'image.digest': `sha256:${'0'.repeat(64)}`,
    'injection.excludeNamespaces': ['mesh'],
  })
  t.strictSame(others.excludeNamespaces, ['mesh', 'tollgate-system'])
  t.match(others, { runAsUser: null, env: 'off', imagePattern: '^registry\\.example/(?:a|b):"x"$' })
  t.match(others.image, /^docker\.io\/local\/tollgate@sha256:0+$/)
})

t.test('a change of what is injected restarts the operator, any other does not', async (t) => {
  const sum = async (values: JsonObject) =>
    at(
      find(await template(values), 'Deployment', 'tollgate-operator'),
      'spec',
      'template',
      'metadata',
      'annotations',
      'checksum/injection',
    )
  t.not(await sum({}), await sum({ 'sidecar.logLevel': 'debug' }))
  t.equal(await sum({}), await sum({ 'metrics.grafanaDashboards.enabled': true }))
})

t.test('all pods are as the Pod Security Standard restricted wants them', async (t) => {
  for (const object of await template(EVERYTHING)) {
    const pod = podOf(object)
    if (pod === undefined) continue
    const name = `${asString(object['kind'])} ${nameIn(object)}`
    t.match(at(pod, 'securityContext'), { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }, name)
    for (const container of asArray(at(pod, 'containers'))) {
      const wanted = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } }
      t.match(at(container, 'securityContext'), wanted, name)
      t.ok(at(container, 'resources', 'limits', 'memory'), name)
    }
  }
})

t.test('queries of dashboards and alerts ask for metrics that there are', async (t) => {
  const known = new Set([...(await metricNames()), ...FOREIGN])
  const queries = [...dashboardQueries(), ...alertQueries()]
  t.ok(queries.length > 60, `${queries.length} queries`)
  for (const query of queries) {
    const names = namesIn(query)
    t.ok(names.length > 0, query)
    for (const name of names) t.ok(known.has(name), `${name} in ${query}`)
  }
})

t.test('the two alerts of a provider that is out say what the other is', async (t) => {
  const rules = readFileSync(join(CHART, 'files', 'alerts.yaml'), 'utf8').split('- alert: ')
  const ruleOf = (name: string) => rules.find((rule) => rule.startsWith(`${name}\n`)) ?? ''
  t.match(ruleOf('TollgateProviderDown'), /description: .*TollgateProviderUnhealthy/)
  t.match(ruleOf('TollgateProviderUnhealthy'), /description: .*TollgateProviderDown/)
})

t.test('alerts can be left out by name', async (t) => {
  const values = { 'metrics.prometheusRule.enabled': true, 'metrics.prometheusRule.renderMode': 'alwaysRender' }
  const alerts = async (disabled: readonly string[]) =>
    asArray(
      at(
        ofKind(
          await template({ ...values, 'metrics.prometheusRule.disabledAlerts': [...disabled] }),
          'PrometheusRule',
        )[0],
        'spec',
        'groups',
        0,
        'rules',
      ),
    ).map((rule) => asString(asObject(rule)?.['alert']))
  const all = await alerts([])
  t.equal(all.length, new Set(all).size)
  t.strictSame(
    await alerts(['TollgateRedisDown']),
    all.filter((name) => name !== 'TollgateRedisDown'),
  )
  const schema = asObject(JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')))
  const rule = at(schema, 'properties', 'metrics', 'properties', 'prometheusRule', 'properties')
  t.strictSame(at(rule, 'disabledAlerts', 'items', 'enum'), all, 'and by no other name')
})

t.test('operators that are not ready hold up no drain of a node', async (t) => {
  const [budget, ...others] = ofKind(await template(), 'PodDisruptionBudget')
  t.strictSame(others, [])
  t.match(budget, { spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' } })
})

/** Of the kubelet and of kube-state-metrics; and those of the process, which are there once it has run for a while. */
const FOREIGN = [
  'container_memory_working_set_bytes',
  'kube_pod_init_container_status_restarts_total',
  'kube_pod_init_container_status_last_terminated_reason',
]

function podOf(object: JsonObject): JsonObject | undefined {
  const inTemplate = asObject(at(object, 'spec', 'template', 'spec'))
  return object['kind'] === 'Pod' ? asObject(object['spec']) : inTemplate
}

/** As Prometheus sees them, histograms with their three series. */
async function metricNames(): Promise<readonly string[]> {
  const proxy = createMetrics()
  proxy.watchStaleness(() => 0)
  proxy.watchStores(() => ({
    pendingSettlements: 0,
    settlementLagMs: 0,
    droppedSettlements: 0,
    quotaStoresUnavailable: 0,
    pendingAuditRecords: 0,
    droppedAuditRecords: 0,
    cacheReadsSkipped: 0,
    cacheStoreSlow: false,
  }))
  proxy.watchProviders(() => new Map([['one', true]]))
  const operator = createOperatorMetrics()
  operator.watch(
    () => ({
      virtualKeys: 0,
      shards: 0,
      queueDepth: {},
      failingWatches: {},
      exhaustedQuotas: 0,
      unhealthyProviders: 0,
    }),
    () => false,
  )
  const pages = [(await proxy.page()).text, (await operator.page()).text]
  return [...pages.join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
  )
}

function dashboardQueries(): readonly string[] {
  const folder = join(CHART, 'files', 'dashboards')
  return readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return [...text.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, json = '""']) => String(JSON.parse(json)))
  })
}

function alertQueries(): readonly string[] {
  const rules: unknown = parse(readFileSync(join(CHART, 'files', 'alerts.yaml'), 'utf8'))
  return Array.isArray(rules) ? rules.map((rule: JsonObject) => asString(rule['expr']) ?? '') : []
}

/** Names that are neither labels, keywords nor functions. */
function namesIn(query: string): readonly string[] {
  const bare = query
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|on|without|ignoring) *\([^)]*\)/g, '')
  return [...bare.matchAll(/[a-z_]\w*(?! *\(|\w)/g)]
    .map(([name]) => name)
    .filter((name) => !['and', 'or'].includes(name))
}
