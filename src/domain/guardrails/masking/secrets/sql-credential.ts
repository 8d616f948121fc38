/** The password of a user that SQL makes or changes: `CREATE USER app IDENTIFIED BY '...'`. What follows `AS` or `BY PASSWORD` is a hash. */
import type { Finding } from '../finding.ts'
import { isPlaceholder } from './randomness.ts'

/** Ends the word that it begins with. */
export const IDENTIFIED = 'identified'

const BY =
  /(?:\s{1,4}with\s{1,4}["'`]?\w{1,40}["'`]?)?\s{1,4}by\s{1,4}(?:(?<quote>\\{0,7}["'])(?<quoted>(?:(?!\k<quote>)[^\n]|\k<quote>{2}){1,128})\k<quote>|(?<bare>[^\s"'`;:]{3,128})(?=;|[ \t]{0,8}(?:\r?\n|$)))/iy
/** Of its statement. */
const STATEMENT = /\b(?:(?:create|alter)\s{1,4}(?:user|role|database\s{1,4}link)|grant)\b[^;]*$/i
const LONGEST_STATEMENT = 240

/** The password behind the word `identified` that ends at `end`. */
export function findSqlCredential(text: string, end: number): Finding | undefined {
  BY.lastIndex = end
  const { quote = '', quoted, bare } = BY.exec(text)?.groups ?? {}
  const value = quoted ?? bare
  if (value === undefined || isPlaceholder(value) || /^(?:password|values)$/i.test(value)) return undefined
  const until = BY.lastIndex - quote.length
  if (!isOfLogin(text, end)) return undefined
  return { kind: 'KEY', start: until - value.length, end: until, rule: 'sql-credential' }
}

/** Whether what stands at `at` belongs to a statement that makes or changes a login: `CREATE ROLE app LOGIN PASSWORD '...'`. */
export function isOfLogin(text: string, at: number): boolean {
  return STATEMENT.test(text.slice(Math.max(0, at - LONGEST_STATEMENT), at))
}
