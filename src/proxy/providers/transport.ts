/** Sends attempts to providers over HTTP. @see ProviderTransport */
import type { Secret } from '../../domain/secret.ts'
import type { Milliseconds, ProviderEntry } from '../../domain/snapshot/snapshot.ts'
import type { AttemptTimeouts } from './attempt-clocks.ts'
import type { PoolOptions } from './connection-pools.ts'
import type { Endpoint } from './endpoint.ts'
import type { ForwardProxyOf } from './environment-proxy.ts'
import type { Cancellation, ProviderCall, ProviderReply, ProviderTransport } from '../pipeline/ports.ts'
import type { HeaderLines, RequestKind } from './provider-headers.ts'
import type { Sign } from './sign-of-life.ts'
import { BusyPoll } from '../busy-poll.ts'
import { AttemptError } from '../pipeline/ports.ts'
import { attemptTimeouts, FIRST_BYTE_MS } from './attempt-clocks.ts'
import { checkTimeout } from './attempt-error.ts'
import { ConnectionPools } from './connection-pools.ts'
import { openEndpoint } from './endpoint.ts'
import { CROSSING_MS } from './kept-connection.ts'
import { ProviderExchange } from './provider-exchange.ts'
import { requestHeaders } from './provider-headers.ts'
import { PATIENCE_MS, SIGN_OF_LIFE_MS, SignOfLife } from './sign-of-life.ts'

/** One health check of a provider. */
export interface ProbeCall {
  readonly provider: ProviderEntry
  readonly credential: Secret | undefined
  readonly signal: Cancellation
}

export interface TransportOptions extends PoolOptions {
  /** Where a provider states none. */
  readonly firstByteMs?: Milliseconds
  readonly patienceMs?: Milliseconds
  readonly signOfLifeMs?: Milliseconds
  readonly crossingMs?: Milliseconds
  /** For providers whose manifest names none; without it they are reached directly. */
  readonly forwardProxyOf?: ForwardProxyOf | undefined
}

interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: HeaderLines
  readonly body: string | Uint8Array | null
  /** Whether it asks for a sign of life, over a connection that no call has used. */
  readonly isQuestion?: true
}

/** An endpoint and what this process knows of the server behind it. */
interface Upstream {
  readonly endpoint: Endpoint
  readonly timeouts: AttemptTimeouts
  /** Of whole answers where no time to the first byte is stated: they are waited for as long as the server lives. */
  readonly patientTimeouts: AttemptTimeouts | undefined
  readonly life: SignOfLife
  readonly headPoll: BusyPoll
  /** What the last call was sent with. */
  credential: Secret | undefined
}

export class HttpTransport implements ProviderTransport {
  readonly #pools: ConnectionPools
  readonly #firstByteMs: Milliseconds
  readonly #patienceMs: Milliseconds
  readonly #signOfLifeMs: Milliseconds
  readonly #crossingMs: Milliseconds
  readonly #forwardProxyOf: ForwardProxyOf
  readonly #upstreams = new WeakMap<ProviderEntry, Upstream>()
  #closed = false

  constructor(options: TransportOptions = {}) {
    this.#pools = new ConnectionPools(options)
    this.#firstByteMs = options.firstByteMs ?? FIRST_BYTE_MS
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS
    this.#signOfLifeMs = options.signOfLifeMs ?? SIGN_OF_LIFE_MS
    this.#crossingMs = options.crossingMs ?? CROSSING_MS
    this.#forwardProxyOf = options.forwardProxyOf ?? (() => undefined)
  }

