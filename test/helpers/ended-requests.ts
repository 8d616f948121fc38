/** Requests that have ended in every way that metrics and audit records tell apart, as the pipeline would leave them. */
import type { EffectivePolicy } from '../../src/domain/policy/effective-policy.ts'
import type { PolicyChange } from '../../src/domain/policy/overrides.ts'
import { resolvePolicy } from '../../src/domain/policy/resolve-policy.ts'
import { Secret } from '../../src/domain/secret.ts'
import { compileSnapshot, type Deployment } from '../../src/domain/snapshot/compiled-snapshot.ts'
import { adapterOfPath } from '../../src/proxy/adapters/registry.ts'
import type { Caller } from '../../src/proxy/pipeline/authenticate.ts'
import { RequestRecord, type Outcome } from '../../src/proxy/pipeline/request-record.ts'
import { keyEntry, organizationEntry, providerEntry, snapshotOf } from './snapshots.ts'

export interface EndedRequest {
  readonly record: RequestRecord
  readonly outcome: Outcome
  readonly endedAtMs: number
}

const START_MS = Date.UTC(2026, 0, 31, 8)
const USAGE = { input: 300, cachedInput: 20, cacheWrite: 4, output: 41, reasoning: 7 }

const organization = { ...organizationEntry('acme'), defaults: { tags: { team: 'a' }, excludeCountries: ['XX'] } }
const project = { name: 'checkout', defaults: { flags: ['pii-safe'] as const }, limits: organization.limits }
const compiled = compileSnapshot(snapshotOf({ organizations: [organization], providers: [providerEntry('p')] }))
const secret = new Secret('secret')
const caller: Caller = {
  configuration: {
    compiled,
    credentialOf: () => undefined,
    digestOf: () => '',
    redactionSecretOf: () => secret,
    cacheKeyOf: () => secret,
  },
  key: keyEntry('team-a/app'),
  organization,
  project,
}
const first = deployment('p')
const second = deployment('q"\\\n')

function deployment(name: string): Deployment {
  const provider = providerEntry(name)
  const [model] = provider.models
  if (model === undefined) throw new Error('a provider without a model')
  return { provider, model, id: `${name}/${model.name}` }
}

function policyWith(change: PolicyChange): EffectivePolicy {
  const outcome = resolvePolicy({ ...caller, overrides: { change, needs: [] } })
  if (outcome.type === 'refused') throw outcome.error
  return outcome.policy
}

function begun(number: number, adapter: string, operation = 'chat'): RequestRecord {
  return new RequestRecord(
    {
      adapter: adapterOfPath(`/adapters/${adapter}/`),
      requestId: `request-${number}`,
      receivedAtMs: START_MS + number * 1_000.25,
      dateMs: START_MS + number * 1_000.25,
      rawHeaders: [],
      query: '',
      hints: {},
      readBody: async () => new Uint8Array(),
      signal: new AbortController().signal,
      letGo: () => undefined,
    },
    operation,
  )
}

/** A request of a key, with the policy that the key's headers make. */
function governed(number: number, adapter: string, change: PolicyChange = {}): RequestRecord {
  const record = begun(number, adapter)
  record.caller = caller
  record.virtualKey = caller.key.id
  record.policy = policyWith(change)
  record.requestedModel = 'm'
  record.cache = 'miss'
  return record
}

function planned(record: RequestRecord, method = 'priority'): RequestRecord {
  record.plan = { type: 'plan', candidates: [{ deployment: first, score: 1 }], removed: [], method }
  return record
}

function answered(record: RequestRecord, served = first): RequestRecord {
  planned(record).attempts.push({ deploymentId: served.id, result: 'ok', status: 200, ms: 12 })
  record.served = served
  record.meter.usage = USAGE
  record.costMicroUsd = 1_234
  record.waitedMs = 12
  record.firstContentAtMs = record.incoming.receivedAtMs + 13.4
  return record
}

/** The same ones, in the same order, each time. */
export function endedRequests(): readonly EndedRequest[] {
  const ended = (record: RequestRecord, outcome: Outcome, ms: number) => ({
    record,
    outcome,
    endedAtMs: record.incoming.receivedAtMs + ms,
  })
  return [
    ended(masked(1), 'answered', 14.25),
    ended(masked(2), 'answered', 1_250),
    ended(stranger(3), 'refused', 0.3),
    ended(overQuota(4), 'refused', 1.5),
    ended(failedOver(5), 'answered', 700),
    ended(allFailed(6), 'failed', 900_000),
    ended(exactHit(7), 'answered', 2),
    ended(semanticHit(8), 'answered', 80),
    ended(unaffordableLook(9), 'answered', 60),
    ended(stream(10), 'client-gone', 4_000),
    ended(injection(11), 'refused', 3),
    ended(embeddings(12), 'answered', 20),
    ended(clockSetBack(13), 'answered', -50),
  ]
}

