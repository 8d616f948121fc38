/**
 * What is known of one deployment: its health, the attempt that its breaker is waiting for, and whether it was told to be open.
 * The transitions are pure (`domain/routing/health.ts`); this holds their state.
 */
import type { Health } from '../../domain/routing/health.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { LeaveProvider, Now } from '../pipeline/ports.ts'
import {
  afterEntry,
  afterProbeWithoutVerdict,
  afterStraggler,
  latencyOf,
  mayTry,
  UNKNOWN_HEALTH,
} from '../../domain/routing/health.ts'

/** Called when the breaker opens, with the last failure's reason, and when it closes. */
export type OnChange = (change: 'opened' | 'closed', reason?: string) => void

/** How long a breaker counts as open that might be tried and that nobody tries. */
const UNTRIED_MS = 60_000

export class DeploymentHealth {
  readonly #now: Now
  readonly #onChange: OnChange
  #health: Health = UNKNOWN_HEALTH
  /** The attempt that decides a half-open breaker, and when it began. */
  #probe: { readonly attempt: LeaveProvider; readonly startedMs: Milliseconds } | undefined
  /** As `OnChange` was told last. */
  #isOpen = false
  /** When that was, the last time that it opened. */
  #openedMs: Milliseconds = -Infinity

  constructor(now: Now, onChange: OnChange) {
    this.#now = now
    this.#onChange = onChange
  }

  get current(): Health {
    return this.#health
  }

  /** Without traffic nobody finds out that a provider is well again: after a while that is taken for granted. */
  isOpenOrWas(nowMs: Milliseconds): boolean {
    const { breaker } = this.#health
    return breaker.type === 'half-open' || (breaker.type === 'open' && nowMs < breaker.untilMs + UNTRIED_MS)
  }

  /** After an attempt has begun to answer, or has ended. @param health what is known then, had it begun just now */
  learn(startedMs: Milliseconds, health: Health, reason?: string): void {
    const isStraggler = startedMs <= this.#openedMs
    this.#become(isStraggler ? afterStraggler(this.#health, health) : health, reason)
  }

  /** Nothing is known of it any more. */
  forget(): void {
    this.#probe = undefined
    this.#become(UNKNOWN_HEALTH)
    this.#openedMs = -Infinity
  }

  /** Whatever opened it does not count any more. */
  close(): void {
    this.#become({ ...this.#health, breaker: { type: 'closed', failures: 0 } })
  }

  /** @param longestMs an attempt cannot outlive this: a probe that has, was never given back */
  mayTry(longestMs: Milliseconds, nowMs: Milliseconds): boolean {
    if (this.#probe !== undefined && nowMs - this.#probe.startedMs > longestMs) this.#endProbe(nowMs)
    return mayTry(this.#health, nowMs)
  }

  /** When its trial probably has its verdict, by what an answer usually takes; 0: none is out, or nobody knows. */
  onTrialForMs(nowMs: Milliseconds): Milliseconds {
    if (this.#probe === undefined || this.#health.breaker.type !== 'half-open') return 0
    return Math.max(0, this.#probe.startedMs + (latencyOf(this.#health, nowMs) ?? 0) - nowMs)
  }

  /** An attempt begins: the breaker's trial, where its time is over. */
  enter(attempt: LeaveProvider, nowMs: Milliseconds): void {
    if (this.#health.breaker.type !== 'open') return
    this.#health = afterEntry(this.#health, nowMs)
    this.#probe = { attempt, startedMs: nowMs }
  }

  /** It has ended: where it was on trial and nobody has said how it ended, the next one decides. */
  left(attempt: LeaveProvider, nowMs: Milliseconds): void {
    if (this.#probe?.attempt === attempt) this.#endProbe(nowMs)
  }

  /** A breaker on trial has not closed. */
  #become(health: Health, reason?: string): void {
    this.#health = health
    const isOpen = health.breaker.type !== 'closed'
    if (isOpen === this.#isOpen) return
    this.#isOpen = isOpen
    if (isOpen) this.#openedMs = this.#now()
    this.#onChange(isOpen ? 'opened' : 'closed', reason)
  }

  #endProbe(nowMs: Milliseconds): void {
    this.#probe = undefined
    this.#health = afterProbeWithoutVerdict(this.#health, nowMs)
  }
}
