/**
 * Every error of the product. `code` is stable and documented in README (code, status, meaning, cure); `STATUS_OF` is
 * the one table from code to HTTP status. Only `GatewayError`s may be read by a client: anything else that reaches the
 * edge becomes a plain 500 `internal_error` with the request id.
 */

import { printable } from './printable.ts'

/** HTTP status of each code. @see specification section 7, DESIGN section 4 "Refusals". */
export const STATUS_OF = {
  invalid_request_error: 400,
  invalid_control_header: 400,
  missing_required_tag: 400,
  thread_unsupported_request: 400,
  prompt_injection_detected: 400,
  no_eligible_model: 400,
  provider_rejected_request: 400,
  invalid_api_key: 401,
  model_not_allowed: 403,
  privilege_required: 403,
  model_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  request_too_large: 413,
  unsupported_media_type: 415,
  budget_exceeded: 429,
  token_quota_exceeded: 429,
  budget_reserved: 429,
  rate_limit_exceeded: 429,
  providers_rate_limited: 429,
  unpriced_model: 400,
  client_closed_request: 499,
  internal_error: 500,
  feature_not_available: 501,
  all_providers_failed: 502,
  invalid_structured_output: 502,
  upstream_format_error: 502,
  guardrail_failed: 503,
  no_healthy_provider: 503,
  quota_backend_unavailable: 503,
  not_ready: 503,
  upstream_timeout: 504,
} as const

export type ErrorCode = keyof typeof STATUS_OF

/** The error's family in the OpenAI convention (`error.type`); the adapters derive their vendor's word from it. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'insufficient_quota'
  | 'rate_limit_error'
  | 'api_error'

export interface GatewayErrorDetails {
  /** Header or field path at fault. */
  readonly param?: string
  /** Seconds after which the same call can succeed; absent where a retry cannot help or nobody knows. */
  readonly retryAfterSeconds?: number
  /** Instant at which a spent quota starts anew, milliseconds since the epoch. */
  readonly resetAtMs?: number
  /** Status where it differs from the table's (a provider's own 400, 413 or 422). */
  readonly status?: number
  /** Whether the same call may succeed later, where that differs from what the code says. */
  readonly retryable?: boolean
  /** Further response headers, e.g. `x-ratelimit-*`. Values are plain ASCII. */
  readonly headers?: Readonly<Record<string, string>>
  /** The provider's own words where the refusal is the provider's: shown in place of ours. */
  readonly vendor?: { readonly type: string | undefined; readonly code: string | undefined }
  readonly cause?: unknown
}

/**
 * An error that a client may read. The message names the rule and never holds a secret, a prompt or another tenant; what it
 * quotes of the client's text is made printable.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode
  readonly details: GatewayErrorDetails

  constructor(code: ErrorCode, message: string, details: GatewayErrorDetails = {}) {
    super(printable(message), details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = code
    this.details = details
  }

  get status(): number {
    return this.details.status ?? STATUS_OF[this.code]
  }

  get type(): ErrorType {
    return typeOf(this.code, this.status)
  }

  /** The code that a client reads: the provider's own where the refusal is the provider's. */
  get publicCode(): string {
    return this.details.vendor?.code ?? this.code
  }

  /** The type that a client reads, in the OpenAI convention. */
  get publicType(): string {
    return this.details.vendor?.type ?? this.type
  }

  /** Whether the same call may succeed later (sent as `x-should-retry`). */
  get retryable(): boolean {
    return this.details.retryable ?? RETRYABLE.has(this.code)
  }
}

/** A body that is malformed or has a field of a wrong type. */
export class InvalidRequestError extends GatewayError {
  constructor(message: string, param?: string) {
    super('invalid_request_error', message, param === undefined ? {} : { param })
  }
}

/** A control header that does not follow its grammar. @see docs/control-headers.md */
export class InvalidControlHeaderError extends GatewayError {
  constructor(message: string, header: string) {
    super('invalid_control_header', message, { param: header })
  }
}

/** A provider's answer that is not what its format says. Never shown with the provider's text. */
export class UpstreamFormatError extends GatewayError {
  constructor(message: string, cause?: unknown) {
    super('upstream_format_error', message, { cause })
  }
}

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'request_timeout',
  'rate_limit_exceeded',
  'budget_reserved',
  'providers_rate_limited',
  'internal_error',
  'all_providers_failed',
  'upstream_format_error',
  'guardrail_failed',
  'no_healthy_provider',
  'quota_backend_unavailable',
  'not_ready',
  'upstream_timeout',
])

const TYPE_BY_CODE: Partial<Record<ErrorCode, ErrorType>> = {
  budget_exceeded: 'insufficient_quota',
  token_quota_exceeded: 'insufficient_quota',
  budget_reserved: 'rate_limit_error',
}

function typeOf(code: ErrorCode, status: number): ErrorType {
  const byCode = TYPE_BY_CODE[code]
  if (byCode !== undefined) return byCode
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'api_error'
}