function masked(number: number): RequestRecord {
  const record = answered(governed(number, 'openai'))
  Object.assign(record.findings, { EMAIL: number, ACME_TICKET: 1 })
  Object.assign(record.guardrailBytes, { 'pii-safe/message': 900 + number, 'pii-safe/system': 120 })
  return record
}

function stranger(number: number): RequestRecord {
  const record = begun(number, 'anthropic')
  record.errorCode = 'invalid_api_key'
  return record
}

function overQuota(number: number): RequestRecord {
  const record = planned(governed(number, 'gemini', { tags: { team: 'b', 'a"b': 'ünï\u2028' } }))
  record.requestedModel = 'x'.repeat(300)
  record.errorCode = 'budget_exceeded'
  record.quotaRefusal = {
    type: 'refused',
    reason: 'rate-limit',
    scope: 'key',
    window: undefined,
    unit: 'requests',
    limit: 10,
    retryAfterMs: 100,
    resetAtMs: undefined,
    rateLimits: { requests: undefined, tokens: undefined },
  }
  record.quotaWarnings = [
    { type: 'near', scope: 'project', window: 'Day', reset: 'Calendar', unit: 'cost', limit: 100, spent: 95 },
  ]
  return record
}

function failedOver(number: number): RequestRecord {
  const record = governed(number, 'native', {
    scoringMethod: 'cost',
    maxCost: 5_000_000_000,
    minQuality: 0.25,
    trace: true,
  })
  Object.assign(record.rateLimitHeaders, { 'x-ratelimit-limit-requests': '60', 'x-ratelimit-remaining-requests': '59' })
  record.attempts.push(
    { deploymentId: first.id, result: 'busy', ms: 0, reason: 'provider-limit' },
    { deploymentId: first.id, result: 'timeout', ms: 600, reason: 'first-byte' },
  )
  answered(record, second)
  const removed = (rule: 'cost' | 'quality') => ({ deployment: first, rule, detail: '' })
  record.removed = [removed('cost'), removed('quality'), removed('cost')]
  record.warnings.push(
    { field: 'logit_bias', message: '' },
    { field: 'seed', message: '' },
    { field: 'seed', message: '' },
  )
  return record
}

function allFailed(number: number): RequestRecord {
  const record = planned(governed(number, 'openai', { excludeProviders: ['z'], excludeModels: ['y'] }), 'balanced')
  record.attempts.push(
    { deploymentId: first.id, result: 'connect', ms: 5 },
    { deploymentId: second.id, result: 'error', status: 503, ms: 7 },
  )
  record.errorCode = 'provider_error'
  return record
}

function exactHit(number: number): RequestRecord {
  const record = governed(number, 'openai')
  record.served = first
  record.cache = 'hit-l1'
  record.cacheAgeSeconds = 17
  record.costMicroUsd = 0
  return record
}

function semanticHit(number: number): RequestRecord {
  const record = exactHit(number)
  record.cache = 'hit-semantic'
  record.cacheSimilarity = 0.987654
  record.semanticLook = 'asked'
  record.embedding = {
    deployment: second,
    charge: { costMicroUsd: 3, inputTokens: 25, outputTokens: 0 },
    costMicroUsd: 3,
    estimated: false,
  }
  record.costMicroUsd = 3
  return record
}

function unaffordableLook(number: number): RequestRecord {
  const record = answered(governed(number, 'openai', { billing: 'async' }))
  record.semanticLook = 'unaffordable'
  record.costMicroUsd = undefined
  return record
}

function stream(number: number): RequestRecord {
  const record = answered(governed(number, 'openai', { trace: true }))
  record.stream = true
  record.meter.isEstimated = true
  record.firstContentAtMs = undefined
  record.cache = 'bypass'
  return record
}

function injection(number: number): RequestRecord {
  const record = governed(number, 'anthropic', { flags: ['adversarial-detection'] })
  record.blockedBy = 'adversarial-detection'
  record.findings['INJECTION'] = 1
  record.guardrailBytes['adversarial-detection/message'] = 0
  record.cache = undefined
  return record
}

function embeddings(number: number): RequestRecord {
  const record = begun(number, 'openai', 'embeddings')
  record.caller = { ...caller, project: undefined }
  record.virtualKey = caller.key.id
  record.policy = policyWith({})
  record.requestedModel = 'auto'
  answered(record)
  record.meter.usage = undefined
  return record
}

function clockSetBack(number: number): RequestRecord {
  const record = answered(governed(number, 'openai'))
  record.firstContentAtMs = record.incoming.receivedAtMs - 49
  return record
}
