/**
 * Stage: an answer from the cache, or from the provider and then into the cache. The same way for every kind of answer;
 * what an answer is, and which ones are worth keeping, says the caller.
 *
 *   bypass   policy or Cache-Control forbid the look, or the request has no key: the provider is asked
 *   hit      near, a flight's, far, or by meaning: nobody is asked, nothing is charged
 *   miss     the provider is asked; identical requests wait for the answer meanwhile
 *
 * Near is what this process holds, far what the shared store holds. Of identical requests the first leads a flight and the
 * others follow it (single-flight.ts): a live answer as it comes, or how the flight lands. What is kept of an answer is revived
 * in the shape and format that is asked for, unless the marks say that it was purged meanwhile.
 */
import type { CacheWish } from '../../../domain/caching/cache-control.ts'
import type { CachedFormat } from '../../../domain/caching/request-text.ts'
import type { StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { RoutePlan } from '../../../domain/routing/route.ts'
import { UNCOUNTED_BYTES } from '../memory/answer-memory.ts'
import { isPurged, type CacheAddress, type PurgeMarks } from '../cache-port.ts'
import type { Cacheable, Keeper, SimilarAnswers } from './cacheable.ts'
import { CallCancellation } from '../call-cancellation.ts'
import { flightOf, hasLargeNear, type Looked, type LookUp } from './look-up.ts'
import type { CacheHit, RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'
import {
  MAX_FLIGHT_WAIT_MS,
  type Joined,
  type Landing,
  type Lead,
  type LiveAnswer,
  type Reading,
} from './single-flight.ts'
import { refuseGone, turnFor } from '../take-turns.ts'

/** Of the second level, where no policy says. @see DESIGN section 7 */
const DEFAULT_TTL_MS = 3_600_000

/** @throws also at once, or the promise rejects, as `call` */
export function throughCache<Answer>(
  cacheable: Cacheable<Answer>,
  { wish, address, looked }: LookUp,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
  call: () => Promise<Answer>,
): Answer | Promise<Answer> {
  if (address === undefined || looked === undefined) {
    record.cache = 'bypass'
    return call()
  }
  const options = { cacheable, address, wish, caller, record, services, call }
  if (looked instanceof Promise) return looked.then((known) => new Passage(options, known).run())
  return new Passage(options, looked).run()
}

interface PassageOptions<Answer> {
  readonly cacheable: Cacheable<Answer>
  readonly address: CacheAddress
  readonly wish: CacheWish
  readonly caller: GovernedCaller
  readonly record: RequestRecord
  readonly services: Services
  readonly call: () => Promise<Answer>
}

/** Whose answers a request may have: of what was named, or, at the time of the failure, of what stands in for it as well. */
type Makers = 'named' | 'backup too'

type Follow = Extract<Joined, { readonly type: 'follow' }>

/** One request's way through the cache. */
class Passage<Answer> implements Keeper {
  readonly #cacheable: Cacheable<Answer>
  readonly #address: CacheAddress
  readonly #wish: CacheWish
  readonly #record: RequestRecord
  readonly #services: Services
  readonly #ttlMs: Milliseconds
  readonly #marks: PurgeMarks
  readonly #looked: Looked
  readonly #call: () => Promise<Answer>
  /** What is known of the entry before there is an answer. */
  readonly #entry: LiveAnswer['entry']
  /** Where others may wait for this request's answer. */
  #lead: Lead | undefined
  /** This request's answer, where others may follow it. */
  #live: LiveAnswer | undefined
  /** How long it waits for others, once it does. */
  #deadline: Milliseconds | undefined

  constructor({ cacheable, address, wish, caller, record, services, call }: PassageOptions<Answer>, looked: Looked) {
    this.#cacheable = cacheable
    this.#address = address
    this.#wish = wish
    this.#record = record
    this.#services = services
    this.#ttlMs = caller.policy.cache.exact?.ttlMs ?? DEFAULT_TTL_MS
    this.#marks = looked.marks
    this.#looked = looked
    this.#call = call
    this.#entry = {
      virtualKey: caller.key.id,
      storedAtMs: Math.floor(services.wallNow()),
      purges: looked.marks.countsFor(address.scope.project, caller.key.id),
    }
  }

  run(): Answer | Promise<Answer> {
    if (!this.#wish.read) return this.#ask('bypass')
    // What it holds of the budget is to be counted before the next one is read.
    const isLarge = this.#looked.near === undefined && hasLargeNear(this.#address, this.#services.cache)
    return isLarge ? turnFor(this.#record.incoming.signal).then(() => this.#takeNear()) : this.#takeNear()
  }

  #takeNear(): Answer | Promise<Answer> {
    const { near, far } = this.#looked
    // Since the look another request may have brought it; or the shared store, which has answered before the quota's did.
    const known = near ?? this.#services.cache.readNear(this.#address, this.#marks)
    return this.#take(known, far === undefined ? 'hit-l1' : 'hit-l2') ?? this.#join()
  }

  #join(): Promise<Answer> {
    const joined = this.#services.flights.join(flightOf(this.#address))
    return joined.type === 'lead' ? this.#leading(joined.lead) : this.#waiting(joined)
  }

  /** What another request gets. Where its client leaves or reads no more, this one looks anew, and may be the next to lead. */
  async #waiting(flight: Follow): Promise<Answer> {
    const landing = await this.#wait(flight)
    if (landing.type === 'left') return this.run()
    const followed = landing.type === 'live' ? this.#follow(landing.live) : undefined
    if (followed !== undefined) return followed
    if (landing.type !== 'answer') return this.#ask('miss')
    await this.#turnToTake(landing.answer)
    return this.#takeLanded(landing.answer, landing.similarity, 'backup too') ?? this.#ask('miss')
  }

  /** @throws {GatewayError} where the client has gone meanwhile */
  async #wait(flight: Follow): Promise<Landing> {
    const wants = this.#record.stream && this.#cacheable.follow !== undefined ? 'parts' : 'whole'
    const { signal } = this.#record.incoming
    const { now } = this.#services
    const nowMs = now()
    this.#deadline ??= nowMs + MAX_FLIGHT_WAIT_MS
    const landing = await this.#record.waitFor(flight.wait(signal, Math.max(0, this.#deadline - nowMs), wants), now)
    refuseGone(signal)
    return landing
  }

  /**
   * A large answer is parsed in a turn of its own: what it holds of the budget is counted before the next one is parsed,
   * however many requests it is for.
   */
  #turnToTake(stored: StoredAnswer | undefined): Promise<void> | undefined {
    const isLarge = stored !== undefined && stored.document.length > UNCOUNTED_BYTES
    return isLarge ? turnFor(this.#record.incoming.signal) : undefined
  }

  #follow(live: LiveAnswer): Answer | undefined {
    // It may have been under way when what came before was purged.
    if (isPurged(live.entry, this.#address.scope, this.#marks)) return undefined
    const ageMs = Math.max(0, this.#services.wallNow() - live.entry.storedAtMs)
    const deployment = this.#allowed(live.deployment.id, ageMs, 'backup too')
    const answer = deployment && this.#cacheable.follow?.(live, deployment)
    if (answer !== undefined) this.#noteHit('hit-l1', ageMs)
    return answer
  }

  /** Looks in the shared store, then by meaning, then asks. Whatever happens, those who wait are told. */
  async #leading(lead: Lead): Promise<Answer> {
    this.#lead = lead
    const { signal } = this.#record.incoming
    if (this.#record.stream) this.#record.upstream = new CallCancellation()
    signal.addEventListener('abort', this)
    if (signal.aborted) this.handleEvent()
    try {
      const far = await (this.#looked.far ?? this.#services.cache.readFar(this.#address, this.#marks))
      const turn = this.#turnToTake(far)
      if (turn !== undefined) await turn
      const hit = this.#take(far, 'hit-l2')
      if (hit !== undefined) {
        lead.land(far)
        return hit
      }
      const alike = this.#cacheable.similar && (await this.#takeSimilar(this.#cacheable.similar, lead))
      return alike ?? (await this.#ask('miss'))
    } catch (error) {
      if (signal.aborted) lead.leave()
      else lead.land(undefined)
      throw error
    }
  }

  async #takeSimilar(answers: SimilarAnswers, lead: Lead): Promise<Answer | undefined> {
    const similar = await answers.find(this.#address.scope, this.#marks)
    await this.#turnToTake(similar?.answer)
    const alike = similar && this.#takeLanded(similar.answer, similar.similarity)
    if (alike !== undefined) lead.land(similar?.answer, similar?.similarity)
    return alike
  }

  /**
   * The client has gone: however the answer's life ends, who waits must not wait for it. A stream that others follow goes
   * on for them.
   */
  handleEvent(): void {
    if (this.#live?.stream.isFollowed === true) return this.#live.stream.leaderLeft()
    this.#lead?.leave()
    this.#record.upstream?.abort()
  }

  #takeLanded(answer: StoredAnswer, similarity: number | undefined, makers: Makers = 'named'): Answer | undefined {
    // Whose policy wants no answers by meaning, or only more alike ones, gets none by way of another's flight either.
    if (similarity !== undefined && similarity < (this.#cacheable.similar?.minSimilarity ?? Infinity)) return undefined
    if (isPurged(answer, this.#address.scope, this.#marks)) return undefined
    const taken = this.#take(answer, similarity === undefined ? 'hit-l1' : 'hit-semantic', makers)
    if (taken !== undefined) this.#record.cacheSimilarity = similarity
    return taken
  }

  #ask(result: 'miss' | 'bypass'): Promise<Answer> {
    this.#record.cache = result
    return this.#call().then((answer) => this.#cacheable.keep(answer, this))
  }

  keep(document: Uint8Array, format: CachedFormat, deployment: Deployment): void {
    if (!this.#wish.store) return this.#lead?.land(undefined)
    const { afterAnswer, cache } = this.#services
    const lasts = this.#cacheable.answers(deployment)
    const { virtualKey, storedAtMs, purges } = this.#entry
    const answer = { format, document, deployment: deployment.id, virtualKey, storedAtMs, purges }
    // The client does not wait for it. It is done before another request is read; who came before waits for the flight.
    afterAnswer.run(() => {
      // First of all, so that nothing that fails in keeping it can leave them waiting.
      this.#lead?.land(answer)
      if (!lasts) return
      cache.writeNear(this.#address, answer, this.#ttlMs)
      this.#cacheable.similar?.kept(this.#address)
    })
    if (lasts) afterAnswer.runWhenIdle(() => cache.writeFar(this.#address, answer, this.#ttlMs))
  }

  drop(): void {
    this.#lead?.land(undefined)
  }

  leave(): void {
    this.#lead?.leave()
  }

  reads(stream: Reading): void {
    this.#lead?.reads(stream)
  }

  share(live: Omit<LiveAnswer, 'entry'>): void {
    if (this.#lead === undefined || !this.#wish.store) return
    this.#live = { ...live, entry: this.#entry }
    this.#lead.share(this.#live)
  }

  /** The stored answer as this client may have it now; undefined where it may not. */
  #take(stored: StoredAnswer | undefined, hit: CacheHit, makers: Makers = 'named'): Answer | undefined {
    if (stored === undefined) return undefined
    const ageMs = Math.max(0, this.#services.wallNow() - stored.storedAtMs)
    const deployment = this.#allowed(stored.deployment, ageMs, makers)
    const answer = deployment && this.#cacheable.revive(stored.document, stored.format, deployment)
    if (answer !== undefined) this.#noteHit(hit, ageMs)
    return answer
  }

  /** The deployment where an answer of it, so old, may be given to this client now. */
  #allowed(deploymentId: string, ageMs: Milliseconds, makers: Makers): Deployment | undefined {
    if (ageMs > Math.min(this.#ttlMs, (this.#wish.maxAgeSeconds ?? Infinity) * 1_000)) return undefined
    const deployment = eligible(deploymentId, this.#cacheable.plan)
    if (deployment === undefined || makers === 'backup too') return deployment
    return this.#cacheable.answers(deployment) ? deployment : undefined
  }

  #noteHit(hit: CacheHit, ageMs: Milliseconds): void {
    this.#record.cache = hit
    this.#record.cacheAgeSeconds = Math.floor(ageMs / 1_000)
  }
}

/** The deployment where today's rules would let it answer. One that only cools down would, too. */
function eligible(id: string, { candidates, removed }: RoutePlan): Deployment | undefined {
  const candidate = candidates.find(({ deployment }) => deployment.id === id)
  if (candidate !== undefined) return candidate.deployment
  return removed.find(({ deployment, rule }) => rule === 'cooling-down' && deployment.id === id)?.deployment
}
