/** What the pipeline needs from the world. Implemented in providers/, stores/, config/ and telemetry/. */
import type { AuditRecord } from '../../domain/audit/audit-record.ts'
import type { InjectionDetector } from '../../domain/guardrails/injection/detector.ts'
import type { JsonSchemas } from '../../domain/guardrails/json-shape.ts'
import type { Detector } from '../../domain/guardrails/masking/detector.ts'
import type { TokenSuffix } from '../../domain/guardrails/masking/restoring/redaction-token.ts'
import type { EffectivePolicy } from '../../domain/policy/effective-policy.ts'
import type { CompiledSnapshot, Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { Secret } from '../../domain/secret.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { HealthView } from '../../domain/routing/route.ts'

/** A clock, milliseconds since the epoch. */
export type Now = () => Milliseconds

/** The configuration in force. A request reads it once and keeps what it read. */
export interface ConfigurationSource {
  /** Undefined until the first good snapshot. */
  current(): Configuration | undefined
}

export interface Configuration {
  readonly compiled: CompiledSnapshot
  /** Key of a provider by its name; none where `credentials.type` is None or the secret is missing. */
  credentialOf(provider: string): Secret | undefined
  /** HMAC-SHA256 of a presented key, hex, as in `KeyDigest`. */
  digestOf(keyText: string): string
  /** Secret of an organization for redaction tokens. */
  redactionSecretOf(organization: string): Secret
  /** Secret of an organization that its cached answers are sealed with, hex. */
  cacheKeyOf(organization: string): Secret
}

export type CancellationListener = (() => void) | { handleEvent(): void }

/** Ends a call before its time: of `AbortSignal`, which is one, what is needed here. It fires once at most. */
export interface Cancellation {
  readonly aborted: boolean
  /** Called when it fires; never where it already has. */
  addEventListener(type: 'abort', listener: CancellationListener, options?: { once: boolean }): void
  removeEventListener(type: 'abort', listener: CancellationListener): void
}

/** One HTTP exchange with a provider. */
export interface ProviderTransport {
  /**
   * Sends one attempt and resolves when the response's headers are there.
   * Runs the provider's four clocks: connect, first byte, idle, total. Where a whole answer is long in coming and no time
   * to its first byte is stated, asks whether the provider still lives. Never follows redirects.
   * @throws {AttemptError} for everything that is not an HTTP response.
   */
  send(call: ProviderCall): Promise<ProviderReply>
  /** Closes idle connections; in-flight ones end by themselves. */
  close(): Promise<void>
}

export interface ProviderCall {
  readonly deployment: Deployment
  readonly credential: Secret | undefined
  /** What is asked: decides the path within the family. */
  readonly operation: 'chat' | 'count-tokens' | 'embeddings'
  readonly stream: boolean
  /** The body, JSON, rendered in the family's format. */
  readonly body: string | Uint8Array
  /** Client headers that are listed to be passed on, e.g. `anthropic-beta`. Lower case names. */
  readonly passHeaders: Readonly<Record<string, string>>
  /** Ends the attempt: the client has gone or the process is draining. */
  readonly signal: Cancellation
}

export interface ProviderReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /**
   * The body in chunks, pulled: nothing is read from the provider beyond what the consumer takes (and a socket
   * buffer). Throws AttemptError where a clock runs out or the connection breaks. Leaving the loop early aborts.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** The request was sent twice: the connection that it first went out over had been kept, and was closed just then. */
  readonly sentAgain?: boolean
  /** The body where it has come whole and nothing of it was read; it then is. Undefined: read `body`. */
  takeWhole?(): Uint8Array | undefined
  /**
   * The caller has seen the answer's first content: until then the first-byte clock runs on, even after the headers;
   * from then on the idle clock.
   */
  firstContentSeen(): void
  /**
   * How much longer the body may be silent before it ends, without an error, because the answer in it is complete.
   * Infinity: it is not complete after all. 0: it is over, and nothing more is read; the server has a moment to end the
   * body, so that its connection can be used again.
   */
  endsAfter?(silenceMs: Milliseconds): void
}

/** `busy`: the gateway's own bound, nothing was sent: it says nothing of the provider. */
export type AttemptErrorKind = 'connect' | 'timeout' | 'cut' | 'aborted' | 'refused-address' | 'protocol' | 'busy'

/** An attempt that ended without an HTTP response, or in the middle of its body. */
export class AttemptError extends Error {
  readonly kind: AttemptErrorKind
  /** Which clock ran out, for kind `timeout`. */
  readonly clock: 'connect' | 'first-byte' | 'idle' | 'total' | undefined

  constructor(
    kind: AttemptErrorKind,
    message: string,
    options: { clock?: AttemptError['clock']; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AttemptError'
    this.kind = kind
    this.clock = options.clock
  }
}

/** @param wasSent false: nothing went to the provider, so its limits do not count it */
export type LeaveProvider = (wasSent?: boolean) => void

/**
 * Circuit breakers, cool-downs and latency of deployments in this process. `startedMs`: when the attempt began: one of before
 * a breaker opened says nothing of what is since.
 */
export interface HealthRecorder extends HealthView {
  /** A whole answer has come. */
  succeeded(deployment: Deployment, firstByteMs: Milliseconds, startedMs: Milliseconds): void
  /** A stream's first content has come; its end is told by `completed` or `failed`, or not at all where the client left. */
  streaming(deployment: Deployment, firstByteMs: Milliseconds, startedMs: Milliseconds): void
  completed(deployment: Deployment, startedMs: Milliseconds): void
  /** `retryAfterMs`: the provider's own Retry-After, sets the cool-down at once. */
  failed(
    deployment: Deployment,
    failure: { readonly reason: string; readonly retryAfterMs?: Milliseconds; readonly ourFault?: boolean },
    startedMs: Milliseconds,
  ): void
  /** Tokens of an answer, for the provider's own limit of tokens a minute. */
  tokensUsed(deployment: Deployment, tokens: number): void
  /**
   * Takes a slot for an attempt; undefined where the provider's own limits (concurrency, requests and tokens a minute)
   * or a half-open breaker leave none. Call the returned function when the attempt has ended.
   */
  enter(deployment: Deployment): LeaveProvider | undefined
  /**
   * How long the provider's own limits a minute leave no room, if nobody asks meanwhile, or a half-open breaker's trial
   * probably lasts; 0: they do.
   */
  fullForMs(deployment: Deployment): Milliseconds
}

/** Detectors of the process, ready for a policy. */
export interface Guardrails {
  readonly injection: InjectionDetector
  /** Score from which a request is refused where the organization sets none. */
  readonly injectionThreshold: number
  /** The same object for the same policy object. */
  detectorFor(masking: EffectivePolicy['masking']): Detector
  tokenSuffixOf(organizationSecret: Secret): TokenSuffix
  jsonSchemas(): Promise<JsonSchemas>
}

/** Where audit records go. */
export interface AuditSink {
  /** Takes the record of one request, also as the JSON text that it is. Must not throw and must not wait. */
  write(record: AuditRecord, json: string): void
}
