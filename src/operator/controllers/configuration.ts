/**
 * The one configuration of the cluster: built anew some time after any change, many changes at once, and published by
 * the leader.
 *
 *   change --100 ms quiet, 500 ms at most--> build --leader--> publish --> told to the statuses
 *                                                     |  failed: again, with a growing wait
 *                                                     `- fenced: this process must end
 *
 * - Every replica builds (sidecars ask any of them for credentials); only the leader writes.
 * - Each five seconds a look whether Redis still holds what was published, so that an emptied one is filled again within
 *   ten; each ten minutes all of it is compared.
 * - An expiry needs no event: the next one has a timer.
 */
import type { ShardContent } from '../../domain/snapshot/shards.ts'
import type { KeyDigest, Snapshot } from '../../domain/snapshot/snapshot.ts'
import { Backoff } from '../kube/backoff.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import { Repetition } from '../kube/repetition.ts'
import type { Cancel, Milliseconds, Timing } from '../kube/timing.ts'
import { TokenBucket } from '../kube/token-bucket.ts'
import { FencedError } from '../publish/publisher.ts'
import type { Publisher } from '../publish/publisher.ts'
import { BuildError, makeBuild } from './build.ts'
import type { Build, BuildOptions } from './build.ts'
import type { Problem } from './status.ts'

const QUIET_MS = 100
const MAX_WAIT_MS = 500
/**
 * Of each second, where changes keep coming: a build takes as long as there are keys, and thousands of new ones come with
 * pauses, in each of which it is quiet.
 */
const BUILDING_MS_PER_SECOND = 125
/** Building that waits for nothing but quiet: a few changes after a while without any. */
const BUILDING_BURST_MS = 500
/** But no change waits longer for it: what is revoked must be out within about two seconds. */
const MAX_PACE_MS = 1_500
const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 5_000
const LOOK_MS = 5_000
const RESYNC_MS = 10 * 60_000
const MAX_EXPIRY_STEP_MS = 10_000

export interface ConfigurationOptions extends Omit<BuildOptions, 'digests' | 'nowMs'> {
  readonly timing: Timing
  readonly log: Log
  /** What is published now, by any leader: the digests of each key. @throws where Redis does not answer. */
  readonly digestsInForce: () => Promise<ReadonlyMap<string, readonly KeyDigest[]>>
  /** Before a publication, by the leader: what it relies on. @throws then it is tried again */
  readonly onPublish: (build: Build) => Promise<void>
  /** After each build, and after each end of a publication. Must not throw. */
  readonly onBuilt: (build: Build) => void
  readonly onPublished: (build: Build) => void
  readonly onPublicationFailed: (problem: Problem) => void
  /** For people: which store does not take the configuration, and why. */
  readonly storeTrouble: (error: unknown) => string
  /** So many shards were not what had been published. */
  readonly onRepaired: (shards: number) => void
  /** Each few seconds, by the leader: what else was set in Redis may be lost as well. Must not throw. */
  readonly onLook: () => void
  /** A later leader has written. */
  readonly onFenced: (epoch: number) => void
}

/** What the leader publishes with, and whether it still leads. */
export interface Publication {
  readonly publisher: Publisher
  readonly isLeader: () => boolean
  /** Whether Redis seems to hold what was published: a cheap look. @throws where Redis does not answer. */
  readonly look: (shards: readonly ShardContent[]) => Promise<boolean>
}

export class Configuration {
  readonly #options: ConfigurationOptions
  readonly #retry: Backoff
  readonly #failures: Repetition
  #publication: Publication | undefined
  #build: Build | undefined
  #cancelWait: Cancel | undefined
  #cancelExpiry: Cancel | undefined
  #cancelLook: Cancel | undefined
  #cancelRetry: Cancel | undefined
  #waitingSince: Milliseconds | undefined
  #working: Promise<void> = Promise.resolve()
  #busy = false
  #again = false
  #started = false
  #stopped = false
  /** By key, of the latest build; before the first one, and where another process may have published, as Redis has them. */
  #digests: ReadonlyMap<string, readonly KeyDigest[]> = new Map()
  #areDigestsKnown = false
  #lastBuildMs: Milliseconds = 0
  /** Tokens are milliseconds of building. */
  readonly #building: TokenBucket
  #notBefore: Milliseconds = 0
  #lastResync: Milliseconds = 0
  #resyncMs: Milliseconds = RESYNC_MS

  constructor(options: ConfigurationOptions) {
    this.#options = options
    this.#retry = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS, options.timing)
    this.#failures = new Repetition(options.timing.elapsed.bind(options.timing))
    this.#building = new TokenBucket(BUILDING_MS_PER_SECOND, BUILDING_BURST_MS, options.timing)
  }

  /** The latest; undefined before the first. */
  get build(): Build | undefined {
    return this.#build
  }

  /** From now on changes count: the view is complete. */
  start(): void {
    this.#started = true
    this.request()
  }

  /** This process leads. */
  lead(publication: Publication): void {
    this.#publication = publication
    this.#areDigestsKnown = false
    this.#notBefore = 0
    this.#lastResync = this.#options.timing.elapsed()
    this.#scheduleLook()
    this.request()
  }

