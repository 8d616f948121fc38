/**
 * One HTTP exchange as undici's handler.
 *
 * Chunks queue up to `QUEUE_BYTES`; then the socket is paused until the reader has taken them, so a slow client reaches
 * back to the provider through the kernel's buffers. Every end (answer complete, clock, abort, broken connection, reader
 * gone) passes `#end` once, which stops the clocks and frees the signal. After an answer's own end mark the reader has
 * left, and what is left of the exchange is the server's: to end the body, or to be cut off by the clock.
 *
 * A request that met the closing of a kept connection goes out once more, within the same clocks; see kept-connection.ts.
 *
 * Where the first-byte clock is not the end by itself, the exchange then asks for a sign of life; until that has come,
 * only the total clock runs.
 */
import type { Dispatcher } from 'undici'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { AttemptTimeouts, Clock } from './attempt-clocks.ts'
import type { Cancellation, ProviderReply } from '../pipeline/ports.ts'
import type { BodySource } from './answer-body.ts'
import type { ExchangeStage } from './attempt-error.ts'
import type { BusyPoll } from '../busy-poll.ts'
import type { SignOfLife, Waiter } from './sign-of-life.ts'
import { AttemptError } from '../pipeline/ports.ts'
import { AnswerBody } from './answer-body.ts'
import { AttemptClocks } from './attempt-clocks.ts'
import { attemptErrorOf, connectTimeout } from './attempt-error.ts'
import { decodeContent, isEncoded } from './content-decoding.ts'
import { SecondSending } from './kept-connection.ts'
import { replyHeaders } from './provider-headers.ts'

/** Unread bytes of one answer in memory: the size of a socket read. */
const QUEUE_BYTES = 65_536

/**
 * How long a server has to end the body after its answer's end mark: most do within the same packet. A connection is
 * cheaper to open anew than to keep for longer.
 */
const CLOSING_MS: Milliseconds = 1_000

type Controller = Dispatcher.DispatchController

export interface ExchangeOptions {
  /** @see Endpoint.peer */
  readonly peer: string
  readonly timeouts: AttemptTimeouts
  /** Not yet aborted. */
  readonly signal: Cancellation
  /** The first-byte clock runs until `firstContentSeen`, not only until the first byte of the body. */
  readonly stream: boolean
  /** Told of what comes from the server. */
  readonly life: SignOfLife
  /** For the heads of its answers. */
  readonly headPoll: BusyPoll
  /** The first-byte clock does not end the exchange as long as the server lives. */
  readonly isPatient: boolean
  /** Released once, when the connection is no longer in use. */
  readonly lease: { readonly isNew: boolean; release(): void }
  /** How long after it was sent a request may have met the closing of a kept connection. */
  readonly crossingMs: Milliseconds
  /** Sends the request once more, over a connection made for it. */
  readonly sendAgain: (exchange: ProviderExchange) => void
}

