/**
 * The proxy's Prometheus metrics. Label values are bounded: names from the configuration, fixed words, and `none`.
 * Never a tag, a key or anything a client wrote.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { PipelineMetrics } from '../pipeline/services.ts'
import type { Outcome, RequestRecord } from '../pipeline/request-record.ts'

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const OVERHEAD_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]
const TOKENS = [1, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576]

export interface Metrics extends PipelineMetrics {
  readonly registry: Registry
  /** Revision and time of the configuration in force. */
  configurationLoaded(ok: boolean, atMs: number): void
  /** Has the age of the configuration's last confirmation read, where something confirms it. */
  watchStaleness(readMs: () => number): void
  /** Has the figures of the stores read whenever the page is asked for. */
  watchStores(read: () => StoreFigures): void
}

/** What waits behind the requests. */
export interface StoreFigures {
  /** Settlements that the store has not confirmed, and how long the oldest has been waiting. */
  readonly pendingSettlements: number
  readonly settlementLagMs: number
  /** Settlements that found the queue full: charged at their bound. Since the start. */
  readonly droppedSettlements: number
  /** Organizations whose quota store cannot be asked. */
  readonly quotaStoresUnavailable: number
  /** Audit records on their way to Redis, and those that will never be there, since the start. */
  readonly pendingAuditRecords: number
  readonly droppedAuditRecords: number
  /** Look-ups in the shared cache that were skipped because it was slow, since the start. */
  readonly cacheReadsSkipped: number
  readonly cacheStoreSlow: boolean
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const families = metricFamilies(registry)
  return {
    registry,
    configurationLoaded(ok, atMs) {
      families.configurationLoads.inc({ result: ok ? 'ok' : 'refused' })
      if (ok) families.configurationTime.set(atMs / 1_000)
    },
    watchStaleness: (readMs) => watchStaleness(registry, readMs),
    watchStores: (read) => watchStores(registry, read),
    requestEnded: (record, outcome, endedAtMs) => observeRequest(families, record, outcome, endedAtMs),
  }
}

function watchStaleness(registry: Registry, readMs: () => number): void {
  const stale = new Gauge({
    name: 'tollgate_config_stale_seconds',
    help: 'Time since the configuration in force was last seen to be the published one.',
    registers: [],
    collect() {
      this.set(readMs() / 1_000)
    },
  })
  registry.registerMetric(stale)
}

function watchStores(registry: Registry, read: () => StoreFigures): void {
  const registers = [registry]
  const gauge = (name: string, help: string, figure: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(figure())
      },
    })
  const counter = (name: string, help: string, figure: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(figure())
      },
    })
  gauge('tollgate_pending_settlements', 'Requests not settled in the store.', () => read().pendingSettlements)
  gauge('tollgate_settlement_lag_seconds', 'Age of the oldest of them.', () => read().settlementLagMs / 1_000)
  gauge(
    'tollgate_quota_store_unavailable',
    'Organizations whose quota store cannot be asked.',
    () => read().quotaStoresUnavailable,
  )
  gauge('tollgate_audit_pending_records', 'Audit records not yet in Redis.', () => read().pendingAuditRecords)
  counter(
    'tollgate_settlements_dropped_total',
    'Settlements that found the queue full; charged at their bound.',
    () => read().droppedSettlements,
  )
  counter(
    'tollgate_audit_dropped_total',
    'Audit records that are on stdout and not in Redis.',
    () => read().droppedAuditRecords,
  )
  gauge('tollgate_cache_store_slow', '1 while the shared cache is skipped.', () => (read().cacheStoreSlow ? 1 : 0))
  counter(
    'tollgate_cache_reads_skipped_total',
    'Look-ups in the shared cache that were skipped because it was slow.',
    () => read().cacheReadsSkipped,
  )
}

type Families = ReturnType<typeof metricFamilies>

function metricFamilies(registry: Registry) {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[],
  ) => new Histogram({ name, help, buckets, labelNames: [...labelNames], registers })
  return {
    requests: counter('tollgate_requests_total', 'Requests by how they ended.', [
      'adapter',
      'provider',
      'model',
      'outcome',
    ] as const),
    decisions: counter('tollgate_routing_decisions_total', 'Requests sent to a provider, by what decided.', [
      'method',
      'provider',
      'model',
      'reason',
    ] as const),
    removed: counter('tollgate_candidates_removed_total', 'Candidates removed, by rule.', ['rule'] as const),
    fallbacks: counter('tollgate_fallbacks_total', 'Switches from one provider to another.', [
      'from',
      'to',
      'reason',
    ] as const),
    cache: counter('tollgate_cache_requests_total', 'Requests by what the cache said.', ['result'] as const),
    semanticLooks: counter(
      'tollgate_semantic_looks_total',
      'Looks into the cache by meaning, by what became of them.',
      ['result'] as const,
    ),
    masked: counter('tollgate_masked_values_total', 'Values masked, by kind.', ['kind'] as const),
    blocked: counter('tollgate_blocked_total', 'Requests refused by a guardrail.', ['guardrail'] as const),
    guardrailBytes: counter('tollgate_guardrail_bytes_total', 'Bytes of text that guardrails saw.', [
      'guardrail',
      'scope',
    ] as const),
    quotaRefusals: counter('tollgate_quota_refusals_total', 'Requests refused by a limit.', [
      'scope',
      'window',
    ] as const),
    quotaWarnings: counter('tollgate_quota_warnings_total', 'Requests that passed a limit nearly or wholly used up.', [
      'scope',
      'window',
      'type',
    ] as const),
    cost: counter('tollgate_cost_usd_total', 'US dollars charged.', ['organization', 'project'] as const),
    warnings: counter('tollgate_translation_warnings_total', 'Fields that a translation could not carry.', [
      'adapter',
      'provider',
    ] as const),
    overhead: histogram('tollgate_overhead_seconds', 'Time spent in Tollgate itself.', OVERHEAD_SECONDS, [
      'adapter',
    ] as const),
    duration: histogram(
      'gen_ai_server_request_duration_seconds',
      'Time from the request to the end of its answer.',
      SECONDS,
      ['gen_ai_provider_name', 'gen_ai_request_model'] as const,
    ),
    firstToken: histogram(
      'gen_ai_server_time_to_first_token_seconds',
      'Time from the request to the first content of a stream.',
      SECONDS,
      ['gen_ai_provider_name', 'gen_ai_request_model'] as const,
    ),
    tokens: histogram('gen_ai_client_token_usage', 'Tokens of a request.', TOKENS, [
      'gen_ai_provider_name',
      'gen_ai_request_model',
      'gen_ai_token_type',
    ] as const),
    configurationLoads: counter('tollgate_configuration_loads_total', 'Configurations read.', ['result'] as const),
    configurationTime: new Gauge({
      name: 'tollgate_configuration_timestamp_seconds',
      help: 'When the configuration in force was loaded.',
      registers,
    }),
  }
}

