/** Where this layer tells what happened: pino's shape, fields first, a constant message. No field ever holds an object's content. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What may be logged of anything that was thrown. */
export function errorFields(error: unknown): Readonly<Record<string, string | number>> {
  if (!(error instanceof Error)) return { error: typeof error }
  const status = 'status' in error && typeof error.status === 'number' ? { status: error.status } : {}
  const reason = 'reason' in error && typeof error.reason === 'string' ? { reason: error.reason } : {}
  return { error: error.message, ...status, ...reason }
}
