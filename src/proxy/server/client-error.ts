/** What Node's HTTP parser refuses never becomes a request: a plain answer in the OpenAI shape, then the end. */
import type { Socket } from 'node:net'
import { newRequestId } from './request-id.ts'

const ANSWERS: Readonly<Record<string, { status: string; code: string; message: string; retry?: true }>> = {
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

const MALFORMED: (typeof ANSWERS)[string] = {
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
  const { status, code, message, retry = false } = ANSWERS[error.code ?? ''] ?? MALFORMED
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-should-retry: ${retry}\r\nx-request-id: ${newRequestId(Date.now())}\r\nconnection: close\r\n\r\n${body}`,
  )
}
