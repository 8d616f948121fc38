/** From what is known of a request to its audit record. */
import type {
  AuditCacheDetails,
  AuditEmbedding,
  AuditPolicy,
  AuditRecord,
  AuditTokens,
} from '../../domain/audit/audit-record.ts'
import type { EffectivePolicy } from '../../domain/policy/effective-policy.ts'
import { formatPricePer1K } from '../../domain/quota/money.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Outcome, RequestRecord } from './request-record.ts'

/** Longest name of a client's, of a model or a field, that is written down. */
const MAX_NAME_LENGTH = 200

/** Enough to see what was lost in translation, whatever the client sends. */
const MAX_WARNED_FIELDS = 64

/** Of most records these are empty. */
const NONE: Readonly<Record<string, never>> = Object.freeze({})
const NO_FIELDS: readonly string[] = Object.freeze([])

/** A key's requests without control headers share their policy, which never changes. */
const auditPolicies = new WeakMap<EffectivePolicy, AuditPolicy>()

export function renderAudit(record: RequestRecord, outcome: Outcome, endedAtMs: number): AuditRecord {
  const { incoming, caller, served } = record
  return {
    type: 'audit',
    time: isoTime(incoming.dateMs),
    requestId: incoming.requestId,
    adapter: incoming.adapter.label,
    operation: record.operation,
    outcome,
    error: record.errorCode,
    organization: caller?.organization.name,
    project: caller?.project?.name,
    virtualKey: record.virtualKey,
    tags: record.policy?.tags ?? NONE,
    policy: record.policy === undefined ? undefined : auditPolicyOf(record.policy),
    model: {
      requested: record.requestedModel?.slice(0, MAX_NAME_LENGTH),
      served: served?.model.name,
      provider: served?.provider.name,
    },
    stream: record.stream,
    attempts: record.attempts,
    removed: countByRule(record),
    findings: record.findings,
    guardrailBytes: record.guardrailBytes,
    warnings: record.warnings.length === 0 ? NO_FIELDS : warnedFields(record),
    cache: record.cache,
    cacheDetails: cacheDetails(record),
    tokens: auditTokens(record),
    costMicroUsd: record.costMicroUsd,
    quotaWarnings: record.quotaWarnings.length === 0 ? undefined : record.quotaWarnings,
    latency: {
      firstContentMs: since(incoming.receivedAtMs, record.firstContentAtMs),
      totalMs: Math.round(endedAtMs - incoming.receivedAtMs),
    },
  }
}

function warnedFields({ warnings }: RequestRecord): readonly string[] {
  const fields = new Set<string>()
  for (const { field } of warnings) {
    if (fields.size === MAX_WARNED_FIELDS) break
    fields.add(field.slice(0, MAX_NAME_LENGTH))
  }
  return [...fields]
}

/** Requests of one second share all but the milliseconds, and making a date's text costs as much as the rest of a record. */
let second = { number: Number.NaN, text: '' }

function isoTime(ms: Milliseconds): string {
  const number = Math.floor(ms / 1_000)
  if (number !== second.number) second = { number, text: new Date(number * 1_000).toISOString().slice(0, -4) }
  return `${second.text}${String(Math.floor(ms) - number * 1_000).padStart(3, '0')}Z`
}

function auditPolicyOf(policy: EffectivePolicy): AuditPolicy {
  const known = auditPolicies.get(policy)
  if (known !== undefined) return known
  const rendered = renderPolicy(policy)
  auditPolicies.set(policy, rendered)
  return rendered
}

function renderPolicy(policy: EffectivePolicy): AuditPolicy {
  const excluded = [...policy.excludeProviders, ...policy.excludeModels, ...policy.excludeCountries]
  return {
    flags: [...policy.flags],
    scoringMethod: policy.scoringMethod ?? 'priority',
    maxCost: policy.maxCost === undefined ? undefined : formatPricePer1K(policy.maxCost),
    minQuality: policy.minQuality,
    excluded: excluded.length === 0 ? undefined : excluded,
    billing: policy.billing,
  }
}

function cacheDetails(record: RequestRecord): AuditCacheDetails | undefined {
  const { cacheAgeSeconds, cacheSimilarity, semanticLook } = record
  if (cacheAgeSeconds === undefined && semanticLook === undefined) return undefined
  return {
    ageSeconds: cacheAgeSeconds,
    similarity: cacheSimilarity,
    semanticLook,
    embedding: auditEmbedding(record),
  }
}

function auditEmbedding({ embedding }: RequestRecord): AuditEmbedding | undefined {
  if (embedding === undefined) return undefined
  const { deployment, charge, costMicroUsd, estimated } = embedding
  return {
    provider: deployment.provider.name,
    model: deployment.model.name,
    tokens: charge.inputTokens,
    estimated,
    costMicroUsd,
  }
}

function auditTokens({ meter: { usage, isEstimated } }: RequestRecord): AuditTokens | undefined {
  if (usage === undefined) return undefined
  const { input, cachedInput, cacheWrite, output, reasoning } = usage
  return { input, cachedInput, cacheWrite, output, reasoning, estimated: isEstimated }
}

function countByRule({ removed }: RequestRecord): Readonly<Record<string, number>> {
  if (removed.length === 0) return NONE
  const counts: Record<string, number> = {}
  for (const { rule } of removed) counts[rule] = (counts[rule] ?? 0) + 1
  return counts
}

function since(startMs: number, atMs: number | undefined): number | undefined {
  return atMs === undefined ? undefined : Math.round(atMs - startMs)
}
