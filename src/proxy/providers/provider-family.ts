/**
 * What differs between vendors on the wire besides the format: addresses, how the key is sent, what a refusal means.
 * One file per family, listed in registry.ts.
 */
import type { ProviderFormatName } from '../../domain/completion/request.ts'
import type { RenderTarget } from '../../domain/formats/format.ts'
import type { Milliseconds, ProviderEntry, ProviderType } from '../../domain/snapshot/snapshot.ts'

export interface ProviderFamily {
  readonly type: ProviderType
  readonly format: ProviderFormatName
  /** How the vendor wants an output limit that the gateway sets; absent: as the format has it. */
  readonly outputLimitField?: 'max_tokens' | 'max_completion_tokens'
  /** Whose API is at a base URL, where that matters. Absent: it does not. @see RenderTarget.dialect */
  dialect?(baseUrl: string | undefined): RenderTarget['dialect']
  /** Whether its API counts the tokens of a prompt (operation `count-tokens`). */
  readonly countsTokens?: boolean
  /** What the vendor's SDK uses when nobody names a base URL; undefined: there is none, the manifest must. */
  readonly defaultBaseUrl: string | undefined
  /** Headers that the API demands of every request. Lower case names. A header passed on from the client wins. */
  readonly fixedHeaders: Readonly<Record<string, string>>
  /** The address of an operation. `base` is a copy that may be changed; its query is kept. */
  url(base: URL, target: Target): URL
  /** A cheap GET that answers 2xx when the API is up and the key good. */
  healthUrl(base: URL): URL
  /** Header by which `credentials.type: Bearer` is sent. Lower case name. */
  authorize(secret: string): readonly [name: string, value: string]
  /** What an answer other than 2xx means. `body`: its text, as far as it was read. */
  classifyFailure(status: number, body: string): FailureKind
}

/** What can be asked of a vendor. A family whose API lacks one is never asked for it. */
export type Operation = 'chat' | 'count-tokens' | 'embeddings'

export interface Target {
  readonly upstreamName: string
  readonly operation: Operation
  readonly stream: boolean
}

/**
 * - `request`: the provider refuses the request itself; another one would too. Passed through to the client.
 * - `our-fault`: it refuses us (key, account, address, model name). Cool down at once, fail over.
 * - `rate-limited`: too much; its Retry-After counts.
 * - `unavailable`: it failed or is overloaded.
 */
export type FailureKind = 'request' | 'our-fault' | 'rate-limited' | 'unavailable'

/** An answer other than 2xx, judged. */
export interface ReplyFailure {
  readonly kind: FailureKind
  /** Whether the next candidate should be tried. */
  readonly failover: boolean
  /** Whether this same deployment may be tried again at once, within `failover.maxAttempts`. */
  readonly retrySame: boolean
  /** When the provider wants to be asked again, from now; undefined: it did not say. */
  readonly retryAfterMs: Milliseconds | undefined
}

/** Adds segments to the path of a base URL, whether or not it ends with a slash. */
export function withPath(base: URL, path: string): URL {
  base.pathname = `${base.pathname.replace(/\/+$/, '')}${path}`
  return base
}

/** Ids that vendors give to what a client has uploaded or made there: `file_011CNha8iCJcU1wXNR6q4V8w`, `container_011CPR5CNjB7`. */
const OBJECT_ID = /\b(?:file|container|cntr|skill)[-_](?=[A-Za-z]{0,64}\d)[A-Za-z0-9]{12,64}\b/

/** Statuses as most vendors use them. A 404 that names an object of the request is not about the model. @see DESIGN section 4 "Refusals" */
export function classifyStatus(status: number, body: string): FailureKind {
  if (status === 404 && OBJECT_ID.test(body)) return 'request'
  if (status === 429) return 'rate-limited'
  if (status === 400 || status === 413 || status === 422) return 'request'
  // Request timeout, conflict, too early: about the moment, not about the request.
  if (status === 408 || status === 409 || status === 425) return 'unavailable'
  // A redirect is never followed, so it is a base URL that has to be corrected, as is any other 4xx.
  return status >= 300 && status < 500 ? 'our-fault' : 'unavailable'
}

/** Judges an answer other than 2xx: the family's reading, and what the manifest says to retry on. */
export function judgeReply(
  family: ProviderFamily,
  provider: ProviderEntry,
  reply: { readonly status: number; readonly headers: Headers; readonly body: string; readonly nowMs: Milliseconds },
): ReplyFailure {
  const listed = provider.failover.retryOnStatus.includes(reply.status)
  const usual = family.classifyFailure(reply.status, reply.body)
  const kind = listed && usual === 'our-fault' && !IS_ABOUT_US.has(reply.status) ? 'unavailable' : usual
  const passing = kind === 'rate-limited' || kind === 'unavailable'
  return {
    kind,
    failover: kind !== 'request' || listed,
    retrySame: listed && passing,
    retryAfterMs: kind === 'request' ? undefined : parseRetryAfter(reply.headers, reply.nowMs),
  }
}

/** Key, account (some say so by 400 or 429), address, model name: the next try would be refused as well, whatever the manifest lists. */
const IS_ABOUT_US = new Set([400, 401, 402, 403, 404, 429])

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** `retry-after-ms`, else `retry-after` in seconds or as a date. @see RFC 9110 section 10.2.3 */
export function parseRetryAfter(headers: Headers, nowMs: Milliseconds): Milliseconds | undefined {
  const milliseconds = plainNumber(headers['retry-after-ms'])
  if (milliseconds !== undefined) return milliseconds
  const text = headers['retry-after']
  const seconds = plainNumber(text)
  if (seconds !== undefined) return seconds * 1000
  if (typeof text !== 'string' || !HTTP_DATE.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w :-]{10,40}$/

function plainNumber(text: string | string[] | undefined): number | undefined {
  return typeof text === 'string' && /^\d{1,100}(\.\d{1,100})?$/.test(text.trim()) ? Number(text) : undefined
}
