/**
 * The quota state of one organization in memory: window counters, rate counters, open reservations, and what became
 * of expired ones. The same semantics as the Lua scripts in `../redis`; one contract suite and a test of random
 * sequences hold them together. Every method is synchronous, hence atomic.
 */
import { addCharges, boundOf, subtractCharges } from '../../../domain/quota/amounts.ts'
import type { Charge } from '../../../domain/quota/amounts.ts'
import { decideRate, figuresOf } from '../../../domain/quota/decide-rate.ts'
import type { RateState } from '../../../domain/quota/decide-rate.ts'
import { decideSize, remainingOf, warningsOf } from '../../../domain/quota/decide.ts'
import type { PlannedScope, PlannedWindow, QuotaPlan } from '../../../domain/quota/limits.ts'
import type { QuotaNeed } from '../../../domain/quota/need.ts'
import { corrected, RATE_PARTS, requestRate, tokenParts, tokenRate } from '../../../domain/quota/rate.ts'
import { calendarWindow, rollingBucketMs } from '../../../domain/quota/windows.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { RESERVATION_LEASE_MS } from '../../pipeline/quota-port.ts'
import type { Admission, AdmissionRequest, Extension, Reservation } from '../../pipeline/quota-port.ts'
import { RateCounter } from './rate-counter.ts'
import { WindowCounter } from './window-counter.ts'

/** Expired reservations charged by one call: bounded work, and more than one call can add. */
export const SWEEP_LIMIT = 20
/** How long the end of an expired or unconfirmed reservation is remembered, and an ended window kept. */
export const RETENTION_MS = 3_600_000
/** Counters that nobody touched for so long go (a `Total` budget too). */
export const IDLE_MS = 400 * 86_400_000
const COLLECT_EVERY_MS = 60_000

interface OpenReservation {
  bound: Charge
  expiresAtMs: Milliseconds
  readonly windows: readonly { readonly id: string; readonly counter: WindowCounter }[]
  /** Scopes whose token bucket gave `parts`, and scopes in which it counts as concurrent. */
  readonly tokens: readonly { readonly scope: PlannedScope; readonly parts: number }[]
  readonly concurrent: readonly RateCounter[]
}

/** `expired`: charged at its bound at `atMs`, to be corrected by a late settlement. */
interface Ended {
  readonly atMs: Milliseconds
  readonly expired: Pick<OpenReservation, 'bound' | 'windows'> | undefined
}

export class OrganizationLedger {
  readonly #windows = new Map<string, WindowCounter>()
  readonly #rates = new Map<string, RateCounter>()
  /** In the order of expiry: renewing moves to the end. */
  readonly #open = new Map<string, OpenReservation>()
  readonly #ended = new Map<string, Ended>()
  #collectedMs = 0

  /** Nothing is kept for this organization any more. */
  get isEmpty(): boolean {
    return this.#windows.size + this.#rates.size + this.#open.size + this.#ended.size === 0
  }

