/** Every way of not answering, in the client's shape. */
import { GatewayError } from '../../domain/errors.ts'
import type { ClientAdapter } from '../adapters/adapter.ts'
import type { Outgoing, ResponseHeaders } from './exchange.ts'

/** Unknown errors become this one: nothing of theirs is shown, the request id leads to the log. */
export function publicError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  return new GatewayError('internal_error', 'An error inside the gateway. The request id leads to its log.', {
    cause: error,
  })
}

export function refuse(
  error: GatewayError,
  adapter: ClientAdapter,
  requestId: string,
  headers: ResponseHeaders,
): Extract<Outgoing, { type: 'whole' }> {
  return {
    type: 'whole',
    status: error.status,
    headers: { ...headers, ...errorHeaders(error), 'content-type': 'application/json' },
    body: JSON.stringify(adapter.renderError(error, requestId)),
  }
}

/** `x-should-retry` is obeyed by the official SDKs: a hopeless call is not repeated, a hopeful one is, at the right time. */
function errorHeaders(error: GatewayError): ResponseHeaders {
  const { retryAfterSeconds, resetAtMs, headers } = error.details
  return {
    ...headers,
    'x-should-retry': String(error.retryable),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
    ...(resetAtMs === undefined ? {} : { 'x-gateway-quota-reset': new Date(resetAtMs).toISOString() }),
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  }
}
