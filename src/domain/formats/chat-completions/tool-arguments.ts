/** The arguments of a call: JSON text on this wire. Some servers send an object, or write `null` where there are none. */
import type { JsonValue } from '../../json.ts'

/** The whole text of arguments that are none. */
export const NULL_ARGUMENTS = /^\s*null\s*$/

/** What may become that when more comes; asked at every piece, hence the few blanks. */
export const NULL_BEGUN = /^\s{0,16}(?:n(?:u(?:l(?:l\s{0,16})?)?)?)?$/

/** The text; empty where there are no arguments. */
export function argumentsOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return NULL_ARGUMENTS.test(text) ? '' : text
}
