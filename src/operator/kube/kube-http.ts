import { isIP } from 'node:net'
import { checkServerIdentity, type ConnectionOptions } from 'node:tls'
import { Agent } from 'undici'
import type { Dispatcher } from 'undici'
import { isJsonObject } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { KubeConnection, KubeTls } from './connection.ts'
import { Deadline } from './deadline.ts'
import { errorOfResponse, KubeError, LOCAL_REASONS } from './kube-error.ts'
import type { Milliseconds, Timing } from './timing.ts'

/** Bound of a whole call where none is given: twice what the API server gives a slow admission webhook. */
const REQUEST_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 10_000
/** Together with the kernel's ten probes, one a second, a peer that vanished is noticed after 25 s even without traffic. */
const KEEP_ALIVE_DELAY_MS = 15_000
/** Of calls that end; each watch has one more of its own, for a namespace may need one. */
const MAX_CONNECTIONS = 64
/** Well below the 90 s after which the API server closes an idle connection. */
const IDLE_MS = 30_000
/** A page of 500 objects is far smaller; no answer may fill the memory. */
const MAX_RESPONSE_BYTES = 128 << 20
const MAX_ERROR_BYTES = 64 << 10

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  /** Of the body; `application/json` if absent. */
  readonly contentType?: string
  readonly timeoutMs?: Milliseconds
  readonly signal?: AbortSignal | undefined
}

export interface KubeHttpOptions {
  readonly timing: Timing
  /** Name and version, for the server's audit log. */
  readonly userAgent: string
}

/** HTTPS to one API server on one pool of connections. Every failure is a KubeError. */
export class KubeHttp {
  readonly #connection: KubeConnection
  readonly #timing: Timing
  readonly #userAgent: string
  readonly #agent: Agent
  /** Without a bound, so that watches never keep calls from a connection. */
  readonly #streams: Agent
  readonly #url: URL

  constructor(connection: KubeConnection, { timing, userAgent }: KubeHttpOptions) {
    this.#connection = connection
    this.#timing = timing
    this.#userAgent = userAgent
    this.#url = new URL(connection.server)
    const options = {
      keepAliveTimeout: IDLE_MS,
      connect: {
        timeout: CONNECT_TIMEOUT_MS,
        keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
        ...tlsOptions(connection.tls),
      },
    }
    this.#agent = new Agent({ ...options, connections: MAX_CONNECTIONS })
    this.#streams = new Agent(options)
  }

  /** The answer's JSON object. @throws KubeError */
  async json(request: KubeRequest): Promise<JsonObject> {
    const deadline = new Deadline(this.#timing, request.timeoutMs ?? REQUEST_TIMEOUT_MS, request.signal)
    try {
      const response = await this.#send(this.#agent, request, deadline)
      const text = await readText(response.body, MAX_RESPONSE_BYTES)
      deadline.done()
      return parseBody(text)
    } catch (error) {
      throw explain(error, deadline, request)
    } finally {
      deadline.end()
    }
  }

  /**
   * The bytes of an answer without end. The timeout holds until its head has come; then `signal` ends it.
   * @throws KubeError, also while it is read.
   */
  async *stream(request: KubeRequest): AsyncGenerator<Buffer, void, undefined> {
    const deadline = new Deadline(this.#timing, request.timeoutMs ?? REQUEST_TIMEOUT_MS, request.signal)
    try {
      const response = await this.#send(this.#streams, request, deadline)
      deadline.lift()
      for await (const chunk of response.body) if (Buffer.isBuffer(chunk)) yield chunk
    } catch (error) {
      throw explain(error, deadline, request)
    } finally {
      deadline.end()
    }
  }

  /** Ends all connections, and with them all calls. */
  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#streams.destroy()])
  }

  async #send(agent: Agent, request: KubeRequest, deadline: Deadline): Promise<Dispatcher.ResponseData> {
    const first = await this.#sendOnce(agent, request, deadline)
    const { token } = this.#connection
    if (first.statusCode !== 401 || token === undefined) return accepted(first)
    // The token may have been renewed since it was read.
    await first.body.dump()
    token.expire()
    return accepted(await this.#sendOnce(agent, request, deadline))
  }

  async #sendOnce(agent: Agent, request: KubeRequest, deadline: Deadline): Promise<Dispatcher.ResponseData> {
    const token = await this.#connection.token?.get()
    const response = await agent.request({
      origin: this.#url.origin,
      path: `${this.#url.pathname.replace(/\/$/, '')}${request.path}${renderQuery(request.query)}`,
      method: request.method,
      headers: {
        accept: 'application/json',
        'user-agent': this.#userAgent,
        ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: deadline.signal,
      // The deadline is the bound; a watch may be silent for longer than undici's own.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    // An abort between two reads is an 'error' event, which without a listener would end the process.
    response.body.on('error', ignore)
    return response
  }
}

/** Why a call failed, whatever threw. */
function explain(error: unknown, deadline: Deadline, { method, path, timeoutMs }: KubeRequest): KubeError {
  const call = `${method} ${path}`
  if (deadline.outerAborted) return localError(`${call}: given up`, LOCAL_REASONS.aborted, error)
  if (deadline.expired)
    return localError(`${call}: no answer within ${timeoutMs ?? REQUEST_TIMEOUT_MS} ms`, LOCAL_REASONS.timeout, error)
  if (error instanceof KubeError) return error
  return localError(`${call}: ${error instanceof Error ? error.message : 'failed'}`, LOCAL_REASONS.connection, error)
}

function localError(message: string, reason: string, cause: unknown): KubeError {
  return new KubeError(message, { status: 0, reason, cause })
}

async function accepted(response: Dispatcher.ResponseData): Promise<Dispatcher.ResponseData> {
  const { statusCode, headers, body } = response
  if (statusCode >= 200 && statusCode < 300) return response
  const retryAfter = headers['retry-after']
  throw errorOfResponse(
    statusCode,
    await readText(body, MAX_ERROR_BYTES),
    typeof retryAfter === 'string' ? retryAfter : undefined,
  )
}

async function readText(body: AsyncIterable<unknown>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > maxBytes)
      throw localError(`the answer is larger than ${maxBytes} bytes`, LOCAL_REASONS.malformed, undefined)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseBody(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // Without a cause: the error of JSON.parse quotes the text, which may hold a Secret.
  }
  throw localError('the answer is not a JSON object', LOCAL_REASONS.malformed, undefined)
}

function renderQuery(query: KubeRequest['query'] = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? '' : `?${search.toString()}`
}

type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'servername' | 'checkServerIdentity' | 'rejectUnauthorized'
>

function tlsOptions({ ca, certificate, key, serverName, insecure }: KubeTls): TlsOptions {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key: key.reveal() }),
    ...(serverName === undefined ? {} : nameOptions(serverName)),
    rejectUnauthorized: insecure !== true,
  }
}

/** As in Go, the name may be an address, which is looked for in the certificate and not sent. */
function nameOptions(name: string): TlsOptions {
  return isIP(name) === 0
    ? { servername: name }
    : { checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate) }
}

function ignore(): void {
  // Whoever reads the body is told by its iterator.
}
