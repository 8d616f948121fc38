/**
 * The kinds as their validated manifests say them, defaults applied. The schemas in crds/ are the source of these types:
 * a value of them has passed the schema and its CEL rules (in the API server or in src/manifests), so what is optional
 * here is optional there. Money stays a decimal string and a duration stays text until the snapshot is built.
 */
import type { AdapterName, Capability, Flag, ProviderType, ScoringMethod } from '../snapshot/snapshot.ts'

export const API_GROUP = 'tollgate.dev'
export const API_VERSION = 'tollgate.dev/v1alpha1'

export type KindName = 'VirtualKey' | 'Provider' | 'Organization'

export interface ObjectMeta {
  readonly name: string
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** RFC 3339; absent in files. Orders keys: the older one keeps its place. */
  readonly creationTimestamp?: string
}

export interface VirtualKeyResource {
  readonly kind: 'VirtualKey'
  readonly metadata: ObjectMeta
  readonly spec: VirtualKeySpec
}

export interface ProviderResource {
  readonly kind: 'Provider'
  readonly metadata: ObjectMeta
  readonly spec: ProviderSpec
}

export interface OrganizationResource {
  readonly kind: 'Organization'
  readonly metadata: ObjectMeta
  readonly spec: OrganizationSpec
}

export interface NamespaceResource {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly SelectorRequirement[]
}

export interface SelectorRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

export interface SecretKeyRef {
  readonly name: string
  readonly key: string
}

export interface PoliciesSpec {
  readonly flags?: readonly Flag[]
  readonly excludeProviders?: readonly string[]
  readonly excludeModels?: readonly string[]
  readonly excludeCountries?: readonly string[]
  readonly maxCostPer1K?: string
  readonly minQuality?: number
  readonly scoringMethod?: ScoringMethod
  readonly billing?: 'sync' | 'async'
  readonly trace?: boolean
  readonly tags?: Readonly<Record<string, string>>
  readonly fallback?: 'SameModel' | 'AnyModel'
  readonly cache?: CacheSpec
}

export interface CacheSpec {
  readonly exact?: { readonly enabled?: boolean; readonly ttl?: string }
  readonly semantic?: {
    readonly enabled?: boolean
    readonly ttl?: string
    readonly minSimilarity?: number
    readonly model?: string
  }
}

export interface BudgetSpec {
  readonly window: 'Hour' | 'Day' | 'Week' | 'Month' | 'Total'
  readonly limitUSD: string
  readonly reset: 'Calendar' | 'Rolling'
  readonly warnAtPercent: number
  readonly onExceed: 'Block' | 'Warn'
}

export interface TokenQuotaSpec {
  readonly window: 'Minute' | 'Hour' | 'Day' | 'Week' | 'Month' | 'Total'
  readonly kind: 'Input' | 'Output' | 'Total'
  readonly limit: number
  readonly reset: 'Calendar' | 'Rolling'
  readonly onExceed: 'Block' | 'Warn'
}

export interface RateLimitsSpec {
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  readonly burst?: number
  readonly maxConcurrent?: number
}

/** What a key, a project and an organization state alike. */
export interface LimitsSpec {
  readonly budgets?: readonly BudgetSpec[]
  readonly tokenQuotas?: readonly TokenQuotaSpec[]
  readonly rateLimits?: RateLimitsSpec
}

export type PrivilegeName = 'demask' | 'trace' | 'overrideRouting' | 'asyncBilling'

export interface VirtualKeySpec extends LimitsSpec {
  readonly organizationRef: { readonly name: string }
  readonly project?: string
  readonly description?: string
  readonly suspended: boolean
  readonly expiresAt?: string
  readonly key: KeySource
  readonly privileges?: Readonly<Partial<Record<PrivilegeName, boolean>>>
  readonly policies?: PoliciesSpec
  readonly access?: KeyAccessSpec
}

export interface KeySource {
  readonly source: 'Generated' | 'SecretRef'
  readonly secretRef?: BroughtKeyRef
  readonly generated?: GeneratedKeySpec
}

