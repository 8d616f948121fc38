/**
 * One JSON document a request: who asked, under which policy, what was found, decided and spent.
 * Never a prompt, an answer, a key or a secret. Field names are stable; new ones may come.
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
  readonly error?: string
  readonly organization?: string
  readonly project?: string
  /** `owner/name`. */
  readonly virtualKey?: string
  readonly tags: Readonly<Record<string, string>>
  readonly policy?: AuditPolicy
  readonly model: { readonly requested: string; readonly served?: string; readonly provider?: string }
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
  readonly cache?: string
  readonly tokens?: AuditTokens
  /** Micro-dollars. */
  readonly costMicroUsd?: number
  /** Limits that were nearly or wholly used up when the request came and let it pass all the same. */
  readonly quotaWarnings?: readonly QuotaWarning[]
  /** Milliseconds: to the first content, and to the end. */
  readonly latency: { readonly firstContentMs?: number; readonly totalMs: number }
}

export interface AuditPolicy {
  readonly flags: readonly string[]
  readonly scoringMethod: string
  readonly maxCost?: string
  readonly minQuality?: number
  readonly excluded?: readonly string[]
  readonly billing: 'sync' | 'async'
}

export interface AuditTokens {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
  readonly estimated: boolean
}
