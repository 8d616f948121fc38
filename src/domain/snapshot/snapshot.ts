/**
 * The config contract between whoever reads resources (standalone, operator) and the proxy: plain, serialisable,
 * without credentials. A snapshot is parsed once, frozen, and swapped by one assignment; a request keeps the one it
 * started with. Runtime lookups are built from it in `compiled-snapshot.ts`.
 */
import type { MicroUsd, NanoUsdPer1M } from '../quota/money.ts'

/** Version of this contract. A snapshot with another number is refused. */
export const SNAPSHOT_SCHEMA = 1

export type Milliseconds = number

export interface Snapshot {
  readonly schema: typeof SNAPSHOT_SCHEMA
  /** Changes whenever the content does (a hash of it). */
  readonly revision: string
  readonly organizations: readonly OrganizationEntry[]
  readonly providers: readonly ProviderEntry[]
  readonly virtualKeys: readonly VirtualKeyEntry[]
}

export type Flag = 'pii-safe' | 'adversarial-detection' | 'force-json'
export const FLAGS: readonly Flag[] = ['pii-safe', 'adversarial-detection', 'force-json']

export type ScoringMethod = 'cost' | 'latency' | 'quality' | 'balanced'
export const SCORING_METHODS: readonly ScoringMethod[] = ['cost', 'latency', 'quality', 'balanced']

/** Defaults of a virtual key, project or organization: one per control header. Absent = not set here. */
export interface PolicySettings {
  readonly flags?: readonly Flag[]
  readonly excludeProviders?: readonly string[]
  readonly excludeModels?: readonly string[]
  readonly excludeCountries?: readonly string[]
  /** Compared with the larger of a model's input and output price. */
  readonly maxCost?: NanoUsdPer1M
  readonly minQuality?: number
  readonly scoringMethod?: ScoringMethod
  readonly billing?: 'sync' | 'async'
  readonly trace?: boolean
  readonly tags?: Readonly<Record<string, string>>
  readonly fallback?: 'SameModel' | 'AnyModel'
  readonly cache?: CacheSettings
}

export interface CacheSettings {
  readonly exact?: { readonly enabled?: boolean; readonly ttlMs?: Milliseconds }
  readonly semantic?: {
    readonly enabled?: boolean
    readonly ttlMs?: Milliseconds
    readonly minSimilarity?: number
    /** Public name of the embedding model. */
    readonly model?: string
  }
}

/** The floor that no key and no header can relax. */
export interface ComplianceSettings {
  readonly requiredFlags?: readonly Flag[]
  readonly deniedProviders?: readonly string[]
  readonly deniedModels?: readonly string[]
  readonly deniedCountries?: readonly string[]
  readonly maxCost?: NanoUsdPer1M
  readonly minQuality?: number
  readonly requiredTags?: readonly string[]
  readonly quotaFailure?: 'Closed' | 'Open'
  /** Injection score from which a request is refused, 0..1; absent: the built-in threshold. */
  readonly injectionThreshold?: number
  readonly masking?: {
    /** Kinds masked beside EMAIL, KEY and CARD. */
    readonly kinds?: readonly string[]
    readonly custom?: readonly { readonly kind: string; readonly pattern: string }[]
  }
}

export interface OrganizationEntry {
  readonly name: string
  readonly displayName?: string
  readonly defaults: PolicySettings
  readonly compliance: ComplianceSettings
  readonly limits: Limits
  readonly projects: readonly ProjectEntry[]
}

export interface ProjectEntry {
  readonly name: string
  readonly displayName?: string
  readonly defaults: PolicySettings
  readonly limits: Limits
}

/** What a scope (virtual key, project, organization) may spend. Empty lists and absent fields mean no limit. */
export interface Limits {
  readonly budgets: readonly Budget[]
  readonly tokenQuotas: readonly TokenQuota[]
  readonly rateLimits: RateLimits
}

export type BudgetWindow = 'Hour' | 'Day' | 'Week' | 'Month' | 'Total'

export interface Budget {
  readonly window: BudgetWindow
  readonly limit: MicroUsd
  /** Calendar windows begin in UTC at the hour, midnight, Monday, the first. */
  readonly reset: 'Calendar' | 'Rolling'
  readonly warnAtPercent: number
  readonly onExceed: 'Block' | 'Warn'
}

export interface TokenQuota {
  readonly window: BudgetWindow | 'Minute'
  readonly kind: 'Input' | 'Output' | 'Total'
  /** Tokens. */
  readonly limit: number
  readonly reset: 'Calendar' | 'Rolling'
  readonly onExceed: 'Block' | 'Warn'
}

export interface RateLimits {
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  /** Requests that may come at once on top of the even rate; absent: requestsPerMinute. */
  readonly burst?: number
  readonly maxConcurrent?: number
}

