/**
 * The answer's stream to the client, pulled by the client's reading: who wants a chunk pulls, and takes it when it is there
 * (pull.ts), without a promise for each. It settles once: at the end, after a provider's failure
 * (which becomes the format's error event) and when the client has gone (the server then ends it by `return`).
 */
import { GatewayError } from '../../../domain/errors.ts'
import type { RenderContext } from '../../../domain/formats/format.ts'
import { isLarge, piecesOf } from './batch-pieces.ts'
import { judge } from '../attempts/attempt-failure.ts'
import type { StreamAnswer } from '../call-provider.ts'
import { EventWriter } from './event-writer.ts'
import { failureDetail } from '../attempts/failure-detail.ts'
import type { StreamItem } from './item-stream.ts'
import { leavingError } from '../leaving.ts'
import { noMemoryForAnswer, UNCOUNTED_BYTES, type AnswerShare } from '../memory/answer-memory.ts'
import { AttemptError } from '../ports.ts'
import { answerPull, DONE, nextOf, type PullableIterator, type Taker } from '../pull.ts'
import type { Outcome, RequestRecord } from '../request-record.ts'
import type { Responding } from '../respond.ts'
import type { Services } from '../services.ts'
import { ownTurn } from '../take-turns.ts'

type StreamServices = Pick<Services, 'now' | 'log' | 'leaving' | 'answers'>
type Chunk = IteratorResult<string, undefined>

/** Of a text outside Latin-1. */
const BYTES_A_CHARACTER = 2

export class ClientStream implements PullableIterator<string>, Taker<readonly StreamItem[]> {
  readonly #answer: StreamAnswer
  readonly #settle: Responding['settle']
  readonly #writer: EventWriter
  readonly #record: RequestRecord
  readonly #services: StreamServices
  /** Of the pull that is not answered yet; none then. */
  #taker: Taker<string> | undefined
  /** The process leaves: what else comes is not wanted. */
  #isCut = false
  /** Of a batch that is written in turns. */
  #rest: Iterator<readonly StreamItem[], undefined> | undefined
  /** Where the format keeps the answer for its end, and the answer is large. */
  #share: AnswerShare | undefined
  /** How it has ended, from the last chunk on. */
  #outcome: Outcome | undefined
  #ending: Promise<Chunk> | undefined

  constructor(
    answer: StreamAnswer,
    responding: Responding,
    context: RenderContext,
    record: RequestRecord,
    services: StreamServices,
  ) {
    this.#answer = answer
    this.#settle = responding.settle
    this.#writer = new EventWriter(answer.format, responding, context)
    this.#record = record
    this.#services = services
    // Begun within the last moments, it is told at once.
    this.#isCut = services.leaving.aborted
    services.leaving.addEventListener('abort', this)
  }

