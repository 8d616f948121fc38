/** Every value of the chart, switched, gives objects that a real API server takes (server-side dry run, strict fields). */
import t from 'tap'
import { asString } from '../../src/domain/json.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { startControlPlane } from '../helpers/control-plane.ts'
import { nameIn, RELEASE_NAMESPACE, template } from '../helpers/helm.ts'

const SCHEDULING: JsonObject = {
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
}

/** Kinds of others, which this API server does not know. */
const FOREIGN_GROUPS = ['monitoring.coreos.com', 'cert-manager.io']

const CASES: Readonly<Record<string, JsonObject>> = {
  defaults: {},
  'an external Redis': {
    'redis.bundled.enabled': false,
    'redis.external.url': 'rediss://redis.data.svc:6380',
    'redis.external.sidecarUrl': 'rediss://redis.edge:6380',
    'redis.external.existingSecret': 'login',
    'redis.external.sidecarSecret': 'sidecars',
    'redis.external.caSecret': 'ca',
    'networkPolicy.enabled': true,
  },
  'Redis behind Sentinels, without a login': {
    'redis.bundled.enabled': false,
    'redis.external.url': 'redis+sentinel://a:26379,b:26379/mymaster',
    'networkPolicy.enabled': true,
  },
  'everything on': {
    namespaces: ['shop'],
    'rbac.clusterWideSecrets': true,
    'organization.create': true,
    providers: [{ name: 'p', spec: { type: 'OpenAI' } }],
    'networkPolicy.enabled': true,
    'networkPolicy.metricsFrom': [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    'hooks.cleanup.deleteSecrets': true,
    'metrics.grafanaDashboards.enabled': true,
    'metrics.grafanaDashboards.annotations': { folder: 'LLM' },
    'metrics.serviceMonitor.enabled': true,
    'metrics.podMonitor.enabled': true,
    'metrics.prometheusRule.enabled': true,
    'webhook.certManager.enabled': true,
    extraObjects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra', namespace: '{{ .Release.Namespace }}' } },
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }}-text, namespace: shop }',
    ],
  },
  'everything off': {
    'admissionPolicies.enabled': false,
    'operator.podDisruptionBudget.enabled': false,
    'hooks.cleanup.enabled': false,
    'redis.bundled.persistence.enabled': false,
    'rbac.create': false,
    'serviceAccount.create': false,
    'serviceAccount.name': 'mine',
    'crds.install': false,
  },
  'all that passes through': {
    commonLabels: { team: 'platform' },
    imagePullSecrets: [{ name: 'login' }],
    'image.digest': `sha256:${'0'.repeat(64)}`,
    'serviceAccount.annotations': { a: 'b' },
    ...Object.fromEntries(Object.entries(SCHEDULING).map(([name, value]) => [`operator.${name}`, value])),
    ...Object.fromEntries(Object.entries(SCHEDULING).map(([name, value]) => [`redis.bundled.${name}`, value])),
    'operator.topologySpreadConstraints': [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
    ],
    'operator.priorityClassName': 'system-cluster-critical',
    'operator.podAnnotations': { a: 'b' },
    'operator.podLabels': { a: 'b' },
    'operator.extraEnv': [{ name: 'A', value: 'b' }],
    'operator.extraArgs': ['--kube-rate=100'],
    'operator.extraVolumes': [{ name: 'x', emptyDir: {} }],
    'operator.extraVolumeMounts': [{ name: 'x', mountPath: '/x' }],
    'operator.podDisruptionBudget.maxUnavailable': '50%',
    'redis.bundled.existingSecret': 'mine',
    'redis.bundled.persistence.storageClassName': 'fast',
    'redis.bundled.image.digest': `sha256:${'1'.repeat(64)}`,
    'webhook.existingSecret': 'tls',
    'injection.imagePattern': '^registry\\.example/"(?:a|b)\'s"$',
    'injection.failurePolicy': 'Ignore',
    'admissionPolicies.execGroups': [],
    'admissionPolicies.validationActions': ['Warn'],
  },
  'users left to the platform': {
    'sidecar.runAsUser': null,
    'sidecar.runAsGroup': null,
    'operator.podSecurityContext.runAsUser': null,
    'operator.podSecurityContext.runAsGroup': null,
    'redis.bundled.podSecurityContext.runAsUser': null,
  },
}

t.test('values on a real API server', async (t) => {
  const plane = await startControlPlane(t, { controllers: true })
  if (plane === undefined) return
  for (const name of [RELEASE_NAMESPACE, 'shop']) {
    await plane.kubectl('create', 'namespace', name)
    await plane.kubectl('label', 'namespace', name, 'pod-security.kubernetes.io/enforce=restricted')
    await plane.kubectl('label', 'namespace', name, 'pod-security.kubernetes.io/warn=restricted')
  }
  await plane.kubectl('create', 'serviceaccount', 'tollgate-verify', '-n', RELEASE_NAMESPACE)
  for (const [name, values] of Object.entries(CASES)) {
    t.test(name, async (t) => {
      const objects = (await template(values)).filter(({ apiVersion }) => !isForeign(asString(apiVersion) ?? ''))
      const names = objects.map((object) => `${asString(object['kind'])} ${nameIn(object)} ${namespaceIn(object)}`)
      t.equal(new Set(names).size, names.length, 'no object twice')
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
      const { code, stderr } = await plane.tryKubectl(
        ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'],
        list,
      )
      t.equal(code, 0, stderr)
      t.notMatch(stderr, /Warning/)
    })
  }
})

function namespaceIn({ metadata }: JsonObject): string {
  return JSON.stringify(metadata).match(/"namespace":"([^"]+)"/)?.[1] ?? ''
}

function isForeign(apiVersion: string): boolean {
  return FOREIGN_GROUPS.some((group) => apiVersion.startsWith(`${group}/`))
}
