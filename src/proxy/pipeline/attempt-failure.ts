/** What a failed try means: for the next try, for the provider's health, for the client in the end. */
import { GatewayError, UpstreamFormatError, type GatewayErrorDetails } from '../../domain/errors.ts'
import type { FormatName } from '../../domain/completion/request.ts'
import type { Format, ProviderError } from '../../domain/formats/format.ts'
import { isJsonObject } from '../../domain/json.ts'
import { jsonValue } from '../../domain/json-value.ts'
import type { AttemptRecord } from '../../domain/routing/decision.ts'
import { allRefuseUs, coolDownLeft, coolingDown, onlyResting } from '../../domain/routing/refusals.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import type { Secret } from '../../domain/secret.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { judgeReply, type ReplyFailure } from '../providers/provider-family.ts'
import { familyOf } from '../providers/registry.ts'
import { AttemptError, type AttemptErrorKind, type HealthRecorder, type ProviderReply } from './ports.ts'
import { faultOf } from './our-fault.ts'
import { readErrorBody } from './read-whole.ts'

/** A try that another one may make good. */
export interface AttemptFailure {
  readonly type: 'failure'
  /** `busy`: nothing was sent: the provider's own limits, its half-open breaker or our connections left no slot. */
  readonly kind: 'rate-limited' | 'timeout' | 'error' | 'busy'
  /** Whether the same deployment may be tried once more at once, within its `failover.maxAttempts`. */
  readonly retrySame: boolean
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

/** A response with a status outside 2xx, read and judged. */
export class StatusError extends Error {
  readonly status: number
  readonly verdict: ReplyFailure
  readonly provider: ProviderError
  readonly format: FormatName
  /** For the log: what to look at, where the fault is the gateway's own. */
  readonly detail: string | undefined

  constructor(status: number, verdict: ReplyFailure, provider: ProviderError, format: FormatName, detail?: string) {
    super(`status ${status}`)
    this.status = status
    this.verdict = verdict
    this.provider = provider
    this.format = format
    this.detail = detail
  }
}

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

/** Nor do our own connections. */
const NO_CONNECTION = {
  ...NO_SLOT,
  attempt: { result: 'busy', reason: 'connection-limit' },
} as const satisfies Judgement

const NOTHING: ProviderError = { message: undefined, type: undefined, code: undefined, param: undefined }

/** Longest provider message shown to a client. */
const MAX_MESSAGE_LENGTH = 2_000

/** Why each failed is the operator's to know: the client learns where it is written. */
const WHERE_TO_LOOK =
  'Why is in the log lines `provider failed` of the gateway with the id of this request (response header x-request-id).'

/** Statuses by which a provider, or a proxy before it, says that it took too long. */
const TIMEOUTS = new Set([408, 504])

/** The failure that a response outside 2xx is. Reads the beginning of its body. */
export async function statusErrorOf(
  reply: ProviderReply,
  deployment: Deployment,
  format: Format,
  credential: Secret | undefined,
  nowMs: number,
): Promise<StatusError> {
  const body = new TextDecoder().decode(await readErrorBody(reply))
  const { status, headers } = reply
  const verdict = judgeReply(familyOf(deployment.provider.type), deployment.provider, { status, headers, body, nowMs })
  const document = parseLoosely(body)
  const provider = isJsonObject(document) ? format.parseError(document) : NOTHING
  const detail = verdict.kind === 'our-fault' ? faultOf(status, deployment) : undefined
  return new StatusError(status, verdict, withoutCredential(provider, credential), format.name, detail)
}

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

/**
 * The error for the client when every try has failed. Where all that could serve the request is cooling down or full by
 * now, its retry-after is when the first of these may be asked again: the next request would be refused until then.
 */
export function exhausted(
  failures: readonly AttemptFailure[],
  plan: RoutePlan,
  health: HealthRecorder,
  nowMs: Milliseconds,
): GatewayError {
  const every = (kind: AttemptFailure['kind']) => failures.length > 0 && failures.every((item) => item.kind === kind)
  const tried = `attempts: ${failures.length}, candidates: ${plan.candidates.length}`
  const seconds = secondsLeft(plan, health, nowMs)
  const wait = seconds === 0 ? {} : { retryAfterSeconds: seconds }
  const passing = { retryAfterSeconds: Math.max(1, seconds) }
  if (every('timeout')) return new GatewayError('upstream_timeout', `No provider answered in time (${tried}).`, wait)
  const hopeless = isHopeless(failures, plan, health)
  if (every('busy')) return hopeless ? allRefuseUs(passing.retryAfterSeconds) : noRoom(passing)
  if (every('rate-limited')) {
    return new GatewayError('providers_rate_limited', `All providers are rate limited (${tried}).`, passing)
  }
  const wasFull = failures.some(({ kind }) => kind === 'busy')
  const details = hopeless ? { retryable: false } : wasFull ? passing : wait
  return new GatewayError('all_providers_failed', `All providers failed (${tried}). ${WHERE_TO_LOOK}`, details)
}

/**
 * Until the first of what could serve may be asked, of what was out already too; 0: one of them may now. What refuses us is
 * waited for only where there is nothing else.
 */
function secondsLeft(plan: RoutePlan, health: HealthRecorder, nowMs: Milliseconds): number {
  const all = choicesOf(plan)
  const resting = onlyResting(all, health)
  const leftMs = (resting.length === 0 ? all : resting).map((choice) =>
    Math.max(coolDownLeft([choice], health, nowMs), health.fullForMs(choice.deployment)),
  )
  return Math.ceil(Math.min(...leftMs) / 1_000)
}

/** What could serve, be it out for the moment. */
function choicesOf(plan: RoutePlan) {
  return [...plan.candidates, ...coolingDown(plan.removed)]
}

/**
 * All that could serve refuses this gateway: it was asked, and nobody was out for any other reason; or it has refused another
 * request meanwhile, for whose answer this one may have waited.
 */
function isHopeless(failures: readonly AttemptFailure[], plan: RoutePlan, health: HealthRecorder): boolean {
  if (onlyResting(choicesOf(plan), health).length === 0) return true
  if (failures.length < plan.candidates.length || onlyResting(coolingDown(plan.removed), health).length > 0)
    return false
  return failures.every(({ isOurFault }) => isOurFault === true)
}

function noRoom(details: GatewayErrorDetails): GatewayError {
  return new GatewayError('no_healthy_provider', 'No provider can take another request now.', details)
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

function parseLoosely(text: string): unknown {
  try {
    return jsonValue(text)
  } catch {
    return undefined
  }
}

/** Shorter keys are no secrets but fill a field for a server that wants none (`x`, `none`, `ollama`): also a piece of other words. */
const MIN_SECRET_CHARACTERS = 8

/** `Bearer sk-...`, as the Secret of a header of its own may have it: without its scheme. */
const SCHEME = /^[\w-]+ +(?=\S+$)/

/** Providers quote the key they were sent in some messages: it never goes further. It is sent without white space around it. */
function withoutCredential(error: ProviderError, credential: Secret | undefined): ProviderError {
  const sent = credential?.reveal().trim() ?? ''
  const keys = [sent, sent.replace(SCHEME, '')].filter(({ length }) => length >= MIN_SECRET_CHARACTERS)
  const clean = (text: string | undefined) => keys.reduce((told, key) => told?.replaceAll(key, '[secret]'), text)
  return { message: clean(error.message), type: clean(error.type), code: clean(error.code), param: clean(error.param) }
}
