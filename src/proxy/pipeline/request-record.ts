/** What is known of one request so far: written by the stages, read once when it settles. */
import type { CompletionRequest, TranslationWarning } from '../../domain/completion/request.ts'
import type { EffectivePolicy } from '../../domain/policy/effective-policy.ts'
import type { Charge } from '../../domain/quota/amounts.ts'
import type { QuotaWarning, Refused } from '../../domain/quota/outcome.ts'
import type { PromptSize } from '../../domain/quota/prompt-size.ts'
import type { AttemptRecord } from '../../domain/routing/decision.ts'
import { AUTO_MODEL } from '../../domain/routing/names.ts'
import type { Removal, RoutePlan } from '../../domain/routing/route.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { HeldMemory } from './memory/held-memory.ts'
import type { HeldReservation } from './quota/held-reservation.ts'
import type { Caller } from './authenticate.ts'
import type { CallCancellation } from './call-cancellation.ts'
import type { Incoming } from './exchange.ts'
import type { Cancellation, ProviderReply } from './ports.ts'
import { UsageMeter } from './quota/usage-meter.ts'

/** How a request ended. `answered` is the only one in which the client has the whole answer; `refused` is the client's to mend, or a limit's. */
export type Outcome = 'answered' | 'refused' | 'failed' | 'client-gone' | 'cut'

/**
 * `asked`: the question was embedded. `unaffordable`: the limits leave no room for the embedding. `failed`: no provider
 * embedded it in time.
 */
export type SemanticLook = 'asked' | 'unaffordable' | 'failed'

/** Where an answer of the cache was: in this process, in the shared store, or under another question. */
export type CacheHit = 'hit-l1' | 'hit-l2' | 'hit-semantic'

/** What became of the look into the cache, in the words of `x-gateway-cache`. */
export type CacheResult = CacheHit | 'miss' | 'bypass'

/** What the embedding of a question has used. */
export interface PaidEmbedding {
  readonly deployment: Deployment
  readonly charge: Charge
  /** Undefined where the model has no price. */
  readonly costMicroUsd: number | undefined
  /** The provider told no usage. */
  readonly estimated: boolean
}

export class RequestRecord {
  readonly incoming: Incoming
  readonly operation: string
  caller: Caller | undefined
  /** Of the key that was presented, also where it was refused; undefined where no key has that text. */
  virtualKey: string | undefined
  policy: EffectivePolicy | undefined
  /** `auto` where the client names none; undefined until its body has been read. */
  requestedModel: string | undefined
  stream = false
  plan: RoutePlan | undefined
  removed: readonly Removal[] = []
  readonly attempts: AttemptRecord[] = []
  readonly warnings: TranslationWarning[] = []
  /** Of the last try's answer; undefined: none has come. */
  replyHead: { readonly status: number; readonly contentType: string | undefined } | undefined
  /** Which deployment's answer the client gets. */
  served: Deployment | undefined
  readonly meter = new UsageMeter()
  /** The answer goes to the client: it is paid for, whether its provider tells the usage or not. */
  isResponding = false
  promptSize: PromptSize | undefined
  reservation: HeldReservation | undefined
  quotaRefusal: Refused | undefined
  quotaWarnings: readonly QuotaWarning[] = []
  /** `x-ratelimit-*`, on answers and refusals alike. */
  readonly rateLimitHeaders: Record<string, string> = {}
  firstContentAtMs: Milliseconds | undefined
  /** In which this request waited for the client's body, a provider, or another request's answer: not the gateway's own time. */
  waitedMs: Milliseconds = 0
  /** Findings of guardrails by kind. */
  findings: Record<string, number> = {}
  /** The guardrail that refused the request. */
  blockedBy: string | undefined
  /** Of the client's document, as it came; 0 where there is none. */
  bodyBytes = 0
  /** Bytes that guardrails saw, by guardrail and scope: `pii-safe/message`. */
  guardrailBytes: Record<string, number> = {}
  /** Micro-dollars; undefined where no price or no usage is known. */
  costMicroUsd: number | undefined
  /** Undefined: the call is none that is cached. */
  cache: CacheResult | undefined
  /** Age of the answer, where it came from the cache. */
  cacheAgeSeconds: number | undefined
  /** Cosine of the two questions, where the answer is another question's. */
  cacheSimilarity: number | undefined
  /** What became of the look by meaning; undefined: there was none. */
  semanticLook: SemanticLook | undefined
  /** The question's embedding, once it is paid for. */
  embedding: PaidEmbedding | undefined
  /** An embedding that is made while the provider is asked; the request settles after it. Never rejects. */
  embeddingUnderway: Promise<unknown> | undefined
  /** Of the provider's call, where others may want its answer after this client has gone; else the client's counts. */
  upstream: CallCancellation | undefined
  errorCode: string | undefined
  readonly memory = new HeldMemory()

  constructor(incoming: Incoming, operation: string) {
    this.incoming = incoming
    this.operation = operation
  }

  /** Ends the provider's call. */
  get upstreamSignal(): Cancellation {
    return this.upstream ?? this.incoming.signal
  }

  /** What `other` ends with; until then this request waits, which is not the gateway's own time. */
  async waitFor<Result>(other: Promise<Result>, now: () => Milliseconds): Promise<Result> {
    const started = now()
    try {
      return await other
    } finally {
      this.waitedMs += now() - started
    }
  }

  /** What the body says of itself. */
  noteRequest({ model, stream }: CompletionRequest): void {
    this.requestedModel = model ?? AUTO_MODEL
    this.stream = stream
  }

  /** An answer has begun to come. */
  noteReply({ status, headers }: Pick<ProviderReply, 'status' | 'headers'>): void {
    const contentType = headers['content-type']
    this.replyHead = { status, contentType: typeof contentType === 'string' ? contentType : undefined }
  }

  /** As if no guardrail had looked at the request, which was refused before one was to. */
  forgetGuardrails(): void {
    this.findings = {}
    this.guardrailBytes = {}
    this.blockedBy = undefined
  }

  /** Whether the answer came from the cache: no provider was asked for it, and nothing is charged but an embedding. */
  get isCacheHit(): boolean {
    return this.cache?.startsWith('hit') === true
  }
}
