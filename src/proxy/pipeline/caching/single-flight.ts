/**
 * One flight per key: of identical requests at the same time in this process one asks the provider, the others wait
 * for its answer.
 *
 *   join -> lead -> share(stream)   its answer comes in parts: others that want parts follow it
 *               `-> land(answer)    the others get it
 *               `-> land(none)      failed, or not to be shared: the others go their own way
 *               `-> leave           its client has gone, or reads no more of its stream: one of the others leads next
 *   join -> wait, bounded in time and by the waiting client's own signal
 */
import type { TokenOrdinals } from '../../../domain/caching/token-ordinals.ts'
import type { StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { Format } from '../../../domain/formats/format.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { ItemStream } from '../streaming/item-stream.ts'
import type { Cancellation } from '../ports.ts'
import type { SharedStream } from '../streaming/shared-stream.ts'

/**
 * Longer than most answers take, also from the backup of a provider that is given up as frozen after 30 s: all who wait
 * would ask the backup otherwise. Who has waited for so long asks for itself.
 */
export const MAX_FLIGHT_WAIT_MS: Milliseconds = 45_000

/** A flight that is older has been forgotten by its leader or is of no use any more: who comes next leads anew. */
const MAX_FLIGHT_AGE_MS: Milliseconds = 30_000

/** How long a stream may stand still as its client reads no more, until those who wait for its end go on: as its followers do. */
const STILL_MS: Milliseconds = 10_000

/** An answer on its way. */
export interface LiveAnswer {
  readonly deployment: Deployment
  readonly format: Format
  readonly stream: SharedStream
  /** What was masked in the leader's request. */
  readonly tokens: TokenOrdinals
  /** What is known of the entry that it may become. */
  readonly entry: Pick<StoredAnswer, 'virtualKey' | 'storedAtMs' | 'purges'>
}

export type Landing =
  | { readonly type: 'live'; readonly live: LiveAnswer }
  | { readonly type: 'answer'; readonly answer: StoredAnswer; readonly similarity: number | undefined }
  | { readonly type: 'none' }
  | { readonly type: 'left' }
  /** For one waiting request only: its time is over or its client has gone. */
  | { readonly type: 'late' }

/** Held by the request that leads. The first call counts, further ones do nothing. */
export interface Lead {
  /** `similarity`: where the answer is another question's. */
  land(answer: StoredAnswer | undefined, similarity?: number): void
  leave(): void
  /** The answer has begun as this stream: others wait for its end only as long as it does not stand still. */
  reads(stream: Reading): void
  /** Those who wait for parts get them from here on; the flight goes on. */
  share(live: LiveAnswer): void
}

/** By its leader, or for its followers too. */
export type Reading = Pick<ItemStream, 'restsAt'>

export type Joined =
  | { readonly type: 'lead'; readonly lead: Lead }
  | {
      readonly type: 'follow'
      wait(signal: Cancellation, timeoutMs: Milliseconds, wants: 'parts' | 'whole'): Promise<Landing>
    }

/** Emptied when the flight ends: the tables that a Map has replaced hold what was in them. @see domain/linked-list.ts */
interface Slot {
  flight: Flight | undefined
}

export class Flights {
  readonly #flights = new Map<string, Slot>()
  readonly #now: () => Milliseconds
  readonly #stillMs: Milliseconds

  constructor(now: () => Milliseconds, stillMs = STILL_MS) {
    this.#now = now
    this.#stillMs = stillMs
  }

  /** Flights under way: one for each key that is being asked for. */
  get size(): number {
    return this.#flights.size
  }

  /** Whether who joins now would wait. */
  has(key: string): boolean {
    return this.#underway(key) !== undefined
  }

  join(key: string): Joined {
    const underway = this.#underway(key)
    if (underway !== undefined) {
      return { type: 'follow', wait: (signal, timeoutMs, wants) => bounded(underway.coming(wants), signal, timeoutMs) }
    }
    const slot: Slot = { flight: undefined }
    const lead = new Flight(() => this.#leave(key, slot), this.#now(), this.#stillMs)
    slot.flight = lead
    this.#flights.set(key, slot)
    return { type: 'lead', lead }
  }

  #underway(key: string): Flight | undefined {
    const flight = this.#flights.get(key)?.flight
    return flight !== undefined && this.#now() - flight.startedAtMs < MAX_FLIGHT_AGE_MS ? flight : undefined
  }

  #leave(key: string, slot: Slot): void {
    slot.flight = undefined
    if (this.#flights.get(key) === slot) this.#flights.delete(key)
  }
}

/** Nobody waits for most flights, so its promises are made for those who do. */
class Flight implements Lead {
  readonly startedAtMs: Milliseconds
  readonly #leave: () => void
  readonly #stillMs: Milliseconds
  #reading: Reading | undefined
  /** Looks whether that stands still, once somebody waits for its end. */
  #watch: NodeJS.Timeout | undefined
  #live: LiveAnswer | undefined
  #landing: Landing | undefined
  /** Those who wait for parts. */
  #shared: PromiseWithResolvers<Landing> | undefined
  /** Those who wait for its end. */
  #landed: PromiseWithResolvers<Landing> | undefined

  /** @param leave called once: nobody may join any more */
  constructor(leave: () => void, startedAtMs: Milliseconds, stillMs: Milliseconds) {
    this.#leave = leave
    this.startedAtMs = startedAtMs
    this.#stillMs = stillMs
  }

  land(answer: StoredAnswer | undefined, similarity?: number): void {
    this.#end(answer === undefined ? NONE : { type: 'answer', answer, similarity })
  }

  leave(): void {
    this.#end(LEFT)
  }

  reads(stream: Reading): void {
    // Of a client that has gone as its answer began: nobody waits any more, and nothing would end the looks.
    if (this.#landing !== undefined) return
    this.#reading = stream
    if (this.#landed !== undefined) this.#watchStill()
  }

  share(live: LiveAnswer): void {
    this.#live = live
    this.#shared?.resolve({ type: 'live', live })
  }

  /** Who wants parts of a stream that can be followed no more waits for its end like all others. */
  coming(wants: 'parts' | 'whole'): Promise<Landing> {
    if (this.#landing !== undefined) return Promise.resolve(this.#landing)
    this.#landed ??= Promise.withResolvers()
    this.#watchStill()
    const { promise } = this.#landed
    if (wants === 'whole') return promise
    if (this.#live !== undefined) {
      return this.#live.stream.canBeFollowed ? Promise.resolve({ type: 'live', live: this.#live }) : promise
    }
    this.#shared ??= Promise.withResolvers()
    return Promise.race([this.#shared.promise, promise])
  }

  /** One look for all: who goes on leads, and the others follow it. */
  #watchStill(): void {
    if (this.#reading === undefined || this.#watch !== undefined) return
    const { restsAt } = this.#reading
    this.#watch = setTimeout(() => {
      this.#watch = undefined
      if (restsAt !== undefined && restsAt === this.#reading?.restsAt) this.leave()
      else this.#watchStill()
    }, this.#stillMs).unref()
  }

  #end(landing: Landing): void {
    if (this.#landing !== undefined) return
    this.#landing = landing
    clearTimeout(this.#watch)
    this.#leave()
    this.#landed?.resolve(landing)
  }
}

const NONE: Landing = { type: 'none' }
const LEFT: Landing = { type: 'left' }

function bounded(flight: Promise<Landing>, signal: Cancellation, timeoutMs: Milliseconds): Promise<Landing> {
  return new Promise((resolve) => {
    const end = (landing: Landing) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', late)
      resolve(landing)
    }
    const late = () => end({ type: 'late' })
    const timer = setTimeout(late, timeoutMs)
    if (signal.aborted) late()
    else signal.addEventListener('abort', late, { once: true })
    void flight.then(end)
  })
}
