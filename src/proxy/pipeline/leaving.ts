/** What a client is told whose answer the end of the process comes before. */
import { GatewayError } from '../../domain/errors.ts'

export function leavingError(): GatewayError {
  return new GatewayError('not_ready', 'The gateway is shutting down: the answer is not complete.', {
    retryAfterSeconds: 1,
  })
}
