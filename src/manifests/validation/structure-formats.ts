/** The formats of the CRDs' schemas. A module of its own: checks that are compiled for the bundle need nothing else of ajv's. */
import type { Format } from 'ajv'

const RFC3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const INT32_MAX = 2_147_483_647

export const STRUCTURE_FORMATS: Record<string, Format> = {
  'date-time': { type: 'string', validate: isDateTime },
  // The grammar is the pattern that stands beside it.
  duration: { type: 'string', validate: () => true },
  byte: { type: 'string', validate: (text: string) => BASE64.test(text.replaceAll(/[\r\n]/g, '')) },
  int32: { type: 'number', validate: (number: number) => Math.abs(number) <= INT32_MAX },
  int64: { type: 'number', validate: (number: number) => Number.isSafeInteger(number) },
}

/** RFC 3339 with a day that exists: `Date.parse` turns the 30th of February into March. */
function isDateTime(text: string): boolean {
  if (!RFC3339.test(text)) return false
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}
