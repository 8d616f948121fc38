/** Whether a provider's usage says anything. An answer whose usage does not is estimated, where zeros would make it free. */
import { asNumber, type JsonValue } from '../json.ts'

/** Whether one of the fields is a count: a number of at least 0. */
export function hasCount(...fields: readonly (JsonValue | undefined)[]): boolean {
  return fields.some((field) => (asNumber(field) ?? -1) >= 0)
}