export interface Privileges {
  /** Masked values are restored in answers. */
  readonly demask: boolean
  /** May send `x-llm-trace`. */
  readonly trace: boolean
  /** May send the selection headers (exclusions, max-cost, min-quality, scoring-method). */
  readonly overrideRouting: boolean
  /** May send `x-llm-billing: async`. */
  readonly asyncBilling: boolean
}

export type AdapterName = 'Native' | 'OpenAI' | 'Anthropic' | 'Gemini'

export interface VirtualKeyEntry {
  /** Owner and name, `owner/name`: the scope of its quotas, stable when the key is created anew. */
  readonly id: string
  readonly organization: string
  readonly project?: string
  /** HMAC-SHA256 of each valid key text, hex. Several during a rotation's overlap. */
  readonly digests: readonly KeyDigest[]
  readonly suspended: boolean
  /** Milliseconds since the epoch; absent: never. */
  readonly expiresAtMs?: number
  readonly privileges: Privileges
  readonly policies: PolicySettings
  readonly access: KeyAccess
  readonly limits: Limits
}

export interface KeyDigest {
  readonly digest: string
  readonly notAfterMs?: number
}

export interface KeyAccess {
  /** Names or suffix globs (`gpt-4.1-*`); empty: all. */
  readonly models: readonly string[]
  /** The providers it may use, by name: its own list cut with the providers' access rules. */
  readonly providers: readonly string[]
  readonly allowAuto: boolean
  /** Empty: all. */
  readonly adapters: readonly AdapterName[]
  /** Workload identities that may use it; empty: all. Checked by the sidecar, which knows its own. */
  readonly serviceAccounts: readonly string[]
}

export type ProviderType = 'OpenAI' | 'AzureOpenAI' | 'OpenAICompatible' | 'Anthropic' | 'Gemini'

export interface ProviderEntry {
  readonly name: string
  readonly type: ProviderType
  readonly displayName?: string
  readonly enabled: boolean
  /** Lower is tried first. */
  readonly priority: number
  readonly weight: number
  /** ISO 3166 alpha-2, lower case. */
  readonly countries: readonly string[]
  readonly endpoint: ProviderEndpoint
  readonly credentials: { readonly type: 'Bearer' | 'Header' | 'None'; readonly headerName?: string }
  readonly timeouts: ProviderTimeouts
  readonly failover: ProviderFailover
  readonly healthCheck: ProviderHealthCheck
  readonly limits: {
    readonly maxConcurrent?: number
    readonly requestsPerMinute?: number
    readonly tokensPerMinute?: number
  }
  readonly models: readonly ModelEntry[]
}

export interface ProviderEndpoint {
  /** What the vendor's own SDK takes as base URL; absent: the family's default. */
  readonly baseUrl?: string
  readonly allowInsecureHttp: boolean
  /** PEM certificates to trust instead of the system's (public, so part of the contract). */
  readonly ca?: string
  readonly proxyUrl?: string
  readonly headers: Readonly<Record<string, string>>
}

export interface ProviderTimeouts {
  readonly connectMs: Milliseconds
  /** Absent: a stream has its default, an answer that is not streamed the total time. */
  readonly firstByteMs?: Milliseconds
  readonly streamIdleMs: Milliseconds
  readonly totalMs: Milliseconds
}

export interface ProviderFailover {
  readonly retryOnStatus: readonly number[]
  /** Attempts on this provider before the next one. */
  readonly maxAttempts: number
  readonly circuitBreaker: { readonly consecutiveFailures: number; readonly openForMs: Milliseconds }
}

export interface ProviderHealthCheck {
  readonly mode: 'Passive' | 'Active' | 'Disabled'
  readonly path?: string
  readonly intervalMs: Milliseconds
  readonly timeoutMs: Milliseconds
  readonly unhealthyThreshold: number
  readonly healthyThreshold: number
}

export type Capability =
  | 'chat'
  | 'streaming'
  | 'tools'
  | 'vision'
  | 'audio'
  | 'json-mode'
  | 'json-schema'
  | 'reasoning'
  | 'prompt-cache'
  | 'embeddings'

export interface ModelEntry {
  readonly name: string
  readonly upstreamName: string
  readonly aliases: readonly string[]
  readonly enabled: boolean
  readonly quality: number
  /** Own value or the provider's. */
  readonly priority: number
  readonly weight: number
  /** Own list or the provider's. */
  readonly countries: readonly string[]
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  readonly capabilities: readonly Capability[]
  readonly pricing?: Pricing
}

/** Absent parts: cached input and cache writes cost as input, reasoning as output, a request nothing. */
export interface Pricing {
  readonly input: NanoUsdPer1M
  readonly output: NanoUsdPer1M
  readonly cachedInput?: NanoUsdPer1M
  readonly cacheWrite?: NanoUsdPer1M
  readonly reasoning?: NanoUsdPer1M
  readonly perRequest?: MicroUsd
}
