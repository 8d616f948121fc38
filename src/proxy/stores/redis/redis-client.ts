/**
 * A Redis connection that never makes a caller wait longer than its bound, whether Redis is closed, restarting, failing
 * over or frozen (stopped with its sockets open, so that nothing ever answers).
 *
 *   opening --ok--> ready --lost, or stalled--> opening (backoff with jitter, without end)
 *      ^  |                                        |
 *      `--' failed                                 `--> closed
 *
 * - A call without a connection is refused at once: nothing queues while offline.
 * - A call that is not answered in time is given up; its answer, should it come, is thrown away. Its time is one bound
 *   where Redis answers nothing at all, and up to five where it is only busy. While answers are owed for a second after
 *   such a timeout the connection counts as stalled and is replaced.
 * - The number of unanswered calls is bounded.
 * - An error tells whether the call may have been executed all the same.
 */
import type { RedisScript } from '../../../crypto/redis-script.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { Generation } from './redis-call.ts'
import type { GenerationEvents, Recover } from './redis-call.ts'
import { callError, isWrongServer, RedisUnavailableError, unreachableError } from './redis-errors.ts'
import { openTarget, pauseAfter, PAUSE_MAX_MS, type Target } from './redis-opening.ts'
import { ScriptRunner } from './script-runner.ts'
import { parseRedisUrl } from './redis-url.ts'
import type { RedisAddress } from './redis-url.ts'
import type { RedisArgument, RedisTls } from './redis-wire.ts'

/** Bound of a call where none is given: two orders of magnitude above a healthy round trip. @see DESIGN section 8 */
const CALL_TIMEOUT_MS = 50
/** A connection that owes an answer for so long after a call timed out is replaced. */
const STALL_MS = 1_000
/** Far above what a sidecar has in flight; what is beyond would time out anyway. */
const MAX_IN_FLIGHT = 2_048

export interface RedisOptions {
  readonly tls?: RedisTls
  readonly callTimeoutMs?: Milliseconds
  readonly stallMs?: Milliseconds
  readonly maxInFlight?: number
  /** 0..1, for the jitter. */
  readonly random?: () => number
  /** Told when it is opened, and when it is lost or a try to open it fails: `cause` says why. */
  readonly onChange?: (ready: boolean, cause: Error | undefined) => void
}

export interface CallOptions {
  readonly timeoutMs?: Milliseconds
  /** Bulk replies as bytes instead of text. */
  readonly returnBuffers?: boolean
}

/**
 * Starts connecting in the background; calls are refused until it has succeeded once.
 * @throws {TypeError} where the address is malformed
 */
export function connectRedis(url: string, options: RedisOptions = {}): RedisConnection {
  return new RedisConnection(parseRedisUrl(url), options)
}

/** A connection that is told its address later, by `redirect`; calls are refused until then. */
export function unconnectedRedis(options: RedisOptions = {}): RedisConnection {
  return new RedisConnection(undefined, options)
}