  /** Something may have changed. */
  request(): void {
    if (!this.#started || this.#stopped) return
    const now = this.#options.timing.elapsed()
    this.#waitingSince ??= now
    this.#cancelWait?.()
    const quietAt = Math.min(now + Math.max(QUIET_MS, this.#lastBuildMs), this.#waitingSince + MAX_WAIT_MS)
    const beginAt = Math.max(quietAt, this.#notBefore)
    this.#cancelWait = this.#options.timing.after(Math.max(0, beginAt - now), () => this.#begin())
  }

  /** Ends what is under way and begins nothing more. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const cancel of [this.#cancelWait, this.#cancelExpiry, this.#cancelLook, this.#cancelRetry]) cancel?.()
    await this.#working
  }

  #begin(): void {
    this.#waitingSince = undefined
    if (this.#busy) {
      this.#again = true
      return
    }
    this.#working = this.#exclusively(() => this.#round())
  }

  /** One at a time; never rejects. */
  async #exclusively(work: () => Promise<void>): Promise<void> {
    this.#busy = true
    try {
      await work()
    } catch (error) {
      if (error instanceof FencedError) return this.#options.onFenced(error.epoch)
      this.#failed(error)
    } finally {
      this.#busy = false
      if (this.#again) {
        this.#again = false
        this.request()
      }
    }
  }

  #failed(error: unknown): void {
    const { log, timing, onPublicationFailed } = this.#options
    const fields = errorFields(error)
    if (this.#failures.isDue(JSON.stringify(fields))) log.warn(fields, 'configuration not published')
    if (this.#publication !== undefined) onPublicationFailed(this.#problemOf(error))
    // One, whoever failed: each look that fails meanwhile would begin a row of attempts of its own.
    this.#cancelRetry ??= timing.after(this.#retry.next(), () => {
      this.#cancelRetry = undefined
      this.request()
    })
  }

  async #round(): Promise<void> {
    const problem = await this.#learnDigests()
    const build = this.#make()
    this.#build = build
    this.#options.onBuilt(build)
    const publication = this.#publication
    if (publication === undefined || this.#stopped || !publication.isLeader()) return
    // It could revoke keys whose Secrets cannot be read, and the former texts of brought ones.
    if (problem !== undefined) throw problem
    await this.#options.onPublish(build)
    const outcome = await publication.publisher.publish(build.shards)
    if (outcome.type === 'fenced') throw new FencedError(outcome.epoch)
    this.#retry.reset()
    this.#failures.over()
    const { written, removed } = outcome
    if (written + removed > 0) this.#options.log.info({ written, removed }, 'configuration published')
    this.#options.onPublished(build)
  }

  /** Why they are not known. */
  async #learnDigests(): Promise<Error | undefined> {
    if (this.#areDigestsKnown) return undefined
    try {
      this.#digests = await this.#options.digestsInForce()
      this.#areDigestsKnown = true
      return undefined
    } catch (error) {
      return error instanceof Error ? error : new Error('what is published could not be read', { cause: error })
    }
  }

  #make(): Build {
    const { timing } = this.#options
    const startedAt = timing.elapsed()
    const nowMs = timing.now()
    const build = makeBuild({ ...this.#options, digests: this.#digests, nowMs })
    this.#digests = new Map(build.snapshot.virtualKeys.map(({ id, digests }) => [id, digests]))
    this.#scheduleExpiry(build.snapshot, nowMs)
    const endedAt = timing.elapsed()
    this.#lastBuildMs = endedAt - startedAt
    this.#notBefore = endedAt + Math.min(MAX_PACE_MS, this.#building.reserve(this.#lastBuildMs))
    return build
  }

  #scheduleExpiry({ virtualKeys }: Snapshot, nowMs: Milliseconds): void {
    this.#cancelExpiry?.()
    let next: Milliseconds | undefined
    for (const { expiresAtMs, digests } of virtualKeys) {
      for (const time of [expiresAtMs, ...digests.map(({ notAfterMs }) => notAfterMs)])
        if (time !== undefined) next = Math.min(next ?? Infinity, time > nowMs ? time : Infinity)
    }
    if (next !== undefined) this.#awaitExpiry(next, nowMs)
  }

  /** In steps: the clock may be set, back too, and a timer does not run while the machine sleeps. */
  #awaitExpiry(expiresAtMs: Milliseconds, nowMs: Milliseconds): void {
    const { timing } = this.#options
    this.#cancelExpiry = timing.after(Math.min(expiresAtMs - nowMs, MAX_EXPIRY_STEP_MS), () => {
      const now = timing.now()
      if (now < expiresAtMs && now >= nowMs) this.#awaitExpiry(expiresAtMs, now)
      else this.request()
    })
  }

  #scheduleLook(): void {
    this.#cancelLook?.()
    if (this.#stopped) return
    this.#cancelLook = this.#options.timing.after(LOOK_MS, () => {
      if (!this.#busy) this.#working = this.#exclusively(() => this.#verify())
      this.#scheduleLook()
    })
  }

  async #verify(): Promise<void> {
    const { timing, log, onLook, onRepaired } = this.#options
    const publication = this.#publication
    if (publication === undefined || this.#build === undefined || !publication.isLeader()) return
    onLook()
    const due = timing.elapsed() - this.#lastResync >= this.#resyncMs
    if (!due && (await publication.look(this.#build.shards))) return
    const repaired = await publication.publisher.verifyPublished()
    this.#lastResync = timing.elapsed()
    this.#resyncMs = RESYNC_MS * (1 + timing.random() / 10)
    if (repaired === 0) return
    log.warn({ shards: repaired }, 'configuration in Redis repaired')
    onRepaired(repaired)
  }

  #problemOf(error: unknown): Problem {
    return error instanceof BuildError
      ? { reason: 'BuildFailed', message: error.message }
      : { reason: 'StoreUnavailable', message: this.#options.storeTrouble(error) }
  }
}
