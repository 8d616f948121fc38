/**
 * The calls on one opened connection, and how long they are waited for. One clock serves them all: a healthy Redis
 * answers within a hundredth of a call's bound, and a timer for each call would only be made to be cancelled.
 */
import { LinkedList, type Linked } from '../../../domain/linked-list.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { BusyPoll } from '../../busy-poll.ts'
import { RedisUnavailableError } from './redis-errors.ts'
import type { RedisWire } from './redis-wire.ts'

/** A call waits so many times its bound as long as Redis answers others meanwhile. */
const BUSY_ROUNDS = 5

/** Another call in the place of one that was answered with `error`; undefined: there is none. */
export type Recover = (error: unknown) => Promise<unknown> | undefined

export interface GenerationEvents {
  /** An answer has been owed for `stallMs` after its call was given up. */
  stalled(generation: Generation): void
  /** What the caller is to be told of an error. */
  failed(error: unknown, generation: Generation): unknown
}

/** A call whose caller waits. */
interface Call extends Linked<Call> {
  readonly timeoutMs: Milliseconds
  readonly refuse: (error: Error) => void
  round: number
  /** When its round ends, in time of the process. */
  deadlineMs: Milliseconds
  /** How many replies had come when its round began. */
  repliesBefore: number
  answered: boolean
  /** Its caller has been refused. */
  givenUp: boolean
}

/** One opened wire and what it owes. */
export class Generation {
  readonly wire: RedisWire
  readonly #stallMs: Milliseconds
  readonly #events: GenerationEvents
  readonly #waiting = new LinkedList<Call>()
  readonly #replyPoll = new BusyPoll()
  #inFlight = 0
  /** Calls that have ended, however. */
  #replies = 0
  #clock: NodeJS.Timeout | undefined
  /** When the clock rings; meaningful while there is one. */
  #clockMs: Milliseconds = 0
  #stallTimer: NodeJS.Timeout | undefined

  constructor(wire: RedisWire, stallMs: Milliseconds, events: GenerationEvents) {
    this.wire = wire
    this.#stallMs = stallMs
    this.#events = events
  }

  /** Calls sent and not answered, given up or not. */
  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * The reply in time or a refusal; a reply that comes later only settles what the connection owes.
   * @param recover what becomes of an error reply in time instead; given here, because a promise for it would cost every call
   */
  awaitReply(reply: Promise<unknown>, timeoutMs: Milliseconds, recover?: Recover): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = this.#begin(timeoutMs, reject)
      reply.then(
        (value) => {
          this.#end(call)
          return resolve(value)
        },
        (error: unknown) => {
          this.#end(call)
          // Who has been refused has settled for that: a second try would do what nobody reckons with any more.
          const recovery = call.givenUp ? undefined : recover?.(error)
          if (recovery === undefined) reject(this.#events.failed(error, this))
          else resolve(recovery)
        },
      )
    })
  }

  /** Ends the wire and all calls on it. */
  retire(): void {
    clearTimeout(this.#stallTimer)
    if (this.#waiting.first === undefined) {
      clearTimeout(this.#clock)
      this.#clock = undefined
    }
    this.wire.destroy()
  }

  #begin(timeoutMs: Milliseconds, refuse: (error: Error) => void): Call {
    const deadlineMs = performance.now() + timeoutMs
    const call: Call = {
      timeoutMs,
      refuse,
      round: 1,
      deadlineMs,
      repliesBefore: this.#replies,
      answered: false,
      givenUp: false,
      previous: undefined,
      next: undefined,
    }
    this.#inFlight++
    this.#replyPoll.asked()
    this.#waiting.add(call)
    if (this.#clock === undefined || deadlineMs < this.#clockMs) this.#setClock(deadlineMs, timeoutMs)
    return call
  }

  #end(call: Call): void {
    call.answered = true
    this.#inFlight--
    this.#replyPoll.came(this.#inFlight > 0)
    this.#replies++
    this.#waiting.remove(call)
  }

  /** @param inMs below zero where it is late already */
  #setClock(atMs: Milliseconds, inMs: Milliseconds): void {
    clearTimeout(this.#clock)
    this.#clockMs = atMs
    this.#clock = setTimeout(
      () => {
        const rangMs = performance.now()
        // What has arrived while this process was busy is read before the check phase: it is not Redis that was late.
        setImmediate(() => this.#judgeLate(rangMs))
      },
      Math.max(1, Math.ceil(inMs)),
    )
  }

  #judgeLate(rangMs: Milliseconds): void {
    const nowMs = performance.now()
    let nextMs = Infinity
    for (const call of this.#waiting) {
      if (call.deadlineMs <= rangMs && !this.#goesOn(call, nowMs)) this.#giveUp(call)
      else if (call.deadlineMs < nextMs) nextMs = call.deadlineMs
    }
    if (nextMs < Infinity) this.#setClock(nextMs, nextMs - nowMs)
    else this.#clock = undefined
  }

  /** Replies come in order: a Redis that answers what was asked before is busy, not frozen. */
  #goesOn(call: Call, nowMs: Milliseconds): boolean {
    if (call.repliesBefore === this.#replies || call.round === BUSY_ROUNDS) return false
    call.round++
    call.repliesBefore = this.#replies
    call.deadlineMs = nowMs + call.timeoutMs
    return true
  }

  #giveUp(call: Call): void {
    call.givenUp = true
    this.#waiting.remove(call)
    this.#watchStall(call)
    call.refuse(new RedisUnavailableError(`no answer of Redis within ${call.timeoutMs * call.round} ms`, true))
  }

  #watchStall(call: Call): void {
    if (this.#stallTimer !== undefined) return
    this.#stallTimer = setTimeout(() => {
      this.#stallTimer = undefined
      if (!call.answered) this.#events.stalled(this)
    }, this.#stallMs)
    this.#stallTimer.unref()
  }
}
