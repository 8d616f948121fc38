/** Resources and inputs for the tests of this folder, as small as the kinds allow. */
import { createHash } from 'node:crypto'
import { buildSnapshot, type BuildInput, type BuildOutput } from '../../../src/domain/resources/build-snapshot.ts'
import type { Condition, ConditionType } from '../../../src/domain/resources/conditions.ts'
import type {
  GrantSpec,
  KindName,
  OrganizationResource,
  OrganizationSpec,
  ProviderResource,
  ProviderSpec,
  VirtualKeyResource,
  VirtualKeySpec,
} from '../../../src/domain/resources/kinds.ts'
import { ownerOfSecret, type SecretLookup } from '../../../src/domain/resources/secret-lookup.ts'
import { Secret } from '../../../src/domain/secret.ts'

export function organization(spec: OrganizationSpec, name = 'acme'): OrganizationResource {
  return { kind: 'Organization', metadata: { name, namespace: '', labels: {}, annotations: {} }, spec }
}

export function grant(spec: Partial<GrantSpec>): GrantSpec {
  return { name: 'all', namespaceSelector: {}, privileges: ['overrideRouting'], maxKeysPerNamespace: 50, ...spec }
}

export function virtualKey(spec: Partial<VirtualKeySpec> = {}, name = 'key', createdAt?: string): VirtualKeyResource {
  const metadata = { name, namespace: 'team', labels: {}, annotations: {} }
  return {
    kind: 'VirtualKey',
    metadata: createdAt === undefined ? metadata : { ...metadata, creationTimestamp: createdAt },
    spec: { organizationRef: { name: 'acme' }, suspended: false, key: { source: 'Generated' }, ...spec },
  }
}

export function provider(spec: Partial<ProviderSpec> = {}, name = 'openai'): ProviderResource {
  return {
    kind: 'Provider',
    metadata: { name, namespace: '', labels: {}, annotations: {} },
    spec: {
      type: 'OpenAI',
      enabled: true,
      priority: 100,
      weight: 1,
      countries: ['us'],
      credentials: { type: 'None' },
      access: {},
      timeouts: { connect: '5s', firstByte: '30s', streamIdle: '60s', total: '10m' },
      failover: {
        retryOnStatus: [429, 500],
        maxAttempts: 1,
        circuitBreaker: { consecutiveFailures: 5, openFor: '30s' },
      },
      healthCheck: { mode: 'Passive', interval: '30s', timeout: '5s', unhealthyThreshold: 3, healthyThreshold: 1 },
      models: [{ name: 'gpt', enabled: true, quality: 0.5, capabilities: ['chat', 'streaming'] }],
      ...spec,
    },
  }
}

/** Secrets by `namespace/name/entry`; generated keys that are not listed get a text of their own. */
export function secrets(values: Readonly<Record<string, string>> = {}): SecretLookup {
  return (namespace, name, key) => {
    const text = values[`${namespace}/${name}/${key}`]
    if (text !== undefined) return { type: 'value', secret: new Secret(text) }
    if (ownerOfSecret(name) !== undefined)
      return { type: 'value', secret: new Secret(`generated-${namespace}-${name}`.padEnd(40, '.')) }
    const known = Object.keys(values).some((path) => path.startsWith(`${namespace}/${name}/`))
    return known ? { type: 'no-entry' } : { type: 'no-secret' }
  }
}

export function build(input: Partial<BuildInput>): BuildOutput {
  return buildSnapshot(inputOf(input))
}

export function inputOf(input: Partial<BuildInput>): BuildInput {
  return {
    organizations: [],
    providers: [],
    virtualKeys: [],
    namespaces: [],
    secretValue: secrets(),
    providerNamespaces: ['tollgate-system', 'default'],
    digestOf: (text, namespace) => createHash('sha256').update(`${namespace}\n${text}`).digest('hex'),
    contentHash: (text) => createHash('sha256').update(text).digest('hex'),
    ...input,
  }
}

export function conditionOf(
  output: BuildOutput,
  kind: KindName,
  name: string,
  type: ConditionType,
): Condition | undefined {
  const resource = output.conditions.find((entry) => entry.kind === kind && entry.name === name)
  return resource?.conditions.find((entry) => entry.type === type)
}
