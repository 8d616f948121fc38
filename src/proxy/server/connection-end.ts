/** What is said on a connection outside of the answers to its requests, before it ends. */
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { GatewayError } from '../../domain/errors.ts'
import { BROKEN_BODY } from './collect-body.ts'
import { refuseOutside } from './refuse-outside.ts'
import { isRefused } from './rest-of-body.ts'
import type { RunningAnswers } from './running-answers.ts'

/** Node's, of its parser or of its clocks. */
export interface ClientError extends Error {
  readonly code?: string
  /** Of the parser: what is wrong, in fixed words. */
  readonly reason?: string
  /** What was being read. */
  readonly rawPacket?: unknown
}

/** For the answer to be read: closed with bytes of the client's unread, the connection would take it away. */
const LINGER_MS = 5_000

/** The start of a request, as far as it says who is to read the answer. */
const TARGET = /^[A-Z]+ (\S{1,1000}) HTTP\/1\.[01]\r\n/
const TARGET_BYTES = 1_100

export class ConnectionEnd {
  readonly #running: RunningAnswers
  readonly #lingerMs: number
  /** What came there last is malformed, and the answers to what came before are not yet given. */
  readonly #waiting = new WeakSet<Duplex>()
  /** So is a body, and the answer to its head says so. */
  readonly #told = new WeakSet<Duplex>()

  /** @param lingerMs how long the client has for closing its side; until then its request holds what it holds */
  constructor(running: RunningAnswers, lingerMs = LINGER_MS) {
    this.#running = running
    this.#lingerMs = lingerMs
  }

  /** Fastify's `clientErrorHandler`. */
  onClientError(error: ClientError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    if (!socket.writable) {
      socket.destroy()
      return
    }
    this.#afterAnswers(socket, () => {
      // It has come meanwhile.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && this.#running.lastRequested(socket) !== undefined) return
      // What is malformed is behind the answer.
      if (isRefused(socket)) endWith('', socket, this.#lingerMs)
      else if (!this.#isForReader(error, socket)) this.#answer(refusalOf(error), this.#targetOf(error, socket), socket)
    })
  }

  /** The server's `connect` event: the gateway is no forward proxy. Without a listener the connection would end unanswered. */
  onConnect(socket: Duplex): void {
    socket.on('error', () => socket.destroy())
    const error = new GatewayError('route_not_found', 'There is no such method and path.')
    this.#afterAnswers(socket, () => this.#answer(error, '', socket))
  }

  /** Said before them, it would be read as the answer to an earlier request of the connection, or in the middle of one. */
  #afterAnswers(socket: Duplex, say: () => void): void {
    const answer = this.#running.lastRequested(socket)
    if (answer === undefined) return say()
    // The rest of it is malformed, too.
    if (this.#waiting.has(socket)) return
    this.#waiting.add(socket)
    answer.on('close', () => {
      this.#waiting.delete(socket)
      if (socket.writable) say()
    })
  }

  /**
   * Where a head came whole and its body does not, who reads that refuses the request, in its shape and with a record of
   * it. A client that ends its side has mostly gone, and is told as one that has not.
   */
  #isForReader(error: ClientError, socket: Duplex): boolean {
    if (this.#told.has(socket)) return true
    const response = this.#running.incomplete(socket)
    if (response === undefined || response.headersSent || error.code === 'HPE_INVALID_EOF_STATE') return false
    response.shouldKeepAlive = false
    if (!response.req.emit(BROKEN_BODY, refusalOf(error))) return false
    this.#told.add(socket)
    return true
  }

  #targetOf({ rawPacket }: ClientError, socket: Duplex): string {
    const response = this.#running.incomplete(socket)
    if (response !== undefined) return response.req.url ?? ''
    if (!(rawPacket instanceof Uint8Array)) return ''
    return TARGET.exec(Buffer.from(rawPacket.subarray(0, TARGET_BYTES)).toString('latin1'))?.[1] ?? ''
  }

  #answer(error: GatewayError, target: string, socket: Duplex): void {
    const { status, headers, body } = refuseOutside(error, target, Date.now())
    const lines = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
    endWith(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${String(body)}`, socket, this.#lingerMs)
  }
}

function refusalOf({ code, reason }: ClientError): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('invalid_request_error', 'The request headers are too large.', { status: 431 })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('request_timeout', 'The request did not arrive in time.')
    default: {
      const why = reason === undefined ? '' : `: ${reason}`
      return new GatewayError('invalid_request_error', `The request is not valid HTTP${why}.`)
    }
  }
}

function endWith(text: string, socket: Duplex, lingerMs: number): void {
  socket.end(text)
  // Node tells of a slow request once: a client that kept its side open would be there for ever.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.on('close', () => clearTimeout(timer))
}
