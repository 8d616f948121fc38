/** Errors in the shape of Google's APIs. @see https://google.aip.dev/193 */
import type { GatewayError } from '../../errors.ts'
import { asArray, asObject, asString, isJsonObject, type JsonObject } from '../../json.ts'
import { withoutUndefined } from '../fields.ts'
import type { ProviderError, SseEvent } from '../format.ts'

/** Where a status has no word of its own: below 500 the client's fault, else ours. @see https://ai.google.dev/gemini-api/docs/troubleshooting */
const WORD_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}
const WORDS: ReadonlySet<string> = new Set([
  ...Object.values(WORD_OF_STATUS),
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
  'ALREADY_EXISTS',
  'INTERNAL',
])

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'
const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo'
const DOMAIN = 'tollgate'

/** The body of a refusal. The gateway's code is the `reason` of the `ErrorInfo`, where Google's clients look for one. */
export function renderError(error: GatewayError, requestId: string): JsonObject {
  const metadata = withoutUndefined({ requestId, param: error.details.param })
  const wait = error.details.retryAfterSeconds
  const details: JsonObject[] = [{ '@type': ERROR_INFO, reason: error.publicCode, domain: DOMAIN, metadata }]
  if (wait !== undefined) details.push({ '@type': RETRY_INFO, retryDelay: `${Math.max(1, Math.ceil(wait))}s` })
  return { error: { code: error.status, message: error.message, status: statusOf(error), details } }
}

function statusOf(error: GatewayError): string {
  const vendor = error.details.vendor?.type
  if (vendor !== undefined && WORDS.has(vendor)) return vendor
  return WORD_OF_STATUS[error.status] ?? (error.status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')
}

/** The event that ends a failed stream: the SDK throws on an `error` with a code from 400 to 599. */
export function renderStreamError(error: GatewayError, requestId: string): SseEvent[] {
  return [{ data: JSON.stringify(renderError(error, requestId)) }]
}

/** Reads `{error: {code, message, status, details}}` and bodies that nearly have this shape. Never throws. */
export function parseError(document: JsonObject): ProviderError {
  const body = asObject(document.error) ?? document
  const details = asArray(body.details).filter(isJsonObject)
  return {
    message: asString(document.error) ?? asString(body.message),
    type: asString(body.status),
    code:
      details.map((detail) => asString(detail.reason)).find((reason) => reason !== undefined) ?? asString(body.status),
    param: fieldOf(details),
  }
}

/** The first field that a `BadRequest` detail blames. */
function fieldOf(details: readonly JsonObject[]): string | undefined {
  const violations = details.flatMap((detail) => asArray(detail.fieldViolations)).filter(isJsonObject)
  return violations.map((violation) => asString(violation.field)).find((field) => field !== undefined)
}
