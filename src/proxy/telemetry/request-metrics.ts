/** What a finished request adds to the metrics. */
import type { Registry } from 'prom-client'
import { hasFailedOver } from '../../domain/routing/decision.ts'
import type { Outcome, RequestRecord } from '../pipeline/request-record.ts'
import { Counter, Histogram, type CounterSeries } from './metric-families.ts'

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const OVERHEAD_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]
const TOKENS = [1, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576]

export class RequestMetrics {
  readonly #families: Families
  readonly #guardrailBytes = new Map<string, CounterSeries>()

  constructor(registry: Registry) {
    this.#families = requestFamilies(registry)
  }

  requestEnded(record: RequestRecord, outcome: Outcome, endedAtMs: number): void {
    const { incoming, served } = record
    const families = this.#families
    const adapter = incoming.adapter.label
    const provider = served?.provider.name ?? 'none'
    const totalMs = endedAtMs - incoming.receivedAtMs
    families.requests.at(adapter, provider, served?.model.name ?? 'none', outcome).add()
    for (const { rule } of record.removed) families.removed.at(rule).add()
    if (!record.stream) families.overhead.at(adapter).observe(Math.max(0, totalMs - record.waitedMs) / 1_000)
    countFallbacks(families, record.attempts)
    this.#countGovernance(record)
    if (record.warnings.length > 0) families.warnings.at(adapter, provider).add(record.warnings.length)
    countEmbedding(families, record)
    // Of a hit no provider was asked.
    if (served !== undefined && !record.isCacheHit) countCall(families, served, record, totalMs)
  }

  /** Kinds of findings are a closed list and the organizations' own kinds; scopes and windows are closed lists. */
  #countGovernance(record: RequestRecord): void {
    const families = this.#families
    if (record.cache !== undefined) families.cache.at(record.cache).add()
    for (const kind in record.findings) {
      if (kind !== 'INJECTION') families.masked.at(kind).add(record.findings[kind])
    }
    for (const label in record.guardrailBytes) this.#bytesSeenBy(label).add(record.guardrailBytes[label])
    if (record.blockedBy !== undefined) families.blocked.at(record.blockedBy).add()
    const refusal = record.quotaRefusal
    if (refusal !== undefined) families.quotaRefusals.at(refusal.scope, refusal.window ?? 'Minute').add()
    for (const { scope, window, type } of record.quotaWarnings) families.quotaWarnings.at(scope, window, type).add()
    if (record.costMicroUsd === undefined || record.caller === undefined) return
    const { organization, project } = record.caller
    families.cost.at(organization.name, project?.name ?? 'none').add(record.costMicroUsd)
  }

  /** @param label `pii-safe/message`, of which there are as many as guardrails times scopes */
  #bytesSeenBy(label: string): CounterSeries {
    const known = this.#guardrailBytes.get(label)
    if (known !== undefined) return known
    const [guardrail = '', scope = ''] = label.split('/')
    const series = this.#families.guardrailBytes.at(guardrail, scope)
    this.#guardrailBytes.set(label, series)
    return series
  }
}

type Families = ReturnType<typeof requestFamilies>