  /** @returns undefined where the id was already used */
  admit({ id, plan, need }: AdmissionRequest, nowMs: Milliseconds): Admission | undefined {
    this.sweep(nowMs)
    if (this.#open.has(id) || this.#ended.has(id)) return undefined
    const states = this.#windowStates(nowMs)
    const rates = this.#rateStates(nowMs)
    const size = decideSize(plan, need, states)
    const refusal = size.type === 'refused' ? size : decideRate(plan, need, rates)
    if (refusal !== undefined) return { ...refusal, rateLimits: figuresOf(plan, rates) }
    const granted = size.type === 'fits' ? size.granted : 0
    this.#reserve(id, plan, need, boundOf(need, granted), nowMs)
    return {
      type: 'admitted',
      reservation: { id, plan, origin: 'store' },
      grantedOutputTokens: need.open === undefined ? undefined : granted,
      rateLimits: figuresOf(plan, this.#rateStates(nowMs)),
      warnings: warningsOf(plan, this.#windowStates(nowMs)),
      remaining: remainingOf(plan, this.#windowStates(nowMs)),
    }
  }

  extend({ id, plan }: Reservation, more: QuotaNeed, nowMs: Milliseconds): Extension {
    const open = this.#open.get(id)
    if (open === undefined) return { type: 'expired' }
    // In the windows of the admission, even where a new one has begun: the whole request belongs to one window.
    const counters = new Map<PlannedWindow, WindowCounter>()
    let index = 0
    for (const scope of plan.scopes) {
      for (const window of scope.windows) {
        const counter = open.windows[index++]?.counter
        if (counter !== undefined) counters.set(window, counter)
      }
    }
    for (const counter of counters.values()) counter.advance(nowMs)
    const empty = new WindowCounter(undefined, undefined)
    const size = decideSize(plan, more, (_scope, window) => counters.get(window) ?? empty, open.bound)
    if (size.type === 'refused') return { ...size, rateLimits: figuresOf(plan, this.#rateStates(nowMs)) }
    const bound = boundOf(more, size.granted)
    for (const { counter } of open.windows) counter.reserve(bound)
    open.bound = addCharges(open.bound, bound)
    this.renew(id, nowMs)
    return { type: 'extended', grantedOutputTokens: more.open === undefined ? undefined : size.granted }
  }

  renew(id: string, nowMs: Milliseconds): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    this.#open.delete(id)
    open.expiresAtMs = nowMs + RESERVATION_LEASE_MS
    this.#open.set(id, open)
  }

  settle({ id, plan, origin }: Reservation, actual: Charge, nowMs: Milliseconds): void {
    const open = this.#open.get(id)
    const ended = this.#ended.get(id)
    if (open !== undefined) this.#close(id, open, actual, nowMs)
    else if (ended?.expired !== undefined) this.#correct(ended.expired, ended.atMs, actual, nowMs)
    else if (ended === undefined && origin === 'unconfirmed') this.#chargePlan(plan, actual, nowMs)
    if (ended !== undefined || origin === 'unconfirmed') this.#ended.set(id, { atMs: nowMs, expired: undefined })
    this.#sweep(nowMs)
  }

  windowOf(scope: PlannedScope, window: PlannedWindow, nowMs: Milliseconds): WindowCounter {
    const { id, create } = windowIdentity(scope, window, nowMs)
    const counter = this.#windows.get(id) ?? create()
    counter.advance(nowMs)
    return counter
  }

  rateStateOf(scope: PlannedScope, nowMs: Milliseconds): RateState {
    const counter = this.#rates.get(scope.name) ?? new RateCounter()
    return {
      requestLevel: counter.requestLevel(scope.rateLimits, nowMs),
      tokenLevel: counter.tokenLevel(scope.rateLimits, nowMs),
      open: counter.open,
    }
  }

  /** Charges reservations that expired, and forgets what nobody can ask for any more. */
  sweep(nowMs: Milliseconds): void {
    this.#sweep(nowMs)
    if (nowMs - this.#collectedMs < COLLECT_EVERY_MS) return
    this.#collectedMs = nowMs
    for (const [id, { atMs }] of this.#ended) if (atMs + RETENTION_MS <= nowMs) this.#ended.delete(id)
    for (const [id, counter] of this.#windows) {
      const endMs = counter.endMs === undefined ? counter.touchedMs + IDLE_MS : counter.endMs + RETENTION_MS
      if (endMs <= nowMs) this.#windows.delete(id)
    }
    for (const [name, { open, touchedMs }] of this.#rates) {
      // A large burst takes hours to fill.
      if (open === 0 && touchedMs + IDLE_MS <= nowMs) this.#rates.delete(name)
    }
  }

  #windowStates(nowMs: Milliseconds) {
    const seen = new Map<PlannedWindow, WindowCounter>()
    return (scope: PlannedScope, window: PlannedWindow): WindowCounter => {
      const counter = seen.get(window) ?? this.windowOf(scope, window, nowMs)
      seen.set(window, counter)
      return counter
    }
  }

  #rateStates(nowMs: Milliseconds) {
    return (scope: PlannedScope) => this.rateStateOf(scope, nowMs)
  }

  #reserve(id: string, plan: QuotaPlan, need: QuotaNeed, bound: Charge, nowMs: Milliseconds): void {
    const windows = plan.scopes.flatMap((scope) =>
      scope.windows.map((window) => this.#keepWindow(scope, window, nowMs)),
    )
    for (const { counter } of windows) counter.reserve(bound)
    const tokens: { scope: PlannedScope; parts: number }[] = []
    const concurrent: RateCounter[] = []
    for (const scope of plan.scopes) {
      const { requestLevel, tokenLevel } = this.rateStateOf(scope, nowMs)
      const counter = this.#keepRate(scope, nowMs)
      if (requestRate(scope.rateLimits) !== undefined) counter.setRequests(requestLevel - RATE_PARTS, nowMs)
      const rate = tokenRate(scope.rateLimits)
      if (rate !== undefined) {
        const parts = tokenParts(rate, need.rateTokens)
        counter.setTokens(tokenLevel - parts, nowMs)
        tokens.push({ scope, parts })
      }
      if (scope.rateLimits.maxConcurrent !== undefined) {
        counter.enter()
        concurrent.push(counter)
      }
    }
    this.#open.set(id, { bound, expiresAtMs: nowMs + RESERVATION_LEASE_MS, windows, tokens, concurrent })
  }

  #close(id: string, open: OpenReservation, actual: Charge, nowMs: Milliseconds): void {
    this.#open.delete(id)
    for (const { id: windowId, counter } of open.windows) {
      this.#windows.set(windowId, counter)
      counter.advance(nowMs)
      counter.release(open.bound)
      counter.spend(actual, nowMs, nowMs)
    }
    for (const { scope, parts } of open.tokens) {
      const rate = tokenRate(scope.rateLimits)
      if (rate === undefined) continue
      const used = (actual.inputTokens + actual.outputTokens) * RATE_PARTS
      const { tokenLevel } = this.rateStateOf(scope, nowMs)
      this.#keepRate(scope, nowMs).setTokens(corrected(rate, tokenLevel, parts - used), nowMs)
    }
    for (const counter of open.concurrent) counter.leave()
  }

  #correct({ windows, bound }: NonNullable<Ended['expired']>, atMs: number, actual: Charge, nowMs: Milliseconds): void {
    for (const { counter } of windows) {
      counter.advance(nowMs)
      counter.spend(subtractCharges(actual, bound), atMs, nowMs)
    }
  }

  #chargePlan(plan: QuotaPlan, actual: Charge, nowMs: Milliseconds): void {
    for (const scope of plan.scopes) {
      for (const window of scope.windows) this.#keepWindow(scope, window, nowMs).counter.spend(actual, nowMs, nowMs)
    }
  }

  #sweep(nowMs: Milliseconds): void {
    let left = SWEEP_LIMIT
    for (const [id, open] of this.#open) {
      if (open.expiresAtMs > nowMs || left-- === 0) return
      this.#open.delete(id)
      for (const { counter } of open.windows) {
        counter.advance(nowMs)
        counter.release(open.bound)
        counter.spend(open.bound, nowMs, nowMs)
      }
      for (const counter of open.concurrent) counter.leave()
      this.#ended.set(id, { atMs: nowMs, expired: { bound: open.bound, windows: open.windows } })
    }
  }

  #keepWindow(scope: PlannedScope, window: PlannedWindow, nowMs: Milliseconds) {
    const { id, create } = windowIdentity(scope, window, nowMs)
    const counter = this.#windows.get(id) ?? create()
    counter.advance(nowMs)
    this.#windows.set(id, counter)
    return { id, counter }
  }

  #keepRate(scope: PlannedScope, nowMs: Milliseconds): RateCounter {
    const counter = this.#rates.get(scope.name) ?? new RateCounter()
    counter.touchedMs = nowMs
    this.#rates.set(scope.name, counter)
    return counter
  }
}

function windowIdentity(scope: PlannedScope, { window, reset }: PlannedWindow, nowMs: Milliseconds) {
  const bucketMs = reset === 'Rolling' ? rollingBucketMs(window) : undefined
  if (bucketMs !== undefined) {
    return { id: `${scope.name}:${window}:rolling`, create: () => new WindowCounter(undefined, bucketMs) }
  }
  const { startMs, endMs } = calendarWindow(window, nowMs)
  return { id: `${scope.name}:${window}:${startMs}`, create: () => new WindowCounter(endMs, undefined) }
}
