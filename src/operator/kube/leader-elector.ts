/**
 * One leader among several processes, by a Lease.
 *
 *   candidate --free, or unchanged for its whole duration: written with the version that was read--> leader
 *   leader --renews every 2 s--> leader;  --not renewed for 10 s, or somebody else holds it--> lost (for good)
 *
 * - Expiry is judged by how long this process saw the record unchanged, never by comparing clocks of machines.
 * - Each write carries the resource version that it follows, so of two only one succeeds.
 * - `epoch` grows with every leader. A leader that was frozen does not know yet that it is none: whatever it writes
 *   outside Kubernetes must carry the epoch, and the receiver must refuse a lower one than it has seen.
 * - A process that lost must end (`onLost`): its queues and timers still believe.
 */
import type { KubeClient } from './kube-api.ts'
import { KubeError } from './kube-error.ts'
import type { KubeObject } from './kube-object.ts'
import { firstTransitions, MAX_TRANSITIONS, microTime, newLease, readLease, renderLeaseSpec } from './lease.ts'
import type { LeaseRecord } from './lease.ts'
import { errorFields } from './log.ts'
import type { Log } from './log.ts'
import { LEASES } from './resource.ts'
import { pause } from './timing.ts'
import type { Milliseconds, Timing } from './timing.ts'

/** As client-go's defaults. */
const LEASE_DURATION_MS = 15_000
const RENEW_DEADLINE_MS = 10_000
const RETRY_PERIOD_MS = 2_000
const MAX_CALL_MS = 5_000
const MIN_CALL_MS = 500
const RELEASE_CALL_MS = 2_000

export interface LeaderElectorOptions {
  /** Not shared with the controllers: its calls must not wait behind theirs. */
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace'>
  readonly namespace: string
  readonly name: string
  /** Differs for each process, also between two runs in one pod. */
  readonly identity: string
  readonly timing: Timing
  readonly log: Log
  /** Called once, when this process becomes the leader. */
  readonly onElected: (epoch: number) => void
  /** Called once, when it is the leader no more without having been stopped. */
  readonly onLost: (reason: string) => void
  /** Others wait so long for a leader that is silent. */
  readonly leaseDurationMs?: Milliseconds
  /** A leader gives up so long after its last renewal: less than the duration, so that it knows before the others. */
  readonly renewDeadlineMs?: Milliseconds
  readonly retryPeriodMs?: Milliseconds
}

/** The Lease as it was last read or written here. */
interface Known {
  readonly lease: KubeObject
  readonly record: LeaseRecord
}

export class LeaderElector {
  readonly #options: LeaderElectorOptions
  readonly #durationMs: Milliseconds
  readonly #deadlineMs: Milliseconds
  readonly #periodMs: Milliseconds
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #known: Known | undefined
  /** Since when the record of another holder has not changed. */
  #unchangedSince: Milliseconds = 0
  #leading = false
  #renewedAt: Milliseconds = 0
  #acquireTime = ''
  #epoch: number | undefined
  #highestEpoch = -1
  #lastFailure = ''

  constructor(options: LeaderElectorOptions) {
    this.#options = options
    this.#durationMs = options.leaseDurationMs ?? LEASE_DURATION_MS
    this.#deadlineMs = options.renewDeadlineMs ?? RENEW_DEADLINE_MS
    this.#periodMs = options.retryPeriodMs ?? RETRY_PERIOD_MS
    if (this.#periodMs >= this.#deadlineMs || this.#deadlineMs >= this.#durationMs) {
      throw new TypeError('a lease needs retry period < renew deadline < duration')
    }
  }

  /** Whether others still have to respect this leader. Ask right before each write: it turns false by time alone. */
  get isLeader(): boolean {
    return this.#leading && this.#options.timing.elapsed() - this.#renewedAt < this.#deadlineMs
  }

  /** Of this leadership; undefined for a candidate. */
  get epoch(): number | undefined {
    return this.#epoch
  }

