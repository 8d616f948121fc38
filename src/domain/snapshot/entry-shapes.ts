/** What the entries of a snapshot look like: which fields, of which type and range, and which may be absent. */
import { flag, integer, list, number, object, oneOf, record, text } from './shape.ts'
import {
  FLAGS,
  SCORING_METHODS,
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
  type TokenQuota,
  type VirtualKeyEntry,
} from './snapshot.ts'

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

/** An organization with its projects. */
export const organization = object<OrganizationEntry>(
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

/** A virtual key; of its text only digests. */
export const virtualKey = object<VirtualKeyEntry>(
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

/** A provider with its models; its credential is no part of a snapshot. */
export const provider = object<ProviderEntry>(
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
