/**
 * One provider's stream for several clients whose requests are equal: who comes later gets it from its beginning, part
 * by part as it arrives.
 *
 *   alone --first follower--> shared --leader's client gone--> going on --last follower gone--> ended
 *     |                          |                                |
 *     `--------------------------`--------------------------------`---- source ended ---------> ended
 *
 * 1. Alone, the leader pulls the source itself; only the beginning is recorded, up to `ALONE_BYTES`. Once it is longer
 *    nobody can follow any more, and nothing is kept.
 * 2. Shared, a pump pulls, and all read what it has brought, each at its own pace. What the slowest has not read is
 *    bounded by `SHARED_BYTES`: then the pump waits, and a follower that has not moved for `stalledMs` is cut off and
 *    its client let go. So is the leader, as long as others wait for it.
 * 3. If the leader's client goes, the stream goes on for the followers. It is still the leader's to pay: `unseen` is told
 *    what its client did not get, and its `return` resolves when the source has ended.
 *
 * Known limit: a leader that reads slowly, but does read, holds up followers that are more than `SHARED_BYTES` ahead of it.
 */
import type { Format } from '../../../domain/formats/format.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { decodeItems, type ItemStream, type StreamEnd, type StreamItem } from './item-stream.ts'
import { AttemptError, type Cancellation } from '../ports.ts'
import { answerPull, DONE, type Taker } from '../pull.ts'
import { LeaderReader, SharedStreamReader, type Pulled } from './shared-stream-readers.ts'
import { StreamRecording } from './stream-recording.ts'

/** Some hundred parts: of identical requests most come within the first second. Every stream may hold so much. */
export const ALONE_BYTES = 32 * 1024
/** As much as the longest answer that is cached. */
export const SHARED_BYTES = 1024 * 1024
const STALLED_MS: Milliseconds = 10_000
/** Objects of one item, measured generously. */
const ITEM_BYTES = 160

type Batch = readonly StreamItem[]

/** Where one reader is: how many batches it has read. */
interface Place {
  at: number
  isCut: boolean
  /** Of a follower: ends its client, which has stopped reading. */
  readonly letGo?: () => void
}

export interface SharedStreamOptions {
  readonly source: ItemStream
  /** Of the source's events. */
  readonly format: Pick<Format, 'createStreamDecoder'>
  /** Batches that came after the leader's client had gone. */
  readonly unseen: (items: Batch) => void
  /** Ends the provider's call, where nobody reads any more. */
  readonly abort: () => void
  /** Ends the leader's client, which has stopped reading: `leaderLeft` is to follow. */
  readonly letLeaderGo: () => void
  readonly stalledMs?: Milliseconds
}

export class SharedStream {
  readonly leader: ItemStream
  readonly #options: SharedStreamOptions
  readonly #followers = new Set<Place>()
  /** Of the leader, as long as it is shared and its client there. */
  #leaderPlace: Place | undefined
  /** It reads, or will, what has come. */
  #leaderReads = true
  #leaderGone = false
  /** A pull of the leader itself, of before it was shared, is not answered yet. */
  #leaderPulls = false
  #pump: Promise<void> | undefined
  /** All that has come, as long as nobody but the leader wants it. */
  #recording: StreamRecording | undefined = new StreamRecording()
  /** Kept batches; the first of them is the `#first`th of the stream. */
  readonly #batches: Batch[] = []
  #first = 0
  #bytes = 0
  #end: StreamEnd | undefined
  #isClosed = false
  /** Somebody waits for something to come, to be read or to end. */
  #change: PromiseWithResolvers<void> | undefined

  constructor(options: SharedStreamOptions) {
    this.#options = options
    this.leader = new LeaderReader(
      options.source,
      (taker) => this.#readAsLeader(taker),
      () => this.#leaveAsLeader(),
    )
    options.source.watch({
      saw: (items) => this.#keep(items),
      ended: (end) => {
        this.#end = end
        this.#leaderPulls = false
        this.#changed()
      },
    })
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0
  }

  /** Kept for readers, by a generous measure. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether its beginning is still there. */
  get canBeFollowed(): boolean {
    return this.#first === 0 && this.#end?.type !== 'left' && !this.#isClosed
  }

