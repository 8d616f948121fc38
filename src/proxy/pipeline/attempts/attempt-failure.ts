/** What a failed try means: for the next try, for the provider's health, for the client where it is at fault itself. */
import { GatewayError, UpstreamFormatError } from '../../../domain/errors.ts'
import type { FormatName } from '../../../domain/completion/request.ts'
import type { AttemptRecord } from '../../../domain/routing/decision.ts'
import { AttemptError, type AttemptErrorKind } from '../ports.ts'
import type { Unreserved } from '../quota/answer-reservation.ts'
import { StatusError } from './status-error.ts'

/** A try that another one may make good. */
export interface AttemptFailure {
  readonly type: 'failure'
  /** `busy`: nothing was sent: the provider's own limits, its half-open breaker, our connections or the caller's budgets left no room. */
  readonly kind: 'rate-limited' | 'timeout' | 'error' | 'busy'
  /** Whether the same deployment may be tried once more at once, within its `failover.maxAttempts`. */
  readonly retrySame: boolean
  /** The caller's limits leave too little for it: what the client is told where nobody answers. */
  readonly refusal?: Unreserved
  /** The provider refuses this gateway: its key, its account, a model that is not there. Asking again does not help. */
  readonly isOurFault?: boolean
}

type Judgement =
  | { readonly type: 'rejection'; readonly error: GatewayError; readonly attempt: AttemptFacts }
  | {
      readonly type: 'failure'
      readonly failure: AttemptFailure
      readonly attempt: AttemptFacts
      /** What it says of the provider's health; undefined: nothing. */
      readonly health: ProviderFailure | undefined
    }

interface ProviderFailure {
  readonly reason: string
  readonly retryAfterMs?: number
  readonly ourFault?: boolean
}

type AttemptFacts = Pick<AttemptRecord, 'result' | 'status' | 'reason'>

const RESULT_OF = {
  connect: 'connect',
  cut: 'cut',
  protocol: 'protocol',
  'refused-address': 'connect',
  aborted: 'aborted',
  timeout: 'timeout',
} as const satisfies Record<Exclude<AttemptErrorKind, 'busy'>, AttemptRecord['result']>

/** Its own limits or its half-open breaker left no slot for the try: that says nothing of the provider. */
export const NO_SLOT = {
  type: 'failure',
  failure: { type: 'failure', kind: 'busy', retrySame: false },
  attempt: { result: 'busy', reason: 'provider-limit' },
  health: undefined,
} as const satisfies Judgement

/** Nor do the caller's budgets and quotas, which leave too little for this deployment. */
export const NO_BUDGET = {
  ...NO_SLOT,
  attempt: { result: 'busy', reason: 'budget' },
} as const satisfies Judgement

/** Nor can it be asked what they leave. */
export const NO_QUOTA_STORE = {
  ...NO_SLOT,
  attempt: { result: 'busy', reason: 'quota-store' },
} as const satisfies Judgement

/** Nor do our own connections. */
const NO_CONNECTION = {
  ...NO_SLOT,
  attempt: { result: 'busy', reason: 'connection-limit' },
} as const satisfies Judgement

/** Longest provider message shown to a client. */
const MAX_MESSAGE_LENGTH = 2_000

/** Statuses by which a provider, or a proxy before it, says that it took too long. */
const TIMEOUTS = new Set([408, 504])

/** What to do after `error`. @throws {unknown} `error` itself where it is none of an attempt's (a bug). */
export function judge(error: unknown, clientFormat: FormatName): Judgement {
  if (error instanceof StatusError) return byStatus(error, clientFormat)
  if (error instanceof AttemptError) return byTransport(error)
  if (error instanceof UpstreamFormatError) return failure('error', 'malformed-answer', { result: 'error' })
  throw error
}

/** Whether anything of a try that failed may have gone to its provider. */
export function wasSent(error: unknown): boolean {
  return !(error instanceof AttemptError && error.kind === 'busy')
}

function byStatus(error: StatusError, clientFormat: FormatName): Judgement {
  const { status, verdict } = error
  const attempt: AttemptFacts = { result: 'error', status, reason: `status-${status}` }
  if (!verdict.failover) return { type: 'rejection', error: rejected(error, clientFormat), attempt }
  const kind = verdict.kind === 'rate-limited' ? 'rate-limited' : TIMEOUTS.has(status) ? 'timeout' : 'error'
  const waits = verdict.retryAfterMs === undefined ? {} : { retryAfterMs: verdict.retryAfterMs }
  return {
    type: 'failure',
    failure: { type: 'failure', kind, retrySame: verdict.retrySame, isOurFault: verdict.kind === 'our-fault' },
    attempt,
    // Listed by the manifest, but said of the request: bad requests of one client must not take the provider from all.
    health:
      verdict.kind === 'request'
        ? undefined
        : { reason: `status-${status}`, ourFault: verdict.kind === 'our-fault', ...waits },
  }
}

function byTransport(error: AttemptError): Judgement {
  if (error.kind === 'busy') return NO_CONNECTION
  const reason = error.kind === 'timeout' ? `${error.clock ?? 'total'}-timeout` : error.kind
  return failure(error.kind === 'timeout' ? 'timeout' : 'error', reason, { result: RESULT_OF[error.kind] })
}

function failure(kind: AttemptFailure['kind'], reason: string, attempt: AttemptFacts): Judgement {
  return {
    type: 'failure',
    failure: { type: 'failure', kind, retrySame: true },
    attempt: { ...attempt, reason },
    health: { reason },
  }
}

/**
 * The provider's own words in the client's shape: the client's request is at fault and must be told how. Its type and
 * code are words of its format and mean nothing to a client of another.
 */
function rejected({ status, provider, format }: StatusError, clientFormat: FormatName): GatewayError {
  const message = provider.message ?? `The provider refused the request with status ${status}.`
  return new GatewayError('provider_rejected_request', message.slice(0, MAX_MESSAGE_LENGTH), {
    status,
    ...(provider.param === undefined ? {} : { param: provider.param }),
    ...(format === clientFormat ? { vendor: { type: provider.type, code: provider.code } } : {}),
  })
}