  send(call: ProviderCall): Promise<ProviderReply> {
    try {
      return this.#begin(call).reply
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * Asks a provider's health route within `healthCheck.timeoutMs`, over the same connections. The body is not read.
   * @returns the status. @throws {AttemptError}
   */
  async probe({ provider, credential, signal }: ProbeCall): Promise<number> {
    const upstream = this.#upstream(provider)
    const request = probeRequest(upstream, credential)
    const timeouts = probeTimeouts(provider.healthCheck.timeoutMs)
    const exchange = this.#dispatch(upstream, 'probe', request, timeouts, signal)
    try {
      const { status } = await exchange.reply
      exchange.leave()
      return status
    } catch (error) {
      if (!(error instanceof AttemptError) || error.clock === undefined) throw error
      throw checkTimeout(upstream.endpoint.peer, error)
    }
  }

  /** Closes the connections of providers that are not in `providers`, when their exchanges have ended. */
  async retain(providers: readonly ProviderEntry[]): Promise<void> {
    await this.#pools.retain(new Set(providers.flatMap((provider) => this.#poolKey(provider))))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#pools.retain(new Set())
  }

  #begin(call: ProviderCall): ProviderExchange {
    const { credential, operation, stream, body, passHeaders, signal } = call
    const { provider, model } = call.deployment
    const kind = stream ? 'stream' : 'whole'
    const upstream = this.#upstream(provider)
    const { endpoint, patientTimeouts } = upstream
    const headers = requestHeaders(kind, { family: endpoint.family, provider, credential, passHeaders })
    const path = endpoint.pathOf({ upstreamName: model.upstreamName, operation, stream })
    upstream.credential = credential
    const timeouts = (kind === 'whole' ? patientTimeouts : undefined) ?? upstream.timeouts
    return this.#dispatch(upstream, kind, { method: 'POST', path, headers, body }, timeouts, signal)
  }

  #dispatch(
    { endpoint, life, headPoll, patientTimeouts }: Upstream,
    kind: RequestKind,
    { method, path, headers, body, isQuestion }: WireRequest,
    timeouts: AttemptTimeouts,
    signal: Cancellation,
  ): ProviderExchange {
    if (this.#closed) throw new AttemptError('aborted', 'the transport is closed')
    if (signal.aborted) throw new AttemptError('aborted', 'the attempt was aborted before it was sent')
    const lease = isQuestion === true ? this.#pools.takeForQuestion(endpoint) : this.#pools.take(endpoint)
    const request = { origin: endpoint.origin, method, path, headers, body: bytesOf(body) }
    const exchange = new ProviderExchange({
      peer: endpoint.peer,
      timeouts,
      signal,
      stream: kind === 'stream',
      life,
      headPoll,
      isPatient: timeouts === patientTimeouts,
      lease,
      crossingMs: this.#crossingMs,
      sendAgain: (handler) => lease.dispatchAfresh(request, handler),
    })
    try {
      lease.dispatcher.dispatch(request, exchange)
    } catch (error) {
      exchange.notSent(error)
    }
    return exchange
  }

  /** What the health route answers, be it 404 or 401, is all the same here. */
  async #signFrom(upstream: Upstream, signal: Cancellation): Promise<Sign> {
    let exchange: ProviderExchange
    try {
      const request: WireRequest = { ...probeRequest(upstream, upstream.credential), isQuestion: true }
      exchange = this.#dispatch(upstream, 'probe', request, probeTimeouts(this.#signOfLifeMs), signal)
    } catch {
      // Too many ask already, or the transport is closed: our own, whatever it is.
      return 'unknown'
    }
    try {
      await exchange.reply
    } catch {
      return 'gone'
    }
    exchange.endsAfter(0)
    return 'lives'
  }

  #upstream(provider: ProviderEntry): Upstream {
    let upstream = this.#upstreams.get(provider)
    if (upstream === undefined) {
      upstream = this.#open(provider)
      this.#upstreams.set(provider, upstream)
    }
    return upstream
  }

  #open(provider: ProviderEntry): Upstream {
    const isPatient = provider.timeouts.firstByteMs === undefined
    const upstream: Upstream = {
      endpoint: openEndpoint(provider, this.#forwardProxyOf),
      timeouts: attemptTimeouts(provider.timeouts, this.#firstByteMs),
      patientTimeouts: isPatient ? attemptTimeouts(provider.timeouts, this.#patienceMs) : undefined,
      headPoll: new BusyPoll(),
      life: new SignOfLife(this.#patienceMs, (signal) => this.#signFrom(upstream, signal)),
      credential: undefined,
    }
    return upstream
  }

  /** None for an endpoint that cannot be used: it has no connections either. */
  #poolKey(provider: ProviderEntry): string[] {
    try {
      return [this.#upstream(provider).endpoint.poolKey]
    } catch (error) {
      if (error instanceof AttemptError) return []
      throw error
    }
  }
}

/** As undici sends it. Of a text, it would make bytes of its own, beside the text that may have to be sent again. */
function bytesOf(body: WireRequest['body']): Uint8Array | null {
  return typeof body === 'string' ? Buffer.from(body) : body
}

function probeRequest({ endpoint }: Upstream, credential: Secret | undefined): WireRequest {
  const { family, provider } = endpoint
  const headers = requestHeaders('probe', { family, provider, credential, passHeaders: {} })
  return { method: 'GET', path: endpoint.healthPath(), headers, body: null }
}

function probeTimeouts(timeoutMs: Milliseconds): AttemptTimeouts {
  return { connectMs: timeoutMs, firstByteMs: timeoutMs, streamIdleMs: timeoutMs, totalMs: timeoutMs }
}
