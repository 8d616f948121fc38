/** Everything that the pipeline uses of the process it runs in. Built once by an entry. */
import type { AfterAnswer } from './after-answer.ts'
import type { AnswerMemory } from './memory/answer-memory.ts'
import type { ValueMemory } from './memory/value-memory.ts'
import type { AnswerCache, QuestionIndex } from './cache-port.ts'
import type {
  AuditSink,
  Cancellation,
  ConfigurationSource,
  Guardrails,
  HealthRecorder,
  Now,
  ProviderTransport,
} from './ports.ts'
import type { QuotaStore } from './quota-port.ts'
import type { QuotaWarningLog } from './quota/quota-warnings.ts'
import type { RequestRecord, Outcome } from './request-record.ts'
import type { Flights } from './caching/single-flight.ts'
import type { UsageDoubtLog } from './quota/usage-doubts.ts'

export interface Services {
  /** For how long something takes: never goes back, whatever becomes of the machine's clock. */
  readonly now: Now
  /** The machine's clock, for what has a date: it is put right now and then, forward or back. */
  readonly wallNow: Now
  readonly configuration: ConfigurationSource
  readonly transport: ProviderTransport
  readonly health: HealthRecorder
  readonly quotas: QuotaStore
  readonly quotaWarnings: QuotaWarningLog
  readonly usageDoubts: UsageDoubtLog
  readonly cache: AnswerCache
  readonly questions: QuestionIndex
  /** Answers that are being made, by cache key. */
  readonly flights: Flights
  readonly guardrails: Guardrails
  readonly metrics: PipelineMetrics
  readonly audit: AuditSink
  /** What is done after the answer, for requests that are billed so. */
  readonly afterAnswer: AfterAnswer
  /** Memory for what is held of answers. */
  readonly answers: AnswerMemory
  /** For what the requests under way have masked. */
  readonly maskedValues: ValueMemory
  /** Fires when the process leaves and can wait no longer for answers that are under way. */
  readonly leaving: Cancellation
  readonly log: Logger
}

/** Fields first, then a constant lower-case message. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface PipelineMetrics {
  /** Everything that a finished request says, in one call. */
  requestEnded(record: RequestRecord, outcome: Outcome, endedAtMs: number): void
}
