/** The event by which a stream breaks off. */
import type { GatewayError } from '../../errors.ts'
import type { SseEvent } from '../format.ts'

export interface StreamFailure {
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param: string | null
}

/**
 * Flat, as the vendor documents it, and inside `error`, as it sends it: the SDKs throw an APIError on the latter.
 * @see https://github.com/openai/openai-python/blob/main/src/openai/_streaming.py
 */
export function errorEvent(failure: StreamFailure): SseEvent {
  const { message, code, param } = failure
  return { event: 'error', data: JSON.stringify({ type: 'error', code, message, param, error: failure }) }
}

export function renderStreamError(error: GatewayError): SseEvent[] {
  const { message, publicType: type, publicCode: code, details } = error
  return [errorEvent({ message, type, code, param: details.param ?? null })]
}