function observeRequest(families: Families, record: RequestRecord, outcome: Outcome, endedAtMs: number): void {
  const { incoming, served, plan, attempts } = record
  const adapter = incoming.adapter.label
  const provider = served?.provider.name ?? 'none'
  const model = served?.model.name ?? 'none'
  const totalMs = endedAtMs - incoming.receivedAtMs
  families.requests.inc({ adapter, provider, model, outcome })
  for (const { rule } of record.removed) families.removed.inc({ rule })
  if (!record.stream) families.overhead.observe({ adapter }, Math.max(0, totalMs - record.upstreamMs) / 1_000)
  observeFallbacks(families, attempts)
  observeGovernance(families, record)
  if (record.warnings.length > 0) families.warnings.inc({ adapter, provider }, record.warnings.length)
  observeEmbedding(families, record)
  // What follows is about providers, and of a hit none was asked.
  if (served === undefined || record.isCacheHit) return
  families.decisions.inc({
    method: plan?.method ?? 'none',
    provider,
    model,
    reason: attempts.length > 1 ? 'failover' : 'first',
  })
  const genAi = { gen_ai_provider_name: provider, gen_ai_request_model: model }
  families.duration.observe(genAi, totalMs / 1_000)
  if (record.firstContentAtMs !== undefined) {
    families.firstToken.observe(genAi, (record.firstContentAtMs - incoming.receivedAtMs) / 1_000)
  }
  if (record.usage === undefined) return
  const { input, cachedInput, cacheWrite, output } = record.usage
  families.tokens.observe({ ...genAi, gen_ai_token_type: 'input' }, input + cachedInput + cacheWrite)
  families.tokens.observe({ ...genAi, gen_ai_token_type: 'output' }, output)
}

/** A look that led to a hit, or not; the embedding counts like any other call's tokens. */
function observeEmbedding(families: Families, { semanticLook, embedding, cache }: RequestRecord): void {
  if (semanticLook === undefined) return
  const asked = cache === 'hit-semantic' ? 'hit' : 'miss'
  families.semanticLooks.inc({ result: semanticLook === 'asked' ? asked : semanticLook })
  if (embedding === undefined) return
  const { deployment, charge } = embedding
  families.tokens.observe(
    {
      gen_ai_provider_name: deployment.provider.name,
      gen_ai_request_model: deployment.model.name,
      gen_ai_token_type: 'input',
    },
    charge.inputTokens,
  )
}

/** Kinds of findings are a closed list and the organizations' own kinds; scopes and windows are closed lists. */
function observeGovernance(families: Families, record: RequestRecord): void {
  if (record.cache !== undefined) families.cache.inc({ result: record.cache })
  for (const [kind, count] of Object.entries(record.findings)) {
    if (kind !== 'INJECTION') families.masked.inc({ kind }, count)
  }
  for (const [label, bytes] of Object.entries(record.guardrailBytes)) {
    const [guardrail = '', scope = ''] = label.split('/')
    families.guardrailBytes.inc({ guardrail, scope }, bytes)
  }
  if (record.blockedBy !== undefined) families.blocked.inc({ guardrail: record.blockedBy })
  const refusal = record.quotaRefusal
  if (refusal !== undefined) families.quotaRefusals.inc({ scope: refusal.scope, window: refusal.window ?? 'Minute' })
  for (const { scope, window, type } of record.quotaWarnings) families.quotaWarnings.inc({ scope, window, type })
  if (record.costMicroUsd !== undefined && record.caller !== undefined) {
    const { organization, project } = record.caller
    families.cost.inc({ organization: organization.name, project: project?.name ?? 'none' }, record.costMicroUsd / 1e6)
  }
}

function observeFallbacks(families: Families, attempts: RequestRecord['attempts']): void {
  for (let index = 1; index < attempts.length; index++) {
    const from = attempts[index - 1]
    const to = attempts[index]
    if (from === undefined || to === undefined || from.deploymentId === to.deploymentId) continue
    families.fallbacks.inc({ from: providerOf(from), to: providerOf(to), reason: from.reason ?? from.result })
  }
}

function providerOf({ deploymentId }: RequestRecord['attempts'][number]): string {
  return deploymentId.slice(0, deploymentId.indexOf('/'))
}
