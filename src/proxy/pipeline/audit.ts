/** From what is known of a request to its audit record. */
import type {
  AuditCacheDetails,
  AuditEmbedding,
  AuditPolicy,
  AuditRecord,
  AuditTokens,
} from '../../domain/audit/audit-record.ts'
import { formatPricePer1K } from '../../domain/quota/money.ts'
import type { Outcome, RequestRecord } from './request-record.ts'

/** Longest model name of a client that is written down. */
const MAX_NAME_LENGTH = 200

export function renderAudit(record: RequestRecord, outcome: Outcome, endedAtMs: number): AuditRecord {
  const { incoming, caller, served } = record
  return {
    type: 'audit',
    time: new Date(incoming.receivedAtMs).toISOString(),
    requestId: incoming.requestId,
    adapter: incoming.adapter.label,
    operation: record.operation,
    outcome,
    error: record.errorCode,
    organization: caller?.organization.name,
    project: caller?.project?.name,
    virtualKey: caller?.key.id,
    tags: record.policy?.tags ?? {},
    policy: auditPolicy(record),
    model: {
      requested: (record.requestedModel ?? 'auto').slice(0, MAX_NAME_LENGTH),
      served: served?.model.name,
      provider: served?.provider.name,
    },
    stream: record.stream,
    attempts: record.attempts,
    removed: countByRule(record),
    findings: record.findings,
    guardrailBytes: record.guardrailBytes,
    warnings: [...new Set(record.warnings.map((warning) => warning.field))],
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

function auditPolicy({ policy }: RequestRecord): AuditPolicy | undefined {
  if (policy === undefined) return undefined
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

function auditTokens({ usage, usageEstimated }: RequestRecord): AuditTokens | undefined {
  if (usage === undefined) return undefined
  const { input, cachedInput, cacheWrite, output, reasoning } = usage
  return { input, cachedInput, cacheWrite, output, reasoning, estimated: usageEstimated }
}

function countByRule({ removed }: RequestRecord): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { rule } of removed) counts[rule] = (counts[rule] ?? 0) + 1
  return counts
}

function since(startMs: number, atMs: number | undefined): number | undefined {
  return atMs === undefined ? undefined : Math.round(atMs - startMs)
}