  /** Whom the Lease named when it was last seen; empty: nobody. */
  get holder(): string {
    return this.#known?.record.holder ?? ''
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /**
   * Gives the Lease back if this is the leader, so that another follows within a second, with a higher epoch than `above`.
   * Stop the controllers before.
   */
  async stop(above = 0): Promise<void> {
    this.#stopping.abort()
    await this.#running
    if (this.#leading) await this.#release(above)
    this.#leading = false
  }

  async #run(): Promise<void> {
    const { timing } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const lost = await this.#round()
      if (signal.aborted) return
      if (lost !== undefined) return this.#lose(lost)
      await pause(timing, this.#waitMs(), signal)
    }
  }

  /** One try to get or keep the Lease; why it is lost, if it is. */
  async #round(): Promise<string | undefined> {
    const { timing } = this.#options
    try {
      const lost = this.#leading ? await this.#renew() : await this.#acquire()
      this.#lastFailure = ''
      return lost
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#report(error)
      const late = this.#leading && timing.elapsed() - this.#renewedAt >= this.#deadlineMs
      return late ? `not renewed for ${this.#deadlineMs} ms` : undefined
    }
  }

  /** Each failure once, not once a second; that another candidate was faster is none. */
  #report(error: unknown): void {
    if (!this.#leading && error instanceof KubeError && error.isConflict) return
    const fields = errorFields(error)
    const failure = JSON.stringify(fields)
    if (failure !== this.#lastFailure) this.#options.log.warn(fields, 'leader election failed')
    this.#lastFailure = failure
  }

  async #acquire(): Promise<string | undefined> {
    const found = await this.#read()
    const { timing } = this.#options
    const startedAt = timing.elapsed()
    if (found === undefined) {
      const epoch = Math.max(firstTransitions(timing.now()), this.#highestEpoch + 1)
      return this.#becomeLeader(await this.#create(this.#recordOf(epoch, microTime(timing.now()))), startedAt)
    }
    if (!this.#isFree(found.record)) return undefined
    const record = this.#recordOf(Math.max(found.record.transitions, this.#highestEpoch) + 1, microTime(timing.now()))
    return this.#becomeLeader(await this.#write(found, record), startedAt)
  }

  async #renew(): Promise<string | undefined> {
    const { timing } = this.#options
    const known = this.#known
    const record = this.#recordOf(this.#epoch ?? 0, this.#acquireTime)
    const startedAt = timing.elapsed()
    try {
      if (known !== undefined) await this.#write(known, record)
    } catch (error) {
      if (!(error instanceof KubeError) || !(error.isConflict || error.isNotFound)) throw error
      const found = await this.#read()
      // Written by this process without hearing the answer, or only its labels were edited: still ours.
      if (found === undefined) await this.#create(record)
      else if (this.#isOurs(found.record)) await this.#write(found, record)
      else return `${found.record.holder === '' ? 'nobody' : found.record.holder} holds the lease`
    }
    this.#renewedAt = startedAt
    return undefined
  }

  async #release(above: number): Promise<void> {
    const { log, name } = this.#options
    try {
      const found = await this.#read(RELEASE_CALL_MS)
      if (found === undefined || !this.#isOurs(found.record)) return
      const transitions = Math.max(found.record.transitions, Math.min(above, MAX_TRANSITIONS - 1))
      const record = { ...this.#recordOf(transitions, this.#acquireTime), holder: '', durationMs: 1_000 }
      await this.#write(found, record, RELEASE_CALL_MS)
      log.info({ lease: name }, 'lease released')
    } catch (error) {
      log.warn({ lease: name, ...errorFields(error) }, 'lease not released')
    }
  }

  #becomeLeader(known: Known, startedAt: Milliseconds): string | undefined {
    const { log, name, identity, onElected } = this.#options
    const epoch = known.record.transitions
    this.#acquireTime = known.record.acquireTime ?? ''
    this.#renewedAt = startedAt
    this.#epoch = epoch
    this.#leading = true
    log.info({ lease: name, identity, epoch }, 'became leader')
    try {
      onElected(epoch)
      return undefined
    } catch (error) {
      log.error({ lease: name, ...errorFields(error) }, 'leader could not start')
      return 'the leader could not start'
    }
  }

  #lose(reason: string): void {
    const { log, name, onLost } = this.#options
    this.#leading = false
    this.#epoch = undefined
    log.error({ lease: name, cause: reason }, 'leadership lost')
    try {
      onLost(reason)
    } catch (error) {
      log.error({ lease: name, ...errorFields(error) }, 'leader could not stop')
    }
  }

  #isFree(record: LeaseRecord): boolean {
    // A holder with this very name is an earlier life of this process, or a write whose answer was lost.
    return record.holder === '' || record.holder === this.#options.identity || this.#expiresInMs(record) <= 0
  }

