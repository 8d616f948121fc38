/**
 * Stage: an answer from the cache, or from the provider and then into the cache. The same way for every kind of answer;
 * what an answer is, and which ones are worth keeping, says the caller.
 *
 *   bypass   policy or Cache-Control forbid the look, or the request has no key: the provider is asked
 *   hit      near, a flight's, far, or by meaning: nobody is asked, nothing is charged
 *   miss     the provider is asked; identical requests wait for the answer meanwhile
 */
import type { CacheWish } from '../../domain/caching/cache-control.ts'
import type { CachedFormat } from '../../domain/caching/request-text.ts'
import type { StoredAnswer } from '../../domain/caching/stored-answer.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import type { CacheAddress, CacheScope, PurgeMarks } from './cache-port.ts'
import { CallCancellation } from './call-cancellation.ts'
import { flightOf, type Looked, type LookUp } from './look-up.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'
import { MAX_FLIGHT_WAIT_MS, type Joined, type Landing, type Lead, type LiveAnswer } from './single-flight.ts'

/** Of the second level, where no policy says. @see DESIGN section 7 */
const DEFAULT_TTL_MS = 3_600_000

/** One kind of answer in the cache. */
export interface Cacheable<Answer> {
  readonly plan: RoutePlan
  /** The answer as this client gets it; undefined where it does not fit after all. */
  revive(document: Uint8Array, format: CachedFormat, deployment: Deployment): Answer | undefined
  /**
   * The answer to send on, which calls `keeper` when it is known whether and what to keep: at once, or when its stream
   * has ended.
   */
  keep(answer: Answer, keeper: Keeper): Answer
  /** Another request's answer from its beginning, as it arrives; undefined where that is not for this client. */
  follow?(live: LiveAnswer, deployment: Deployment): Answer | undefined
  /** Whether an answer of this deployment is what was asked for. */
  answers(deployment: Deployment): boolean
  /** A second look, by meaning, before the provider is asked. */
  readonly similar?: SimilarAnswers
}

export interface Keeper {
  keep(document: Uint8Array, format: CachedFormat, deployment: Deployment): void
  /** Not worth keeping. */
  drop(): void
  /** The client has gone before it was known. */
  leave(): void
  /** The answer has begun and others may follow it. */
  share(live: Omit<LiveAnswer, 'entry'>): void
}

export interface SimilarAnswers {
  readonly minSimilarity: number
  find(scope: CacheScope, marks: PurgeMarks): Promise<SimilarAnswer | undefined>
  /** The question's answer has been kept under `address`. */
  kept(address: CacheAddress): void
}

export interface SimilarAnswer {
  readonly answer: StoredAnswer
  readonly similarity: number
}

export async function throughCache<Answer>(
  cacheable: Cacheable<Answer>,
  { wish, address, looked }: LookUp,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
  call: () => Promise<Answer>,
): Promise<Answer> {
  if (address === undefined || looked === undefined) {
    record.cache = 'bypass'
    return call()
  }
  const pass = new Passage({ cacheable, address, wish, caller, record, services, looked: await looked })
  if (!wish.read) {
    record.cache = 'bypass'
    return cacheable.keep(await call(), pass.keeper(undefined))
  }
  return pass.run(call)
}

interface PassageOptions<Answer> {
  readonly cacheable: Cacheable<Answer>
  readonly address: CacheAddress
  readonly wish: CacheWish
  readonly caller: GovernedCaller
  readonly record: RequestRecord
  readonly services: Services
  readonly looked: Looked
}

type Follow = Extract<Joined, { readonly type: 'follow' }>

/** One request's way through the cache. */
class Passage<Answer> {
  readonly #cacheable: Cacheable<Answer>
  readonly #address: CacheAddress
  readonly #wish: CacheWish
  readonly #record: RequestRecord
  readonly #services: Services
  readonly #ttlMs: Milliseconds
  readonly #marks: PurgeMarks
  readonly #looked: Looked
  /** This request's answer, where others may follow it. */
  #live: LiveAnswer | undefined
  /** What is known of the entry before there is an answer. */
  readonly #entry: Pick<StoredAnswer, 'virtualKey' | 'storedAtMs' | 'purges'>

