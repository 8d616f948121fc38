import { asNumber, asObject, asString, isJsonObject } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Milliseconds } from './timing.ts'

/** Longest `Retry-After` that is obeyed: a server that asks for more is asked again sooner, not in a day. */
const MAX_RETRY_AFTER_MS = 5 * 60_000
/** Of a message that is not a Status object (a proxy's HTML page). */
const MAX_FOREIGN_TEXT = 200

/** Reasons that this side makes; all others are the API server's own. @see k8s.io/apimachinery metav1.StatusReason */
export const LOCAL_REASONS = Object.freeze({
  /** No answer in time. The call may have been executed. */
  timeout: 'ClientTimeout',
  /** No connection, or it broke. The call may have been executed. */
  connection: 'ConnectionFailed',
  /** An answer that is not what the API says. */
  malformed: 'MalformedResponse',
  /** The caller's signal. */
  aborted: 'Aborted',
})

export interface KubeErrorDetails {
  /** HTTP status; 0 where there was no complete answer. */
  readonly status: number
  readonly reason: string
  /** How long the server asked to be left alone. */
  readonly retryAfterMs?: Milliseconds | undefined
  readonly cause?: unknown
}

/** Every failure of a call to the API server. The message is the server's; where it quotes a refused Secret or token it is withheld. */
export class KubeError extends Error {
  readonly status: number
  readonly reason: string
  readonly retryAfterMs: Milliseconds | undefined

  constructor(message: string, { status, reason, retryAfterMs, cause }: KubeErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'KubeError'
    this.status = status
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }

  /** The object does not exist. */
  get isNotFound(): boolean {
    return this.status === 404
  }

  /** Somebody else wrote first, or the object exists already (`reason` tells which). */
  get isConflict(): boolean {
    return this.status === 409
  }

  /** The resource version is too old to go on from: list again. */
  get isExpired(): boolean {
    return this.status === 410
  }
}

/** The error of an answer with `status`. `body` is its text. */
export function errorOfResponse(status: number, body: string, retryAfter: string | undefined): KubeError {
  const parsed = parseObject(body)
  if (parsed?.['kind'] === 'Status') return errorOfStatus(parsed, status, retryAfter)
  const text = body.trim().slice(0, MAX_FOREIGN_TEXT)
  const retryAfterMs = parseRetryAfter(retryAfter)
  return new KubeError(`HTTP ${status}${text === '' ? '' : `: ${text}`}`, {
    status,
    reason: reasonOf(status),
    retryAfterMs,
  })
}

/** The error that a Status object tells, as an answer's body or as a watch's ERROR event. */
export function errorOfStatus(status: JsonObject, httpStatus = 0, retryAfter?: string): KubeError {
  const code = asNumber(status['code']) ?? httpStatus
  const seconds = asNumber(asObject(status['details'])?.['retryAfterSeconds'])
  const asked = parseRetryAfter(retryAfter) ?? (seconds === undefined ? undefined : bounded(seconds))
  const reason = asString(status['reason'])
  return new KubeError(asString(status['message']) ?? `status ${code}`, {
    status: code,
    reason: reason === undefined || reason === '' ? reasonOf(code) : reason,
    retryAfterMs: asked,
  })
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Only seconds: the API server sends nothing else. */
function parseRetryAfter(header: string | undefined): Milliseconds | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? bounded(Number(header)) : undefined
}

function bounded(seconds: number): Milliseconds {
  return Math.min(Math.max(0, seconds) * 1_000, MAX_RETRY_AFTER_MS)
}

function reasonOf(status: number): string {
  switch (status) {
    case 401:
      return 'Unauthorized'
    case 403:
      return 'Forbidden'
    case 404:
      return 'NotFound'
    case 409:
      return 'Conflict'
    case 410:
      return 'Gone'
    case 429:
      return 'TooManyRequests'
    default:
      return status >= 500 ? 'InternalError' : 'Unknown'
  }
}
