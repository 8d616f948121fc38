/** What never becomes a request of a route: a plain answer in the OpenAI shape, then the end of the connection. */
import type { Duplex } from 'node:stream'
import { newRequestId } from './request-id.ts'
import { isRefused } from './rest-of-body.ts'
import type { RunningAnswers } from './running-answers.ts'

interface PlainAnswer {
  readonly status: string
  readonly type?: string
  readonly code: string
  readonly message: string
  readonly retry?: boolean
}

const ANSWERS: Readonly<Record<string, PlainAnswer>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'invalid_request_error',
    message: 'The request headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
    retry: true,
  },
}

const NO_TUNNEL: PlainAnswer = {
  status: '404 Not Found',
  type: 'not_found_error',
  code: 'route_not_found',
  message: 'There is no such method and path.',
}

const MALFORMED: PlainAnswer = {
  status: '400 Bad Request',
  code: 'invalid_request_error',
  message: 'The request is not valid HTTP.',
}

/** For the answer to be read: closed with bytes of the client's unread, the connection would take it away. */
const LINGER_MS = 5_000

/** What is said on a connection outside of the answers to its requests. */
export class ConnectionEnd {
  readonly #running: RunningAnswers
  readonly #lingerMs: number
  /** What came there last is malformed, and the answers to what came before are not yet given. */
  readonly #waiting = new WeakSet<Duplex>()

  /** @param lingerMs how long the client has for closing its side; until then its request holds what it holds */
  constructor(running: RunningAnswers, lingerMs = LINGER_MS) {
    this.#running = running
    this.#lingerMs = lingerMs
  }

  /** Fastify's `clientErrorHandler`. */
  onClientError(error: Error & { code?: string }, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    if (!socket.writable) {
      socket.destroy()
      return
    }
    this.#afterAnswers(socket, () => {
      // What is malformed is behind the answer.
      if (isRefused(socket)) endWith('', socket, this.#lingerMs)
      else answerPlainly(socket, ANSWERS[error.code ?? ''] ?? MALFORMED, this.#lingerMs)
    })
  }

  /** The server's `connect` event: the gateway is no forward proxy. Without a listener the connection would end unanswered. */
  onConnect(socket: Duplex): void {
    socket.on('error', () => socket.destroy())
    this.#afterAnswers(socket, () => answerPlainly(socket, NO_TUNNEL, this.#lingerMs))
  }

  /** Said before them, it would be read as the answer to an earlier request of the connection, or in the middle of one. */
  #afterAnswers(socket: Duplex, say: () => void): void {
    const answer = this.#running.lastRequested(socket)
    if (answer === undefined) return say()
    // The rest of it is malformed, too.
    if (this.#waiting.has(socket)) return
    this.#waiting.add(socket)
    answer.on('close', () => {
      if (socket.writable) say()
    })
  }
}

function answerPlainly(
  socket: Duplex,
  { status, type = 'invalid_request_error', code, message, retry = false }: PlainAnswer,
  lingerMs: number,
): void {
  const body = JSON.stringify({ error: { message, type, param: null, code } })
  endWith(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-should-retry: ${retry}\r\nx-request-id: ${newRequestId(Date.now())}\r\nconnection: close\r\n\r\n${body}`,
    socket,
    lingerMs,
  )
}

function endWith(text: string, socket: Duplex, lingerMs: number): void {
  socket.end(text)
  // Node tells of a slow request once: a client that kept its side open would be there for ever.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.on('close', () => clearTimeout(timer))
}