  /** The process leaves before the answer is complete. */
  handleEvent(): void {
    if (this.#ending !== undefined || this.#outcome !== undefined) return
    this.#isCut = true
    const taker = this.#takerOnce()
    if (taker !== undefined) answerPull(taker, this.#breakOff(leavingError()))
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Chunk> {
    return nextOf(this)
  }

  pull(taker: Taker<string>): void {
    if (this.#outcome !== undefined) return answerPull(taker, this.#end(this.#outcome))
    if (this.#isCut) return answerPull(taker, this.#breakOff(leavingError()))
    this.#taker = taker
    if (this.#rest !== undefined) this.#writeNext(this.#rest)
    else this.#answer.items.pull(this)
  }

  return(): Promise<Chunk> {
    return this.#end(this.#isCut || this.#outcome === 'cut' ? 'cut' : 'client-gone')
  }

  take(items: readonly StreamItem[]): void {
    if (this.#isCut) return
    try {
      this.#observe(items)
    } catch (error) {
      return this.fail(error)
    }
    if (!isLarge(items)) return this.#write(items)
    this.#rest = piecesOf(items, this.#writer.mayDivide)
    this.#writeNext(this.#rest)
  }

  end(): void {
    if (this.#isCut) return
    let text: string
    try {
      text = this.#writer.end()
    } catch (error) {
      return this.fail(error)
    }
    this.#outcome = 'answered'
    this.#handOn(text)
  }

  fail(error: unknown): void {
    if (this.#isCut) return
    const taker = this.#takerOnce()
    if (taker !== undefined) answerPull(taker, this.#breakOff(error))
  }

  #write(items: readonly StreamItem[]): void {
    let text: string
    try {
      text = this.#writer.write(items)
      this.#countHeld(this.#writer.heldCharacters * BYTES_A_CHARACTER)
    } catch (error) {
      return this.fail(error)
    }
    this.#handOn(text)
  }

  /** @throws {NoMemoryError} */
  #countHeld(bytes: number): void {
    if (bytes <= UNCOUNTED_BYTES) return
    this.#share ??= this.#record.memory.openShare(this.#services.answers, this.#record.upstreamSignal)
    if (!this.#share.holdUnread(bytes)) throw noMemoryForAnswer()
  }

  /** The next piece, when others have had their turn; after the last one, the next batch. */
  #writeNext(rest: Iterator<readonly StreamItem[], undefined>): void {
    const { value, done } = rest.next()
    if (done === true) {
      this.#rest = undefined
      return this.#answer.items.pull(this)
    }
    ownTurn()
      .then(() => this.#goOn(value))
      .catch((error: unknown) => this.fail(error))
  }

  #goOn(items: readonly StreamItem[]): void {
    if (this.#ending !== undefined) this.#takerOnce()?.end()
    else if (!this.#isCut) this.#write(items)
  }

  #handOn(text: string): void {
    const taker = this.#takerOnce()
    if (taker === undefined) return
    try {
      if (text === '') this.pull(taker)
      else taker.take(text)
    } catch (error) {
      // Whoever catches it fails the pull.
      this.#taker = taker
      throw error
    }
  }

  #takerOnce(): Taker<string> | undefined {
    const taker = this.#taker
    this.#taker = undefined
    return taker
  }

  /** Takes from the parts what the record must know. */
  #observe(items: readonly StreamItem[]): void {
    const record = this.#record
    for (const { parts } of items) for (const part of parts) record.meter.saw(part)
    record.firstContentAtMs ??= this.#services.now()
  }

  async #breakOff(error: unknown): Promise<Chunk> {
    const { incoming } = this.#record
    await this.#answer.items.return()
    // Of an answer that has not begun when the process leaves, the signal says no more than that.
    if (incoming.signal.aborted && !this.#isCut) return this.#end('client-gone')
    this.#outcome = 'cut'
    const shown = midStreamError(error)
    this.#record.errorCode = shown.code
    this.#tellBreak(error)
    return { done: false, value: this.#writer.fail(shown, incoming.requestId) }
  }

  /** That the process leaves is no fault to look into. */
  #tellBreak(error: unknown): void {
    const { deployment } = this.#answer
    const fields = { requestId: this.#record.incoming.requestId, deployment: deployment.id }
    if (this.#isCut) return this.#services.log.info(fields, 'stream cut at the end of the drain')
    const detail = failureDetail(error, deployment, this.#record)
    // Of a provider's failure the place in our code says nothing.
    const told = detail === undefined ? { err: error } : { ...judge(error, this.#answer.format.name).attempt, detail }
    this.#services.log.warn({ ...fields, ...told }, 'stream failed')
  }

  #end(outcome: Outcome): Promise<Chunk> {
    return (this.#ending ??= this.#conclude(outcome))
  }

  async #conclude(outcome: Outcome): Promise<Chunk> {
    this.#services.leaving.removeEventListener('abort', this)
    await this.#answer.items.return()
    for (const warning of this.#writer.warnings) this.#record.warnings.push(warning)
    await this.#settle(outcome)
    return DONE
  }
}

function midStreamError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof AttemptError && error.kind === 'timeout') {
    return new GatewayError('upstream_timeout', 'The provider stopped sending before the answer was complete.')
  }
  if (error instanceof AttemptError && error.kind === 'protocol') {
    return new GatewayError('upstream_format_error', 'The provider ended the stream with an error.')
  }
  if (error instanceof AttemptError) {
    return new GatewayError(
      'upstream_format_error',
      'The connection to the provider broke before the answer was complete.',
    )
  }
  return new GatewayError('internal_error', 'The stream ended because of an error inside the gateway.')
}