export class RedisConnection {
  readonly #options: RedisOptions
  readonly #callTimeoutMs: Milliseconds
  readonly #stallMs: Milliseconds
  readonly #maxInFlight: number
  readonly #closing = new AbortController()
  readonly #waiters = new Set<() => void>()
  readonly #callEvents: GenerationEvents = {
    stalled: (generation) => this.#lost(generation, new Error('Redis has stopped answering')),
    failed: (error, generation) => this.#judge(error, generation),
  }
  readonly #scripts = new ScriptRunner()
  #target: Target | undefined
  #generation: Generation | undefined
  #opening: Promise<void> | undefined
  /** Why the last try to open failed. */
  #lastError: unknown
  #failures = 0

  constructor(address: RedisAddress | undefined, options: RedisOptions) {
    this.#target = address && { address, tls: options.tls ?? {} }
    this.#options = options
    this.#callTimeoutMs = options.callTimeoutMs ?? CALL_TIMEOUT_MS
    this.#stallMs = options.stallMs ?? STALL_MS
    this.#maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT
    this.#reopen()
  }

  /** Whether calls are sent at all. A frozen server is found out by the first calls only. */
  get ready(): boolean {
    return this.#generation !== undefined
  }

  /** Whether its nodes share the keys: then a script has those of one node only. */
  get isCluster(): boolean {
    return this.#target?.address.type === 'cluster'
  }

  /** Calls sent and not answered. */
  get inFlight(): number {
    return this.#generation?.inFlight ?? 0
  }

  /** Resolves when ready, or when the time is over; tells which. */
  async waitUntilReady(timeoutMs: Milliseconds): Promise<boolean> {
    if (this.ready || this.#closing.signal.aborted) return this.ready
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiters.delete(done)
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      this.#waiters.add(done)
    })
    return this.ready
  }

  /** Resolves when ready. @throws {Error} where it is not in time: says why, for people */
  async requireReady(timeoutMs: Milliseconds): Promise<void> {
    if (await this.waitUntilReady(timeoutMs)) return
    throw unreachableError(this.#lastError)
  }

  /**
   * Sends one command.
   * @param key the command's first key: decides the node of a cluster
   * @param args not to be changed afterwards: they are encoded later
   * @param recover asked at an error reply, before it is thrown
   * @throws {RedisUnavailableError}; an error reply of the server that says nothing about its health is thrown as it is
   */
  send(key: string, args: readonly RedisArgument[], options?: CallOptions, recover?: Recover): Promise<unknown> {
    const generation = this.#generation
    if (generation === undefined || generation.inFlight >= this.#maxInFlight) return refused(generation)
    const reply = generation.wire.send(key, args, options?.returnBuffers ?? false)
    return generation.awaitReply(reply, options?.timeoutMs ?? this.#callTimeoutMs, recover)
  }

  /** One command to every master of a cluster, elsewhere to the one server: for what is no key. @throws as `send` */
  async sendToAll(args: readonly RedisArgument[], options?: CallOptions): Promise<readonly unknown[]> {
    const generation = this.#generation
    if (generation === undefined || generation.inFlight >= this.#maxInFlight) return refused(generation)
    const reply = generation.wire.sendToAll(args)
    const replies = await generation.awaitReply(reply, options?.timeoutMs ?? this.#callTimeoutMs)
    return Array.isArray(replies) ? replies : []
  }

  /** Runs a script by its digest; one round trip unless the server has forgotten it. @throws as `send` */
  run(
    script: RedisScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    options?: CallOptions,
  ): Promise<unknown> {
    return this.#scripts.run(script, keys, args, (command, recover) => this.send(keys[0], command, options, recover))
  }

  /**
   * Goes over to another address, login or CA. The connection in use serves until the new one is open.
   * @throws {TypeError} where the address is malformed
   */
  redirect(url: string, tls: RedisTls = {}): void {
    this.#target = { address: parseRedisUrl(url), tls }
    this.#reopen()
  }

  /** Ends all calls and the connection. */
  async close(): Promise<void> {
    this.#closing.abort()
    const generation = this.#generation
    this.#generation = undefined
    generation?.retire()
    for (const done of this.#waiters) done()
    await this.#opening
  }

  #judge(error: unknown, generation: Generation): unknown {
    if (isWrongServer(error)) this.#lost(generation, error)
    return callError(error)
  }

  /** A cluster's wire serves the nodes that are left until the new one is open; any other is of no use. */
  #lost(generation: Generation, cause: Error): void {
    if (this.#generation !== generation || this.#closing.signal.aborted) return
    if (this.#target?.address.type !== 'cluster') {
      this.#generation = undefined
      generation.retire()
      this.#options.onChange?.(false, cause)
    }
    this.#reopen()
  }

  #reopen(): void {
    if (this.#target === undefined) return
    this.#opening ??= this.#openUntilDone().finally(() => {
      this.#opening = undefined
    })
  }

  async #openUntilDone(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      if (this.#failures > 0) await pauseAfter(this.#failures, this.#options.random ?? Math.random, signal)
      if (signal.aborted) return
      const target = this.#target
      if (target === undefined) return
      this.#failures++
      const opened = await this.#open(target, signal)
      // Redirected meanwhile: what was opened serves until the right one is.
      if (opened && target === this.#target) return
    }
  }

  async #open(target: Target, closing: AbortSignal): Promise<boolean> {
    let generation: Generation | undefined
    const onLost = (cause: Error) => {
      if (generation !== undefined) this.#lost(generation, cause)
    }
    try {
      const wire = await openTarget(target, this.#failures, { maxInFlight: this.#maxInFlight, onLost }, closing)
      generation = new Generation(wire, this.#stallMs, this.#callEvents)
    } catch (error) {
      this.#lastError = error
      // A cluster's old wire may still serve in part, or not at all.
      const isMissed = !this.ready || target.address.type === 'cluster'
      if (!closing.aborted && isMissed) this.#options.onChange?.(false, error instanceof Error ? error : undefined)
      return false
    }
    this.#swap(generation, closing.aborted)
    return true
  }

  #swap(generation: Generation, closed: boolean): void {
    if (closed) return generation.retire()
    const old = this.#generation
    this.#generation = generation
    if (old !== undefined) setTimeout(() => old.retire(), this.#stallMs).unref()
    this.#settleFailures(generation)
    this.#options.onChange?.(true, undefined)
    for (const done of this.#waiters) done()
  }

  /** Only a connection that lasted resets the backoff: one that breaks at once must not be retried without pause. */
  #settleFailures(generation: Generation): void {
    setTimeout(() => {
      if (this.#generation === generation) this.#failures = 0
    }, PAUSE_MAX_MS).unref()
  }
}

function refused(generation: Generation | undefined): Promise<never> {
  const reason = generation === undefined ? 'not connected to Redis' : 'too many Redis calls in flight'
  return Promise.reject(new RedisUnavailableError(reason, false))
}
