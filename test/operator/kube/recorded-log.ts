import type { Log } from '../../../src/operator/kube/log.ts'

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: object
}

/** A log that a test reads. */
export function recordedLog(): Log & { readonly entries: LogEntry[] } {
  const entries: LogEntry[] = []
  const at = (level: LogEntry['level']) => (fields: object, message: string) =>
    void entries.push({ level, message, fields })
  return { entries, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
