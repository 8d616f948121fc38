/**
 * One JSON document a request: who asked, under which policy, what was found, decided and spent.
 * Never a prompt, an answer, a key or a secret. Field names are stable; new ones may come. What is undefined is not in
 * the JSON.
 */
import type { QuotaWarning } from '../quota/outcome.ts'
import type { AttemptRecord } from '../routing/decision.ts'

export interface AuditRecord {
  readonly type: 'audit'
  /** ISO 8601, when the request came. */
  readonly time: string
  readonly requestId: string
  readonly adapter: string
  readonly operation: string
  readonly outcome: string
  /** Our error code where there was one. */
  readonly error?: string | undefined
  readonly organization?: string | undefined
  readonly project?: string | undefined
  /** `owner/name`. */
  readonly virtualKey?: string | undefined
  readonly tags: Readonly<Record<string, string>>
  readonly policy?: AuditPolicy | undefined
  readonly model: {
    /** Undefined where the request was refused before its body could be read. */
    readonly requested?: string | undefined
    readonly served?: string | undefined
    readonly provider?: string | undefined
  }
  readonly stream: boolean
  readonly attempts: readonly AttemptRecord[]
  /** Candidates removed, by rule. */
  readonly removed: Readonly<Record<string, number>>
  /** Guardrail findings by kind. */
  readonly findings: Readonly<Record<string, number>>
  /** Bytes each guardrail saw, by `guardrail/scope`. */
  readonly guardrailBytes: Readonly<Record<string, number>>
  /** Fields that translation could not carry. */
  readonly warnings: readonly string[]
  /** As in `x-gateway-cache`. */
  readonly cache?: string | undefined
  readonly cacheDetails?: AuditCacheDetails | undefined
  readonly tokens?: AuditTokens | undefined
  /** Micro-dollars, the embedding of the question included. */
  readonly costMicroUsd?: number | undefined
  /** Limits that were nearly or wholly used up when the request came and let it pass all the same. */
  readonly quotaWarnings?: readonly QuotaWarning[] | undefined
  /** Milliseconds: to the first content, and to the end. */
  readonly latency: { readonly firstContentMs?: number | undefined; readonly totalMs: number }
}

export interface AuditPolicy {
  readonly flags: readonly string[]
  readonly scoringMethod: string
  readonly maxCost?: string | undefined
  readonly minQuality?: number | undefined
  readonly excluded?: readonly string[] | undefined
  readonly billing: 'sync' | 'async'
}

/** How the cache came to its answer; absent where there is nothing to say. */
export interface AuditCacheDetails {
  /** Of a hit. */
  readonly ageSeconds?: number | undefined
  /** Cosine of the two questions. */
  readonly similarity?: number | undefined
  /** What became of the look by meaning: `asked`, `unaffordable` or `failed`. */
  readonly semanticLook?: string | undefined
  readonly embedding?: AuditEmbedding | undefined
}

/** The call that embedded the question. */
export interface AuditEmbedding {
  readonly provider: string
  readonly model: string
  readonly tokens: number
  readonly estimated: boolean
  /** Micro-dollars; absent where the model has no price. */
  readonly costMicroUsd?: number | undefined
}

export interface AuditTokens {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
  readonly estimated: boolean
}
