/** The event by which a stream breaks off. */
import type { GatewayError } from '../../errors.ts'
import type { SseEvent } from '../format.ts'

interface StreamFailure {
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param: string | null
}

/**
 * Flat, as the vendor documents it, and inside `error`, as it sends it: the SDKs throw an APIError on the latter.
 * @see https://github.com/openai/openai-python/blob/main/src/openai/_streaming.py
 */
export function errorEvent(failure: StreamFailure, sequence: number): SseEvent {
  const { message, code, param } = failure
  const fields = { type: 'error', sequence_number: sequence, code, message, param, error: failure }
  return { event: 'error', data: JSON.stringify(fields) }
}

export function renderStreamError(error: GatewayError, _requestId: string, sequence: number): SseEvent[] {
  const { message, publicType: type, publicCode: code, details } = error
  return [errorEvent({ message, type, code, param: details.param ?? null }, sequence)]
}
