/** Sends attempts to providers over HTTP. @see ProviderTransport */
import type { Secret } from '../../domain/secret.ts'
import type { Milliseconds, ProviderEntry } from '../../domain/snapshot/snapshot.ts'
import type { AttemptTimeouts } from './attempt-clocks.ts'
import type { PoolOptions } from './connection-pools.ts'
import type { Endpoint } from './endpoint.ts'
import type { Cancellation, ProviderCall, ProviderReply, ProviderTransport } from '../pipeline/ports.ts'
import type { HeaderLines } from './provider-headers.ts'
import { AttemptError } from '../pipeline/ports.ts'
import { ConnectionPools } from './connection-pools.ts'
import { openEndpoint } from './endpoint.ts'
import { ProviderExchange } from './provider-exchange.ts'
import { requestHeaders } from './provider-headers.ts'

/** One health check of a provider. */
export interface ProbeCall {
  readonly provider: ProviderEntry
  readonly credential: Secret | undefined
  readonly signal: Cancellation
}

interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: HeaderLines
  readonly body: string | Uint8Array | null
}

export class HttpTransport implements ProviderTransport {
  readonly #pools: ConnectionPools
  readonly #endpoints = new WeakMap<ProviderEntry, Endpoint>()
  #closed = false

  constructor(options: PoolOptions = {}) {
    this.#pools = new ConnectionPools(options)
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
    const endpoint = this.#endpoint(provider)
    const headers = requestHeaders('probe', { family: endpoint.family, provider, credential, passHeaders: {} })
    const request: WireRequest = { method: 'GET', path: endpoint.healthPath(), headers, body: null }
    const timeouts = probeTimeouts(provider.healthCheck.timeoutMs)
    const exchange = this.#dispatch(endpoint, request, timeouts, signal, false)
    const { status } = await exchange.reply
    await exchange.return()
    return status
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
    const endpoint = this.#endpoint(provider)
    const headers = requestHeaders(kind, { family: endpoint.family, provider, credential, passHeaders })
    const path = endpoint.pathOf({ upstreamName: model.upstreamName, operation, stream })
    const request: WireRequest = { method: 'POST', path, headers, body }
    return this.#dispatch(endpoint, request, endpoint.timeouts[kind], signal, stream)
  }

  #dispatch(
    endpoint: Endpoint,
    { method, path, headers, body }: WireRequest,
    timeouts: AttemptTimeouts,
    signal: Cancellation,
    stream: boolean,
  ): ProviderExchange {
    if (this.#closed) throw new AttemptError('aborted', 'the transport is closed')
    if (signal.aborted) throw new AttemptError('aborted', 'the attempt was aborted before it was sent')
    const lease = this.#pools.take(endpoint)
    const exchange = new ProviderExchange({ timeouts, signal, stream, lease })
    try {
      lease.dispatcher.dispatch({ origin: endpoint.origin, method, path, headers, body }, exchange)
    } catch (error) {
      exchange.notSent(error)
    }
    return exchange
  }

  #endpoint(provider: ProviderEntry): Endpoint {
    let endpoint = this.#endpoints.get(provider)
    if (endpoint === undefined) {
      endpoint = openEndpoint(provider)
      this.#endpoints.set(provider, endpoint)
    }
    return endpoint
  }

  /** None for an endpoint that cannot be used: it has no connections either. */
  #poolKey(provider: ProviderEntry): string[] {
    try {
      return [this.#endpoint(provider).poolKey]
    } catch (error) {
      if (error instanceof AttemptError) return []
      throw error
    }
  }
}

function probeTimeouts(timeoutMs: Milliseconds): AttemptTimeouts {
  return { connectMs: timeoutMs, firstByteMs: timeoutMs, streamIdleMs: timeoutMs, totalMs: timeoutMs }
}
