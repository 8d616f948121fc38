/** The one way a snapshot comes into the proxy: parsed whole, frozen whole, or refused. */
import { GatewayError } from '../errors.ts'
import { takeAll, type Steps } from '../steps.ts'
import { flag, integer, list, number, object, oneOf, record, ShapeError, text } from './shape.ts'
import {
  FLAGS,
  SCORING_METHODS,
  SNAPSHOT_SCHEMA,
  type Budget,
  type CacheSettings,
  type ComplianceSettings,
  type KeyAccess,
  type KeyDigest,
  type Limits,
  type ModelEntry,
  type OrganizationEntry,
  type PolicySettings,
  type Pricing,
  type Privileges,
  type ProjectEntry,
  type ProviderEndpoint,
  type ProviderEntry,
  type ProviderFailover,
  type ProviderHealthCheck,
  type ProviderTimeouts,
  type RateLimits,
  type Snapshot,
  type TokenQuota,
  type VirtualKeyEntry,
} from './snapshot.ts'

/** A snapshot that this process does not understand. The one in force stays. */
export class InvalidSnapshotError extends GatewayError {
  constructor(message: string, cause?: unknown) {
    super('internal_error', `invalid snapshot: ${message}`, { cause })
  }
}

/**
 * A snapshot from outside (Redis, a file) as the contract says it, deep-frozen. Fields that the contract does not know
 * are left out, so that an older proxy reads what a newer operator writes as long as `schema` is the same.
 * @throws {InvalidSnapshotError} which names the first field that is wrong.
 */
export function parseSnapshot(value: unknown): Snapshot {
  return takeAll(parseSnapshotInSteps(value))
}

/** The same, a virtual key a step. @throws {InvalidSnapshotError} */
export function* parseSnapshotInSteps(value: unknown): Steps<Snapshot> {
  const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined
  if (schema !== SNAPSHOT_SCHEMA) {
    throw new InvalidSnapshotError(
      `schema ${String(schema).slice(0, 20)} is not ${SNAPSHOT_SCHEMA}, the version that this process reads`,
    )
  }
  try {
    return yield* readSnapshot(value)
  } catch (error) {
    if (error instanceof ShapeError) throw new InvalidSnapshotError(error.message, error)
    throw error
  }
}

const texts = list(text)
const optionalMs = integer(0)
const share = number(0, 1)

const cache = object<CacheSettings>(
  {
    exact: object<NonNullable<CacheSettings['exact']>>({ enabled: flag, ttlMs: optionalMs }, ['enabled', 'ttlMs']),
    semantic: object<NonNullable<CacheSettings['semantic']>>(
      { enabled: flag, ttlMs: optionalMs, minSimilarity: share, model: text },
      ['enabled', 'ttlMs', 'minSimilarity', 'model'],
    ),
  },
  ['exact', 'semantic'],
)

const policies = object<PolicySettings>(
  {
    flags: list(oneOf(...FLAGS)),
    excludeProviders: texts,
    excludeModels: texts,
    excludeCountries: texts,
    maxCost: integer(),
    minQuality: share,
    scoringMethod: oneOf(...SCORING_METHODS),
    billing: oneOf('sync', 'async'),
    trace: flag,
    tags: record(text),
    fallback: oneOf('SameModel', 'AnyModel'),
    cache,
  },
  [
    'flags',
    'excludeProviders',
    'excludeModels',
    'excludeCountries',
    'maxCost',
    'minQuality',
    'scoringMethod',
    'billing',
    'trace',
    'tags',
    'fallback',
    'cache',
  ],
)

const compliance = object<ComplianceSettings>(
  {
    requiredFlags: list(oneOf(...FLAGS)),
    deniedProviders: texts,
    deniedModels: texts,
    deniedCountries: texts,
    maxCost: integer(),
    minQuality: share,
    requiredTags: texts,
    quotaFailure: oneOf('Closed', 'Open'),
    injectionThreshold: share,
    masking: object<NonNullable<ComplianceSettings['masking']>>(
      {
        kinds: texts,
        custom: list(object<{ readonly kind: string; readonly pattern: string }>({ kind: text, pattern: text })),
      },
      ['kinds', 'custom'],
    ),
  },
  [
    'requiredFlags',
    'deniedProviders',
    'deniedModels',
    'deniedCountries',
    'maxCost',
    'minQuality',
    'requiredTags',
    'quotaFailure',
    'injectionThreshold',
    'masking',
  ],
)

const reset = oneOf('Calendar', 'Rolling')
const onExceed = oneOf('Block', 'Warn')

const limits = object<Limits>({
  budgets: list(
    object<Budget>({
      window: oneOf('Hour', 'Day', 'Week', 'Month', 'Total'),
      limit: integer(),
      reset,
      warnAtPercent: number(1, 100),
      onExceed,
    }),
  ),
  tokenQuotas: list(
    object<TokenQuota>({
      window: oneOf('Minute', 'Hour', 'Day', 'Week', 'Month', 'Total'),
      kind: oneOf('Input', 'Output', 'Total'),
      limit: integer(),
      reset,
      onExceed,
    }),
  ),
  rateLimits: object<RateLimits>(
    { requestsPerMinute: integer(1), tokensPerMinute: integer(1), burst: integer(1), maxConcurrent: integer(1) },
    ['requestsPerMinute', 'tokensPerMinute', 'burst', 'maxConcurrent'],
  ),
})