export class ProviderExchange implements Dispatcher.DispatchHandler, BodySource, Waiter {
  readonly #options: ExchangeOptions
  readonly #clocks: AttemptClocks
  readonly #reply = Promise.withResolvers<ProviderReply>()
  readonly #second: SecondSending
  readonly #body = new AnswerBody(this)
  #controller: Controller | undefined
  #stage: ExchangeStage = 'connecting'
  /** It waits for a sign of life. */
  #isAsking = false
  #released = false
  #sentAgain = false

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#clocks = new AttemptClocks(options.timeouts, this.#timeUp)
    this.#second = new SecondSending(options.crossingMs)
    options.signal.addEventListener('abort', this, ONCE)
  }

  /** Comes with the answer's head. Rejects with an AttemptError where none comes. */
  get reply(): Promise<ProviderReply> {
    return this.#reply.promise
  }

  /** The signal's only event, as `EventListenerObject` has it. */
  handleEvent(): void {
    this.#end(new AttemptError('aborted', 'the attempt was aborted'))
  }

  firstContentSeen(): void {
    if (!this.#body.ended && this.#clocks.phase === 'first-byte')
      this.#options.life.seenAtMs = this.#clocks.enter('idle')
  }

  /** @see ProviderReply.endsAfter */
  endsAfter(silenceMs: Milliseconds): void {
    if (this.#body.ended) return
    if (silenceMs === 0) this.#leaveToServer()
    else if (silenceMs === Infinity) this.#clocks.enter('idle')
    else this.#clocks.close(silenceMs)
  }

  /** The exchange never reached undici. */
  notSent(error: unknown): void {
    this.#end(attemptErrorOf(error, this.#stage, this.#options.peer))
    this.#release()
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    this.#stage = 'waiting'
    this.#options.headPoll.asked()
    if (this.#body.ended) controller.abort(this.#body.error ?? new AttemptError('aborted', 'the attempt has ended'))
    else this.#second.written(this.#clocks.enter('first-byte'), this.#options.lease.isNew)
  }

  /** The answer's first byte, be it of a broken head. */
  onResponseStarted(): void {
    this.#second.ruleOut()
  }

  onResponseStart(_controller: Controller, status: number, headers: ProviderReply['headers']): void {
    this.#options.headPoll.came()
    if (this.#isAsking) this.#heard('first-byte')
    else this.#options.life.seenAtMs = performance.now()
    // 1xx: the answer proper is still to come.
    if (status < 200) return
    this.#stage = 'answering'
    this.#reply.resolve(this.#replyOf(status, headers))
  }

  onResponseData(_controller: Controller, chunk: Uint8Array): void {
    if (this.#body.ended || chunk.length === 0) return
    const { life, stream } = this.#options
    if (this.#isAsking) this.#heard('idle')
    else if (this.#clocks.phase !== 'first-byte') life.seenAtMs = this.#clocks.touch()
    else if (!stream) life.seenAtMs = this.#clocks.enter('idle')
    this.#body.push(chunk)
    if (this.#body.queuedBytes >= QUEUE_BYTES) this.#pause()
  }

  onResponseEnd(): void {
    this.#end(undefined)
    this.#release()
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (!this.#body.ended && !this.#isAsking && this.#second.isDue(error)) return this.#sendAgain()
    this.#end(attemptErrorOf(error, this.#stage, this.#options.peer))
    this.#release()
  }

  /** @see Waiter */
  lives(restMs: Milliseconds): void {
    this.#isAsking = false
    this.#clocks.extend(restMs)
  }

  /** @see Waiter */
  isGone(): void {
    this.#isAsking = false
    const message = "the provider's first-byte clock ran out, and it gave no sign of life"
    this.#end(new AttemptError('timeout', message, { clock: 'first-byte' }))
  }

  /** @see BodySource */
  taken(): void {
    this.#resume()
  }

  /** What is still on its way is not wanted. @see BodySource */
  leave(): void {
    // An error is some microseconds of stack: most readers leave when all has been read.
    if (!this.#body.ended) this.#end(new AttemptError('aborted', 'the answer was left unread'))
  }

  #replyOf(status: number, headers: ProviderReply['headers']): ProviderReply {
    const encoding = headers['content-encoding']
    const encoded = isEncoded(encoding)
    return {
      status,
      headers: replyHeaders(headers, encoded),
      sentAgain: this.#sentAgain,
      body: encoded ? decodeContent(this.#body, encoding) : this.#body,
      takeWhole: () => (encoded ? undefined : this.#body.takeWhole()),
      firstContentSeen: () => this.firstContentSeen(),
      endsAfter: (silenceMs) => this.endsAfter(silenceMs),
    }
  }

  #sendAgain(): void {
    this.#sentAgain = true
    this.#stage = 'connecting'
    this.#clocks.enter('connect')
    this.#options.sendAgain(this)
  }

  #end(error: AttemptError | undefined): void {
    if (this.#body.ended) return
    this.#body.end(error)
    this.#clocks.stop()
    if (this.#isAsking) this.#stopAsking()
    this.#options.signal.removeEventListener('abort', this)
    if (error === undefined) return
    this.#reply.reject(error)
    this.#controller?.abort(error)
  }

  readonly #timeUp = (clock: Clock): void => {
    if (clock === 'first-byte' && this.#options.isPatient) this.#ask()
    // What was left to the server has ended by now: there the total clock, too, only cuts it off.
    else if (clock !== 'closing' && !this.#body.ended) this.#end(timedOut(clock, this.#options.peer))
    // After a look at the socket: where the event loop was held, what has come meanwhile waits there.
    else setImmediate(() => this.#close())
  }

  #ask(): void {
    this.#clocks.extend(Infinity)
    this.#isAsking = true
    this.#options.life.ask(this)
  }

  #stopAsking(): void {
    this.#isAsking = false
    this.#options.life.leave(this)
  }

  /** What it waits for has come itself. */
  #heard(phase: 'first-byte' | 'idle'): void {
    this.#options.life.seenAtMs = this.#clocks.enter(phase)
    this.#stopAsking()
  }

  #close(): void {
    if (this.#released) return
    this.#end(undefined)
    this.#controller?.abort(new AttemptError('cut', 'the answer was complete, its body was not'))
  }

  #leaveToServer(): void {
    this.#body.drop()
    this.#resume()
    this.#body.end(undefined)
    this.#options.signal.removeEventListener('abort', this)
    this.#clocks.close(CLOSING_MS)
  }

  #pause(): void {
    this.#controller?.pause()
    this.#clocks.pause()
  }

  #resume(): void {
    if (this.#body.ended || this.#controller?.paused !== true) return
    this.#clocks.resume()
    this.#controller.resume()
  }

  #release(): void {
    if (this.#released) return
    this.#released = true
    this.#clocks.stop()
    this.#options.lease.release()
  }
}

const ONCE = { once: true }

function timedOut(clock: Exclude<Clock, 'closing'>, peer: string): AttemptError {
  if (clock === 'connect') return connectTimeout(peer)
  return new AttemptError('timeout', `the provider's ${clock} clock ran out`, { clock })
}
