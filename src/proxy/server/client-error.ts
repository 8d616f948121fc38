/** What never becomes a request of a route: a plain answer in the OpenAI shape, then the end of the connection. */
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { newRequestId } from './request-id.ts'

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

/** Fastify's `clientErrorHandler`. */
export function onClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  answerPlainly(socket, ANSWERS[error.code ?? ''] ?? MALFORMED)
}

/** The server's `connect` event: the gateway is no forward proxy. Without a listener the connection would end unanswered. */
export function onConnect(_request: unknown, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  answerPlainly(socket, NO_TUNNEL)
}

function answerPlainly(
  socket: Duplex,
  { status, type = 'invalid_request_error', code, message, retry = false }: PlainAnswer,
): void {
  const body = JSON.stringify({ error: { message, type, param: null, code } })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-should-retry: ${retry}\r\nx-request-id: ${newRequestId(Date.now())}\r\nconnection: close\r\n\r\n${body}`,
  )
}
