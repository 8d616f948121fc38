/**
 * Errors in Anthropic's shape. The stable code stands beside the vendor's type, and where its SDKs look for one from
 * version 2 (Python), 1 (JavaScript) on: `details.error_code`.
 */
import type { GatewayError } from '../../errors.ts'
import { asObject, asString, type JsonObject } from '../../json.ts'
import { withoutUndefined } from '../fields.ts'
import type { ProviderError, SseEvent } from '../format.ts'

/** @see https://docs.anthropic.com/en/api/errors */
const TYPE_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
const TYPES: ReadonlySet<string> = new Set([
  ...Object.values(TYPE_OF_STATUS),
  'invalid_request_error',
  'api_error',
  'conflict_error',
])

/** The body of a refusal. */
export function renderError(error: GatewayError, requestId: string): JsonObject {
  return {
    type: 'error',
    error: withoutUndefined({
      type: typeOf(error),
      message: error.message,
      code: error.publicCode,
      param: error.details.param,
      details: { error_code: error.publicCode },
    }),
    request_id: requestId,
  }
}

function typeOf(error: GatewayError): string {
  const vendorType = error.details.vendor?.type
  if (vendorType !== undefined && TYPES.has(vendorType)) return vendorType
  // Waiting does not bring a spent budget back, which is what a rate limit would promise.
  if (error.type === 'insufficient_quota') return 'billing_error'
  return TYPE_OF_STATUS[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'api_error')
}

/** The event that ends a failed stream; no `message_stop` follows, which would tell that the answer is whole. */
export function renderStreamError(error: GatewayError, requestId: string): SseEvent[] {
  return [{ event: 'error', data: JSON.stringify(renderError(error, requestId)) }]
}

/** Reads `{type: 'error', error: {...}}`, and bodies that nearly have this shape. Never throws. */
export function parseError(document: JsonObject): ProviderError {
  const body = asObject(document.error) ?? document
  return {
    message: asString(document.error) ?? asString(body.message) ?? asString(document.detail),
    type: body === document ? undefined : asString(body.type),
    code: asString(asObject(body.details)?.error_code) ?? asString(body.code),
    param: asString(body.param),
  }
}
