/**
 * Stage: the end of every request, exactly once, whatever way it ended. What was used is priced and charged, the audit record
 * is written, the metrics count. The charge is in the store's hands when the answer leaves: it goes ahead of whatever is
 * asked next; no answer waits for the store's word, which could change nothing in it. With `x-llm-billing:
 * async`, and for free answers from the cache, the charge comes after the answer, before another request is read; until
 * then the reservation stands, so that what a killed process takes with it is charged at its bound. Record and metrics
 * wait until the process is idle.
 */
import type { Usage } from '../../domain/completion/result.ts'
import { printable } from '../../domain/printable.ts'
import { addCharges, chargeOf, NOTHING_USED, type Charge } from '../../domain/quota/amounts.ts'
import { estimateUsage, withPrompt } from '../../domain/quota/estimate.ts'
import { probableTokens } from '../../domain/quota/prompt-size.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { renderAudit } from './audit.ts'
import type { Outcome, RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'
import { traceStep } from './trace-step.ts'
import { believedUsage } from './quota/usage-doubts.ts'

const NO_USAGE: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }

/** Ends at once, or with its promise, which never rejects. */
export type Settle = (outcome: Outcome) => Promise<void> | undefined

/** A function that settles `record` the first time it is called and does nothing afterwards. Never throws. */
export function settlementOf(record: RequestRecord, services: Services): Settle {
  let settled = false
  return (outcome) => {
    if (settled) return undefined
    settled = true
    const { embeddingUnderway } = record
    if (embeddingUnderway === undefined) return conclude(record, outcome, services)
    return record.waitFor(embeddingUnderway, services.now).then(() => conclude(record, outcome, services))
  }
}

function conclude(record: RequestRecord, outcome: Outcome, services: Services): undefined {
  const charge = priceUsage(record, services)
  const endedAtMs = services.now()
  const { afterAnswer } = services
  record.memory.releaseAll()
  if (mayComeLater(record, charge)) afterAnswer.run(() => chargeReservation(record, charge, services))
  else afterAnswer.begin(() => chargeReservation(record, charge, services))
  noteTokens(record, services)
  afterAnswer.runWhenIdle(() => finish(record, outcome, endedAtMs, services))
}

/** By the client's wish; and of a hit that costs nothing, for whose answer nothing is to be waited for. */
function mayComeLater({ policy, isCacheHit }: RequestRecord, { costMicroUsd, inputTokens }: Charge): boolean {
  return policy?.billing === 'async' || (isCacheHit && costMicroUsd === 0 && inputTokens === 0)
}

/**
 * What the request used, in tokens and money, written into the record. Nothing where no provider's content reached
 * the client; an estimate where content came and the provider told no usage; the embedding of its question in any case.
 * To be called once.
 */
function priceUsage(record: RequestRecord, services: Services): Charge {
  const charge = priceAnswer(record, services)
  const { embedding } = record
  if (embedding === undefined) return charge
  if (embedding.costMicroUsd !== undefined) {
    record.costMicroUsd = (record.costMicroUsd ?? 0) + embedding.costMicroUsd
  }
  return addCharges(charge, embedding.charge)
}

function priceAnswer(record: RequestRecord, services: Services): Charge {
  const { served, meter } = record
  if (served === undefined) return NOTHING_USED
  if (record.isCacheHit) {
    record.costMicroUsd = 0
    return NOTHING_USED
  }
  meter.usage = meter.usage === undefined ? estimated(record) : completed(meter.usage, served, record, services)
  const { usage, earlier } = meter
  if (usage === undefined && earlier.length === 0) return NOTHING_USED
  // The last attempt may have failed after one that was paid for.
  const last = usage === undefined ? NOTHING_USED : chargeOf(usage, served.model.pricing)
  const charge = earlier.reduce((sum, attempt) => addCharges(sum, attempt.charge), last)
  meter.usage = earlier.reduce((sum, attempt) => addUsage(sum, attempt.usage), usage ?? NO_USAGE)
  record.costMicroUsd = served.model.pricing === undefined ? undefined : charge.costMicroUsd
  return charge
}

function chargeReservation({ reservation: held }: RequestRecord, charge: Charge, { quotas }: Services) {
  held?.release()
  return held === undefined ? undefined : quotas.settle(held.reservation, charge)
}

/** Against the limits of the providers, which the next request must find. */
function noteTokens(record: RequestRecord, services: Services): void {
  if (record.served !== undefined && record.meter.usage !== undefined && !record.isCacheHit) {
    services.health.tokensUsed(record.served, totalTokens(record.meter.usage))
  }
  if (record.embedding !== undefined) {
    services.health.tokensUsed(record.embedding.deployment, record.embedding.charge.inputTokens)
  }
}

function finish(record: RequestRecord, outcome: Outcome, endedAtMs: Milliseconds, services: Services): void {
  services.metrics.requestEnded(record, outcome, endedAtMs)
  traceStep(record, services, 'settle', () => ({
    outcome,
    error: record.errorCode,
    costMicroUsd: record.costMicroUsd,
  }))
  const audit = renderAudit(record, outcome, endedAtMs)
  services.audit.write(audit, printable(JSON.stringify(audit)))
}

/** A stream that was cut, or a provider that never counts. An answer without a text has read its prompt. */
function estimated(record: RequestRecord): Usage | undefined {
  const { promptSize, meter } = record
  if (promptSize === undefined || !record.isResponding) return undefined
  meter.isEstimated = true
  const { usage } = estimateUsage(promptSize, '')
  return { ...usage, output: probableTokens(meter.size.bytes, meter.size.wide) }
}

/**
 * With the prompt, where the provider counts none, or as many as no call can have, and with what came after the usage was
 * told: a provider that tells it at both ends was cut, or left, between them.
 */
function completed(told: Usage, served: Deployment, record: RequestRecord, services: Services): Usage {
  const { promptSize, meter } = record
  const possible = believedUsage(told, served, promptSize, record, services)
  const usage = promptSize === undefined ? possible : withPrompt(possible, promptSize)
  const { bytes, wide } = possible.output < told.output ? meter.size : meter.uncountedSize
  if (usage === told && bytes === 0) return told
  meter.isEstimated = true
  return { ...usage, output: usage.output + probableTokens(bytes, wide) }
}

function totalTokens({ input, cachedInput, cacheWrite, output }: Usage): number {
  return input + cachedInput + cacheWrite + output
}

function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cachedInput: one.cachedInput + other.cachedInput,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  }
}