const organization = object<OrganizationEntry>(
  {
    name: text,
    displayName: text,
    defaults: policies,
    compliance,
    limits,
    projects: list(
      object<ProjectEntry>({ name: text, displayName: text, defaults: policies, limits }, ['displayName']),
    ),
  },
  ['displayName'],
)

const virtualKey = object<VirtualKeyEntry>(
  {
    id: text,
    organization: text,
    project: text,
    digests: list(object<KeyDigest>({ digest: text, notAfterMs: number() }, ['notAfterMs'])),
    suspended: flag,
    expiresAtMs: number(),
    privileges: object<Privileges>({ demask: flag, trace: flag, overrideRouting: flag, asyncBilling: flag }),
    policies,
    access: object<KeyAccess>({
      models: texts,
      providers: texts,
      allowAuto: flag,
      adapters: list(oneOf('Native', 'OpenAI', 'Anthropic', 'Gemini')),
      serviceAccounts: texts,
    }),
    limits,
  },
  ['project', 'expiresAtMs'],
)

const pricing = object<Pricing>(
  {
    input: integer(),
    output: integer(),
    cachedInput: integer(),
    cacheWrite: integer(),
    reasoning: integer(),
    perRequest: integer(),
  },
  ['cachedInput', 'cacheWrite', 'reasoning', 'perRequest'],
)

const model = object<ModelEntry>(
  {
    name: text,
    upstreamName: text,
    aliases: texts,
    enabled: flag,
    quality: share,
    priority: integer(),
    weight: integer(1),
    countries: texts,
    contextWindow: integer(1),
    maxOutputTokens: integer(1),
    capabilities: list(
      oneOf(
        'chat',
        'streaming',
        'tools',
        'vision',
        'audio',
        'json-mode',
        'json-schema',
        'reasoning',
        'prompt-cache',
        'embeddings',
      ),
    ),
    pricing,
  },
  ['contextWindow', 'maxOutputTokens', 'pricing'],
)

const provider = object<ProviderEntry>(
  {
    name: text,
    type: oneOf('OpenAI', 'AzureOpenAI', 'OpenAICompatible', 'Anthropic', 'Gemini'),
    displayName: text,
    enabled: flag,
    priority: integer(),
    weight: integer(1),
    countries: texts,
    endpoint: object<ProviderEndpoint>(
      { baseUrl: text, allowInsecureHttp: flag, ca: text, proxyUrl: text, headers: record(text) },
      ['baseUrl', 'ca', 'proxyUrl'],
    ),
    credentials: object<ProviderEntry['credentials']>({ type: oneOf('Bearer', 'Header', 'None'), headerName: text }, [
      'headerName',
    ]),
    timeouts: object<ProviderTimeouts>(
      { connectMs: integer(1), firstByteMs: integer(1), streamIdleMs: integer(1), totalMs: integer(1) },
      ['firstByteMs'],
    ),
    failover: object<ProviderFailover>({
      retryOnStatus: list(number(400, 599)),
      maxAttempts: integer(1),
      circuitBreaker: object<ProviderFailover['circuitBreaker']>({
        consecutiveFailures: integer(1),
        openForMs: integer(),
      }),
    }),
    healthCheck: object<ProviderHealthCheck>(
      {
        mode: oneOf('Passive', 'Active', 'Disabled'),
        path: text,
        intervalMs: integer(1),
        timeoutMs: integer(1),
        unhealthyThreshold: integer(1),
        healthyThreshold: integer(1),
      },
      ['path'],
    ),
    limits: object<ProviderEntry['limits']>(
      { maxConcurrent: integer(1), requestsPerMinute: integer(1), tokensPerMinute: integer(1) },
      ['maxConcurrent', 'requestsPerMinute', 'tokensPerMinute'],
    ),
    models: list(model),
  },
  ['displayName'],
)

const withUnreadKeys = object<Omit<Snapshot, 'virtualKeys'> & { readonly virtualKeys: readonly unknown[] }>({
  schema: oneOf(SNAPSHOT_SCHEMA),
  revision: text,
  organizations: list(organization),
  providers: list(provider),
  virtualKeys: list((value) => value),
})

function* readSnapshot(value: unknown): Steps<Snapshot> {
  const { virtualKeys: unread, ...rest } = withUnreadKeys(value, '')
  const virtualKeys: VirtualKeyEntry[] = []
  for (const [index, entry] of unread.entries()) {
    virtualKeys.push(virtualKey(entry, `virtualKeys[${index}]`))
    yield
  }
  return Object.freeze({ ...rest, virtualKeys: Object.freeze(virtualKeys) })
}