export interface BroughtKeyRef extends SecretKeyRef {
  /** Duration for which a value that was replaced stays valid. */
  readonly overlap?: string
}

export interface GeneratedKeySpec {
  readonly secretName?: string
  readonly secretLabels?: Readonly<Record<string, string>>
  readonly rotation?: { readonly interval: string; readonly overlap: string }
}

export interface KeyAccessSpec {
  readonly models?: readonly string[]
  readonly providers?: readonly string[]
  readonly allowAuto: boolean
  readonly adapters?: readonly AdapterName[]
  readonly serviceAccounts?: readonly string[]
}

export interface OrganizationSpec extends LimitsSpec {
  readonly displayName?: string
  readonly defaults?: PoliciesSpec
  readonly compliance?: ComplianceSpec
  readonly grants?: readonly GrantSpec[]
  readonly projects?: readonly ProjectSpec[]
}

export interface ComplianceSpec {
  readonly requiredFlags?: readonly Flag[]
  readonly deniedProviders?: readonly string[]
  readonly deniedModels?: readonly string[]
  readonly deniedCountries?: readonly string[]
  readonly maxCostPer1K?: string
  readonly minQuality?: number
  readonly requiredTags?: readonly string[]
  readonly quotaFailure: 'Closed' | 'Open'
  readonly injection?: { readonly threshold?: number }
  readonly masking?: {
    readonly kinds?: readonly string[]
    readonly custom?: readonly { readonly kind: string; readonly pattern: string }[]
  }
}

export interface GrantSpec {
  readonly name: string
  readonly namespaceSelector: LabelSelector
  readonly projects?: readonly string[]
  readonly privileges: readonly PrivilegeName[]
  readonly maxKeysPerNamespace: number
  readonly maxBudgetUSDPerMonthPerKey?: string
}

export interface ProjectSpec extends LimitsSpec {
  readonly name: string
  readonly displayName?: string
  readonly defaults?: PoliciesSpec
}

export interface ProviderSpec {
  readonly type: ProviderType
  readonly displayName?: string
  readonly enabled: boolean
  readonly priority: number
  readonly weight: number
  readonly countries: readonly string[]
  readonly endpoint?: EndpointSpec
  readonly credentials: {
    readonly type: 'Bearer' | 'Header' | 'None'
    readonly headerName?: string
    readonly secretRef?: SecretKeyRef
  }
  readonly access: { readonly namespaceSelector?: LabelSelector; readonly organizations?: readonly string[] }
  readonly timeouts: {
    readonly connect: string
    readonly firstByte?: string
    readonly streamIdle: string
    readonly total: string
  }
  readonly failover: {
    readonly retryOnStatus: readonly number[]
    readonly maxAttempts: number
    readonly circuitBreaker: { readonly consecutiveFailures: number; readonly openFor: string }
  }
  readonly healthCheck: {
    readonly mode: 'Passive' | 'Active' | 'Disabled'
    readonly path?: string
    readonly interval: string
    readonly timeout: string
    readonly unhealthyThreshold: number
    readonly healthyThreshold: number
  }
  readonly limits?: {
    readonly maxConcurrent?: number
    readonly requestsPerMinute?: number
    readonly tokensPerMinute?: number
  }
  readonly models: readonly ModelSpec[]
}

export interface EndpointSpec {
  readonly baseURL?: string
  readonly allowInsecureHTTP: boolean
  readonly caSecretRef?: SecretKeyRef
  readonly proxyURL?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface ModelSpec {
  readonly name: string
  readonly upstreamName?: string
  readonly aliases?: readonly string[]
  readonly enabled: boolean
  readonly quality: number
  readonly priority?: number
  readonly weight?: number
  readonly countries?: readonly string[]
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  readonly capabilities: readonly Capability[]
  readonly pricing?: PricingSpec
}

export interface PricingSpec {
  readonly unit: 'Per1K' | 'Per1M'
  readonly input: string
  readonly output: string
  readonly cachedInput?: string
  readonly cacheWrite?: string
  readonly reasoning?: string
  readonly perRequest?: string
}