  /**
   * The stream from its beginning; undefined where it can be followed no more.
   * @param signal the follower's client has gone: its reading fails at once
   * @param letGo ends that client, where it has stopped reading; the signal is to follow
   */
  follow(signal: Cancellation, letGo: () => void): ItemStream | undefined {
    if (!this.canBeFollowed || signal.aborted) return undefined
    const place = { at: 0, isCut: false, letGo }
    this.#followers.add(place)
    this.#readRecording()
    signal.addEventListener('abort', () => this.#cutOff(place), { once: true })
    this.#pump ??= this.#run()
    const reader = new SharedStreamReader(
      (taker) => answerPull(taker, this.#readAsFollower(place)),
      () => this.#leave(place),
    )
    return decodeItems(reader, { push: (batch: Batch) => batch, end: () => [] })
  }

  /** The leader's client has gone: its reading fails at once, and the stream goes on while somebody follows it. */
  leaderLeft(): void {
    this.#leaderGone = true
    if (this.#leaderPlace !== undefined) this.#leaderPlace.isCut = true
    this.#left()
  }

  #readAsLeader(taker: Taker<Batch>): void {
    if (this.#pump !== undefined) return answerPull(taker, this.#read(this.#placeOfLeader()))
    this.#leaderPulls = true
    this.#options.source.pull(taker)
  }

  /** Resolves when the source has ended. */
  async #leaveAsLeader(): Promise<void> {
    if (this.#pump === undefined) return void (await this.#options.source.return())
    const { at } = this.#placeOfLeader()
    for (const batch of this.#batches.slice(at - this.#first)) this.#options.unseen(batch)
    this.#leaderPlace = undefined
    this.#leaderReads = false
    this.#leaderGone = true
    this.#left()
    while (this.#end === undefined) await this.#changes()
  }

  async #readAsFollower(place: Place): Promise<Pulled> {
    const pulled = await this.#read(place)
    if (pulled.done === true) this.#leave(place)
    return pulled
  }

  /** What comes next at a place. @throws what the source has thrown; AttemptError where the reader was cut off */
  async #read(place: Place): Promise<Pulled> {
    for (;;) {
      if (place.isCut) throw new AttemptError('cut', 'the client has gone, or read too slowly to share an answer')
      const batch = this.#batches[place.at - this.#first]
      if (batch !== undefined) {
        place.at++
        this.#trim()
        this.#changed()
        return { done: false, value: batch }
      }
      if (this.#end?.type === 'failed') throw this.#end.error
      if (this.#end !== undefined) return DONE
      await this.#changes()
    }
  }

  #leave(place: Place): void {
    if (this.#followers.delete(place)) this.#left()
  }

  /** Who has not read anything yet counts from here: what it pulls itself has come by then. */
  #placeOfLeader(): Place {
    return (this.#leaderPlace ??= { at: this.#first + this.#batches.length, isCut: false })
  }

  #left(): void {
    this.#trim()
    this.#changed()
    if (this.#leaderGone && this.#followers.size === 0 && this.#end === undefined) {
      this.#isClosed = true
      // Before the source is told, or it could take the cut for its end.
      this.#options.abort()
      this.#options.source.return().catch(() => undefined)
    }
  }

  /** Pulls as long as there is room. A failure is told to every reader, by the watcher. */
  async #run(): Promise<void> {
    while (this.#leaderPulls) await this.#changes()
    if (this.#leaderReads) this.#placeOfLeader().isCut = this.#leaderGone
    while (this.#end === undefined && !this.#isClosed) {
      if (this.#bytes > SHARED_BYTES) await this.#room()
      else await this.#options.source.next().catch(() => undefined)
    }
  }

  /** Until the slowest reader has moved, or does not count any more. */
  async #room(): Promise<void> {
    const first = this.#first
    let stalled = false
    const timer = setTimeout(() => {
      stalled = true
      this.#changed()
    }, this.#options.stalledMs ?? STALLED_MS)
    while (this.#first === first && this.#end === undefined && !stalled) await this.#changes()
    clearTimeout(timer)
    if (!stalled) return
    for (const place of this.#followers) {
      if (place.at > first) continue
      // Whoever it is that reads for the client is told by its signal: nobody takes the cut for the provider's.
      place.letGo?.()
      this.#cutOff(place)
    }
    if (this.isFollowed && !this.#leaderGone && (this.#leaderPlace?.at ?? Infinity) <= first)
      this.#options.letLeaderGo()
  }

  #cutOff(place: Place): void {
    place.isCut = true
    this.#leave(place)
  }

  #keep(items: Batch): void {
    this.#leaderPulls = false
    if (!this.#leaderReads) this.#options.unseen(items)
    if (this.#pump === undefined && this.#first > 0) {
      this.#first++
      return
    }
    if (this.#recording?.add(items) !== true) {
      this.#readRecording()
      this.#batches.push(items)
    }
    this.#bytes += sizeOf(items)
    this.#trim()
    this.#changed()
  }

  /** Its items become a batch: from here on all that comes is kept as it is. */
  #readRecording(): void {
    const items = this.#recording?.items(this.#options.format) ?? []
    this.#recording = undefined
    if (items.length > 0) this.#batches.push(items)
  }

  /** Forgets what nobody will read; the beginning not before it is too long for somebody to come for it. */
  #trim(): void {
    if (this.#first === 0 && this.#bytes <= (this.#pump === undefined ? ALONE_BYTES : SHARED_BYTES)) return
    if (this.#recording !== undefined) return this.#dropRecording()
    let least = this.#leaderPlace?.at ?? this.#first + this.#batches.length
    for (const { at } of this.#followers) least = Math.min(least, at)
    while (this.#first < least) {
      this.#bytes -= sizeOf(this.#batches.shift() ?? [])
      this.#first++
    }
  }

  #dropRecording(): void {
    this.#recording = undefined
    this.#bytes = 0
    this.#first = 1
  }

  #changes(): Promise<void> {
    this.#change ??= Promise.withResolvers()
    return this.#change.promise
  }

  #changed(): void {
    this.#change?.resolve()
    this.#change = undefined
  }
}

function sizeOf(items: Batch): number {
  let bytes = 0
  for (const { event, parts } of items) {
    bytes += ITEM_BYTES + (event?.data.length ?? 0)
    for (const part of parts) if ('delta' in part) bytes += part.delta.length
  }
  return bytes
}
