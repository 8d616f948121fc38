/** What a failed try means: for the next try, for the provider's health, for the client in the end. */
import { GatewayError, UpstreamFormatError } from '../../domain/errors.ts'
import type { Format, ProviderError } from '../../domain/formats/format.ts'
import { isJsonObject } from '../../domain/json.ts'
import type { AttemptRecord } from '../../domain/routing/decision.ts'
import type { Secret } from '../../domain/secret.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import { AttemptError, type AttemptErrorKind, type ProviderReply } from './ports.ts'
import { readErrorBody } from './read-whole.ts'

/** A try that another deployment may make good. */
export interface AttemptFailure {
  readonly type: 'failure'
  readonly kind: 'rate-limited' | 'timeout' | 'error'
  /** Whether the next candidate may be tried. */
  readonly retry: boolean
  readonly retryAfterMs?: number
}

type Judgement =
  | { readonly type: 'rejection'; readonly error: GatewayError; readonly attempt: AttemptFacts }
  | {
      readonly type: 'failure'
      readonly failure: AttemptFailure
      readonly attempt: AttemptFacts
      readonly health: { readonly reason: string; readonly retryAfterMs?: number; readonly ourFault?: boolean }
    }

type AttemptFacts = Pick<AttemptRecord, 'result' | 'status' | 'reason'>

/** A response with a status outside 2xx. */
export class StatusError extends Error {
  readonly status: number
  readonly retryAfterMs: number | undefined
  readonly provider: ProviderError

  constructor(status: number, retryAfterMs: number | undefined, provider: ProviderError) {
    super(`status ${status}`)
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.provider = provider
  }
}

/** The provider refuses the request itself: another one would, too. @see DESIGN section 4 */
const REJECTED = new Set([400, 413, 422])

/** The provider refuses us: a wrong or unpaid credential, a model it does not have. */
const OUR_FAULT = new Set([401, 402, 403, 404])

const RESULT_OF = {
  connect: 'connect',
  cut: 'cut',
  protocol: 'protocol',
  'refused-address': 'connect',
  aborted: 'aborted',
} as const satisfies Partial<Record<AttemptErrorKind, AttemptRecord['result']>>

const NOTHING: ProviderError = { message: undefined, type: undefined, code: undefined, param: undefined }

/** Longest cool-down that a provider may ask for by Retry-After. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** Longest provider message shown to a client. */
const MAX_MESSAGE_LENGTH = 2_000

/** The failure that a response outside 2xx is. Reads the beginning of its body. */
export async function rejectionOf(
  reply: ProviderReply,
  format: Format,
  credential: Secret | undefined,
): Promise<StatusError> {
  const body = parseLoosely(await readErrorBody(reply))
  const provider = isJsonObject(body) ? format.parseError(body) : NOTHING
  return new StatusError(reply.status, retryAfterMs(reply), withoutCredential(provider, credential))
}

/** What to do after `error`. @throws {unknown} `error` itself where it is none of an attempt's (a bug). */
export function failureOf(error: unknown, deployment: Deployment): Judgement {
  if (error instanceof StatusError) return byStatus(error, deployment)
  if (error instanceof AttemptError) return byTransport(error)
  if (error instanceof UpstreamFormatError) return failure('error', 'malformed-answer', { result: 'error' })
  throw error
}

/** The error for the client when every try has failed. */
export function exhausted(failures: readonly AttemptFailure[], plan: RoutePlan): GatewayError {
  const every = (kind: AttemptFailure['kind']) => failures.length > 0 && failures.every((item) => item.kind === kind)
  const tried = `${failures.length} ${failures.length === 1 ? 'attempt' : 'attempts'} on ${plan.candidates.length} ${plan.candidates.length === 1 ? 'candidate' : 'candidates'}`
  if (every('timeout')) return new GatewayError('upstream_timeout', `No provider answered in time (${tried}).`)
  if (every('rate-limited')) {
    const wait = Math.max(1_000, ...failures.map((item) => item.retryAfterMs ?? 0))
    return new GatewayError('providers_rate_limited', `All providers are rate limited (${tried}).`, {
      retryAfterSeconds: Math.ceil(wait / 1_000),
    })
  }
  return new GatewayError('all_providers_failed', `All providers failed (${tried}).`)
}

function byStatus(error: StatusError, deployment: Deployment): Judgement {
  const { status, retryAfterMs: wait } = error
  const attempt: AttemptFacts = { result: 'error', status, reason: `status-${status}` }
  if (REJECTED.has(status)) {
    return { type: 'rejection', error: rejected(error), attempt: { ...attempt, reason: 'rejected' } }
  }
  const ourFault = OUR_FAULT.has(status)
  const retry = ourFault || status < 500 || deployment.provider.failover.retryOnStatus.includes(status)
  const kind = status === 429 ? 'rate-limited' : status === 408 || status === 504 ? 'timeout' : 'error'
  const waits = wait === undefined ? {} : { retryAfterMs: wait }
  return {
    type: 'failure',
    failure: { type: 'failure', kind, retry, ...waits },
    attempt,
    health: { reason: `status-${status}`, ourFault, ...waits },
  }
}

function byTransport(error: AttemptError): Judgement {
  if (error.kind === 'timeout') {
    return failure('timeout', `${error.clock ?? 'total'}-timeout`, { result: 'timeout' })
  }
  return failure('error', error.kind, { result: RESULT_OF[error.kind] })
}

function failure(kind: AttemptFailure['kind'], reason: string, attempt: AttemptFacts): Judgement {
  return {
    type: 'failure',
    failure: { type: 'failure', kind, retry: true },
    attempt: { ...attempt, reason },
    health: { reason },
  }
}

/** The provider's own words in the client's shape: the client's request is at fault and must be told how. */
function rejected({ status, provider }: StatusError): GatewayError {
  const message = provider.message ?? `The provider refused the request with status ${status}.`
  return new GatewayError('provider_rejected_request', message.slice(0, MAX_MESSAGE_LENGTH), {
    status,
    ...(provider.param === undefined ? {} : { param: provider.param }),
    vendor: { type: provider.type, code: provider.code },
  })
}

function parseLoosely(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function retryAfterMs(reply: ProviderReply): number | undefined {
  const milliseconds = Number(reply.headers['retry-after-ms'] ?? Number.NaN)
  if (milliseconds >= 0) return Math.min(milliseconds, MAX_RETRY_AFTER_MS)
  const text = String(reply.headers['retry-after'] ?? '')
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1_000, MAX_RETRY_AFTER_MS)
  const wait = Date.parse(text) - Date.parse(String(reply.headers['date'] ?? ''))
  return wait > 0 ? Math.min(wait, MAX_RETRY_AFTER_MS) : undefined
}

/** Providers quote the key they were sent in some messages: it never goes further. */
function withoutCredential(error: ProviderError, credential: Secret | undefined): ProviderError {
  const key = credential?.reveal() ?? ''
  if (key === '' || error.message === undefined) return error
  return { ...error, message: error.message.replaceAll(key, '[secret]') }
}