  constructor({ cacheable, address, wish, caller, record, services, looked }: PassageOptions<Answer>) {
    this.#cacheable = cacheable
    this.#address = address
    this.#wish = wish
    this.#record = record
    this.#services = services
    this.#ttlMs = caller.policy.cache.exact?.ttlMs ?? DEFAULT_TTL_MS
    this.#marks = looked.marks
    this.#looked = looked
    this.#entry = {
      virtualKey: caller.key.id,
      storedAtMs: Math.floor(services.now()),
      purges: looked.marks.countsFor(address.scope.project, caller.key.id),
    }
  }

  async run(call: () => Promise<Answer>): Promise<Answer> {
    const { cache, flights } = this.#services
    const deadline = this.#services.now() + MAX_FLIGHT_WAIT_MS
    for (;;) {
      // Since the look another request may have brought it.
      const near = this.#take(this.#looked.near ?? cache.readNear(this.#address, this.#marks), 'hit-l1')
      if (near !== undefined) return near
      const joined = flights.join(flightOf(this.#address))
      if (joined.type === 'lead') return this.#lead(joined.lead, call)
      const landing = await this.#wait(joined, deadline)
      if (landing.type === 'left') continue
      const followed = landing.type === 'live' ? this.#follow(landing.live) : undefined
      if (followed !== undefined) return followed
      const shared = landing.type === 'answer' ? this.#takeLanded(landing.answer, landing.similarity) : undefined
      return shared ?? this.#ask(call, undefined)
    }
  }

  /** @throws {GatewayError} where the client has gone meanwhile */
  async #wait(flight: Follow, deadline: Milliseconds): Promise<Landing> {
    const wants = this.#record.stream && this.#cacheable.follow !== undefined ? 'parts' : 'whole'
    const { signal } = this.#record.incoming
    const landing = await flight.wait(signal, Math.max(0, deadline - this.#services.now()), wants)
    if (!signal.aborted) return landing
    throw new GatewayError('client_closed_request', 'The client closed the request.')
  }

  #follow(live: LiveAnswer): Answer | undefined {
    if (this.#isPurged(live.entry)) return undefined
    const ageMs = Math.max(0, this.#services.now() - live.entry.storedAtMs)
    const deployment = this.#allowed(live.deployment.id, ageMs)
    const answer = deployment && this.#cacheable.follow?.(live, deployment)
    if (answer !== undefined) this.#noteHit('hit-l1', ageMs)
    return answer
  }

  /** Looks in the shared store, then by meaning, then asks. Whatever happens, those who wait are told. */
  async #lead(lead: Lead, call: () => Promise<Answer>): Promise<Answer> {
    // However the answer's life ends: who waits must not wait for a client that has gone.
    const { signal } = this.#record.incoming
    if (this.#record.stream) this.#record.upstream = new CallCancellation()
    signal.addEventListener('abort', () => this.#clientGone(lead), { once: true })
    if (signal.aborted) this.#clientGone(lead)
    try {
      const far = await (this.#looked.far ?? this.#services.cache.readFar(this.#address, this.#marks))
      const hit = this.#take(far, 'hit-l2')
      if (hit !== undefined) {
        lead.land(far)
        return hit
      }
      const similar = await this.#cacheable.similar?.find(this.#address.scope, this.#marks)
      const alike = similar && this.#takeLanded(similar.answer, similar.similarity)
      if (alike !== undefined) {
        lead.land(similar?.answer, similar?.similarity)
        return alike
      }
      return await this.#ask(call, lead)
    } catch (error) {
      if (this.#record.incoming.signal.aborted) lead.leave()
      else lead.land(undefined)
      throw error
    }
  }

  /** A stream that others follow goes on for them. */
  #clientGone(lead: Lead): void {
    if (this.#live?.stream.isFollowed === true) return this.#live.stream.leaderLeft()
    lead.leave()
    this.#record.upstream?.abort()
  }

  #takeLanded(answer: StoredAnswer, similarity: number | undefined): Answer | undefined {
    // Whose policy wants no answers by meaning, or only more alike ones, gets none by way of another's flight either.
    if (similarity !== undefined && similarity < (this.#cacheable.similar?.minSimilarity ?? Infinity)) return undefined
    if (this.#isPurged(answer)) return undefined
    const taken = this.#take(answer, similarity === undefined ? 'hit-l1' : 'hit-semantic')
    if (taken !== undefined) this.#record.cacheSimilarity = similarity
    return taken
  }

  async #ask(call: () => Promise<Answer>, lead: Lead | undefined): Promise<Answer> {
    this.#record.cache = 'miss'
    return this.#cacheable.keep(await call(), this.keeper(lead))
  }

  keeper(lead: Lead | undefined): Keeper {
    return {
      keep: (document, format, deployment) => {
        if (!this.#wish.store || !this.#cacheable.answers(deployment)) return lead?.land(undefined)
        const answer: StoredAnswer = { ...this.#entry, format, document, deployment: deployment.id }
        this.#services.cache.write(this.#address, answer, this.#ttlMs)
        this.#cacheable.similar?.kept(this.#address)
        lead?.land(answer)
      },
      drop: () => lead?.land(undefined),
      leave: () => lead?.leave(),
      share: (live) => {
        if (lead === undefined || !this.#wish.store || !this.#cacheable.answers(live.deployment)) return
        this.#live = { ...live, entry: this.#entry }
        lead.share(this.#live)
      },
    }
  }

  /** The stored answer as this client may have it now; undefined where it may not. */
  #take(stored: StoredAnswer | undefined, label: string): Answer | undefined {
    if (stored === undefined) return undefined
    const ageMs = Math.max(0, this.#services.now() - stored.storedAtMs)
    const deployment = this.#allowed(stored.deployment, ageMs)
    const answer = deployment && this.#cacheable.revive(stored.document, stored.format, deployment)
    if (answer !== undefined) this.#noteHit(label, ageMs)
    return answer
  }

  /** The deployment where an answer of it, so old, may be given to this client now. */
  #allowed(deploymentId: string, ageMs: Milliseconds): Deployment | undefined {
    if (ageMs > Math.min(this.#ttlMs, (this.#wish.maxAgeSeconds ?? Infinity) * 1_000)) return undefined
    const deployment = eligible(deploymentId, this.#cacheable.plan)
    return deployment !== undefined && this.#cacheable.answers(deployment) ? deployment : undefined
  }

  /** An answer that was under way when what came before was purged. */
  #isPurged({ virtualKey, purges }: StoredAnswer | LiveAnswer['entry']): boolean {
    const counts = this.#marks.countsFor(this.#address.scope.project, virtualKey)
    return purges.some((count, index) => count !== counts[index])
  }

  #noteHit(label: string, ageMs: Milliseconds): void {
    this.#record.cache = label
    this.#record.cacheAgeSeconds = Math.floor(ageMs / 1_000)
  }
}

/** The deployment where today's rules would let it answer. One that only cools down would, too. */
function eligible(id: string, { candidates, removed }: RoutePlan): Deployment | undefined {
  const candidate = candidates.find(({ deployment }) => deployment.id === id)
  if (candidate !== undefined) return candidate.deployment
  return removed.find(({ deployment, rule }) => rule === 'cooling-down' && deployment.id === id)?.deployment
}
