/** What statuses say where Redis does not take the configuration: which Redis, and why. */
import type { Secret } from '../../domain/secret.ts'

/** Of a cause, in characters: it is shown in tables. */
const MAX_CAUSE = 300

/**
 * @param url with its login, which is not shown
 * @param connection why there is none; undefined: there is one
 * @param failed what publishing has thrown
 */
export function storeTrouble(url: Secret, connection: Error | undefined, failed: unknown): string {
  const cause = (textOf(connection) || textOf(failed) || 'it is not known why').slice(0, MAX_CAUSE).toWellFormed()
  return `Redis at ${withoutLogin(url.reveal())} does not take the configuration: ${cause}`
}

/** Greedy, as a password may be written as it is. */
function withoutLogin(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)?.*@/s, '$1').replace(/\?.*$/s, '')
}

/** A name with several addresses fails with as many errors, and a message of none. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return error instanceof AggregateError && error.message === '' ? error.errors.map(textOf).join(', ') : error.message
}
