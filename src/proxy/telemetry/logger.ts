/** Structured logs and audit records on stdout: one JSON document a line. */
import pino from 'pino'
import { BatchedLines, withoutWaiting } from './batched-lines.ts'
import type { AuditSink } from '../pipeline/ports.ts'
import type { Logger } from '../pipeline/services.ts'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Output {
  readonly log: Logger
  readonly audit: AuditSink
  /** Writes out what is buffered. Call it before the process ends. */
  flush(): void
  /** As `flush`, after a write that is under way. */
  end(): Promise<void>
}

/** Lines waiting for a slow reader; more are dropped rather than kept in memory. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024

/** Second net under the `Secret` type: fields that may carry credentials, wherever a log line puts them. */
const REDACTED = [
  'authorization',
  'apiKey',
  'key',
  'password',
  'headers',
  'body',
  '*.authorization',
  '*.headers',
  '*.body',
]

/** Writes are asynchronous and in batches: a slow reader never stops a request. */
export function createOutput(level: LogLevel): Output {
  const lines = new BatchedLines(withoutWaiting(1), MAX_BUFFERED_BYTES)
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: '[secret]' },
      serializers: { err: describeError },
    },
    lines,
  )
  return {
    log,
    audit: { write: (_record, json) => lines.writeLine(json) },
    flush: () => lines.flushSync(),
    async end() {
      await lines.settled()
      lines.flushSync()
    },
  }
}

/** Names, codes and stacks; causes too, but none of an error's other fields, which may hold anything. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: typeof error }
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const cause = error.cause instanceof Error ? { cause: describeError(error.cause) } : {}
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}