/** In the order of the page. */
function requestFamilies(registry: Registry) {
  const genAi = ['gen_ai_provider_name', 'gen_ai_request_model'] as const
  return {
    requests: new Counter(registry, 'tollgate_requests_total', 'Requests by how they ended.', [
      'adapter',
      'provider',
      'model',
      'outcome',
    ]),
    decisions: new Counter(
      registry,
      'tollgate_routing_decisions_total',
      'Requests sent to a provider, by what decided.',
      ['method', 'provider', 'model', 'reason'],
    ),
    removed: new Counter(registry, 'tollgate_candidates_removed_total', 'Candidates removed, by rule.', ['rule']),
    fallbacks: new Counter(registry, 'tollgate_fallbacks_total', 'Switches from one provider to another.', [
      'from',
      'to',
      'reason',
    ]),
    cache: new Counter(registry, 'tollgate_cache_requests_total', 'Requests by what the cache said.', ['result']),
    semanticLooks: new Counter(
      registry,
      'tollgate_semantic_looks_total',
      'Looks into the cache by meaning, by what became of them.',
      ['result'],
    ),
    masked: new Counter(registry, 'tollgate_masked_values_total', 'Values masked, by kind.', ['kind']),
    blocked: new Counter(registry, 'tollgate_blocked_total', 'Requests refused by a guardrail.', ['guardrail']),
    guardrailBytes: new Counter(registry, 'tollgate_guardrail_bytes_total', 'Bytes of text that guardrails saw.', [
      'guardrail',
      'scope',
    ]),
    quotaRefusals: new Counter(registry, 'tollgate_quota_refusals_total', 'Requests refused by a limit.', [
      'scope',
      'window',
    ]),
    quotaWarnings: new Counter(
      registry,
      'tollgate_quota_warnings_total',
      'Requests that passed a limit nearly or wholly used up.',
      ['scope', 'window', 'type'],
    ),
    cost: new Counter(registry, 'tollgate_cost_usd_total', 'US dollars charged.', ['organization', 'project'], 1e6),
    warnings: new Counter(
      registry,
      'tollgate_translation_warnings_total',
      'Fields that a translation could not carry.',
      ['adapter', 'provider'],
    ),
    overhead: new Histogram(registry, 'tollgate_overhead_seconds', 'Time spent in Tollgate itself.', OVERHEAD_SECONDS, [
      'adapter',
    ]),
    duration: new Histogram(
      registry,
      'gen_ai_server_request_duration_seconds',
      'Time from the request to the end of its answer.',
      SECONDS,
      genAi,
    ),
    firstToken: new Histogram(
      registry,
      'gen_ai_server_time_to_first_token_seconds',
      'Time from the request to the first content of a stream.',
      SECONDS,
      genAi,
    ),
    tokens: new Histogram(registry, 'gen_ai_client_token_usage', 'Tokens of a request.', TOKENS, [
      ...genAi,
      'gen_ai_token_type',
    ]),
  }
}

/** The call that was answered. */
function countCall(
  families: Families,
  { provider: { name: provider }, model: { name: model } }: NonNullable<RequestRecord['served']>,
  { incoming, plan, attempts, firstContentAtMs, meter: { usage } }: RequestRecord,
  totalMs: number,
): void {
  const reason = hasFailedOver(attempts) ? 'failover' : 'first'
  families.decisions.at(plan?.method ?? 'none', provider, model, reason).add()
  families.duration.at(provider, model).observe(totalMs / 1_000)
  if (firstContentAtMs !== undefined) {
    families.firstToken.at(provider, model).observe((firstContentAtMs - incoming.receivedAtMs) / 1_000)
  }
  if (usage === undefined) return
  families.tokens.at(provider, model, 'input').observe(usage.input + usage.cachedInput + usage.cacheWrite)
  families.tokens.at(provider, model, 'output').observe(usage.output)
}

/** A look that led to a hit, or not; the embedding counts like any other call's tokens. */
function countEmbedding(families: Families, { semanticLook, embedding, cache }: RequestRecord): void {
  if (semanticLook === undefined) return
  const asked = cache === 'hit-semantic' ? 'hit' : 'miss'
  families.semanticLooks.at(semanticLook === 'asked' ? asked : semanticLook).add()
  if (embedding === undefined) return
  const { deployment, charge } = embedding
  families.tokens.at(deployment.provider.name, deployment.model.name, 'input').observe(charge.inputTokens)
}

function countFallbacks(families: Families, attempts: RequestRecord['attempts']): void {
  for (let index = 1; index < attempts.length; index++) {
    const from = attempts[index - 1]
    const to = attempts[index]
    if (from === undefined || to === undefined || from.deploymentId === to.deploymentId) continue
    families.fallbacks.at(providerOf(from), providerOf(to), from.reason ?? from.result).add()
  }
}

function providerOf({ deploymentId }: RequestRecord['attempts'][number]): string {
  return deploymentId.slice(0, deploymentId.indexOf('/'))
}