  #isOurs(record: LeaseRecord): boolean {
    return record.holder === this.#options.identity && record.transitions === this.#epoch
  }

  #expiresInMs(record: LeaseRecord): Milliseconds {
    return this.#unchangedSince + record.durationMs - this.#options.timing.elapsed()
  }

  /** Leaders renew once a period; candidates look twice as often, and exactly when the Lease runs out. */
  #waitMs(): Milliseconds {
    const { timing } = this.#options
    if (this.#leading && this.#lastFailure === '') return this.#periodMs
    const pollMs = (this.#periodMs / 2) * (0.9 + 0.2 * timing.random())
    if (this.#known === undefined || this.#known.record.holder === '') return pollMs
    const expiresInMs = this.#expiresInMs(this.#known.record)
    // When it has run out already, the try to take it has just failed.
    return expiresInMs <= 0 ? pollMs : Math.max(10, Math.min(pollMs, expiresInMs))
  }

  async #read(timeoutMs?: Milliseconds): Promise<Known | undefined> {
    const { client, namespace, name } = this.#options
    try {
      return this.#remember(await client.get(LEASES, { namespace, name }, this.#bounds(timeoutMs)))
    } catch (error) {
      if (error instanceof KubeError && error.isNotFound) return undefined
      throw error
    }
  }

  async #create(record: LeaseRecord): Promise<Known> {
    const { client, namespace, name } = this.#options
    return this.#remember(await client.create(LEASES, newLease(namespace, name, record), this.#bounds()))
  }

  async #write({ lease }: Known, record: LeaseRecord, timeoutMs?: Milliseconds): Promise<Known> {
    const next = { ...lease, spec: renderLeaseSpec(record) }
    return this.#remember(await this.#options.client.replace(LEASES, next, this.#bounds(timeoutMs)))
  }

  #remember(lease: KubeObject): Known {
    const record = readLease(lease)
    const isNews = this.#known === undefined || JSON.stringify(record) !== JSON.stringify(this.#known.record)
    if (isNews) this.#unchangedSince = this.#options.timing.elapsed()
    this.#highestEpoch = Math.max(this.#highestEpoch, record.transitions)
    this.#known = { lease, record }
    return this.#known
  }

  #recordOf(transitions: number, acquireTime: string): LeaseRecord {
    const { identity, timing } = this.#options
    return {
      holder: identity,
      durationMs: this.#durationMs,
      acquireTime,
      renewTime: microTime(timing.now()),
      transitions,
    }
  }

  /** A leader's call must end before its deadline does. */
  #bounds(timeoutMs?: Milliseconds): { timeoutMs: Milliseconds; signal?: AbortSignal } {
    if (timeoutMs !== undefined) return { timeoutMs }
    const leftMs = this.#leading ? this.#renewedAt + this.#deadlineMs - this.#options.timing.elapsed() : MAX_CALL_MS
    return { timeoutMs: Math.max(MIN_CALL_MS, Math.min(MAX_CALL_MS, leftMs)), signal: this.#stopping.signal }
  }
}
