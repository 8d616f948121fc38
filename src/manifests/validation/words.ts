/** Words for people: what a schema allows, what a value is, and what a wrong name was meant to be. */
import { nearest } from '../../domain/nearest-name.ts'
import type { Schema } from './schema.ts'

/** Our schemas' patterns in words; a pattern that is not listed is shown as it is. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^[a-z]{2}$': 'a country code of two lower-case letters, in quotes where YAML reads it as a boolean ("no")',
  '^[0-9]{1,9}(\\.[0-9]{1,9})?$':
    'a decimal number in quotes, at most 9 digits before and 9 after the point, such as "0.40"',
  '^[0-9]{1,12}(\\.[0-9]{1,6})?$': 'US dollars as a decimal number in quotes, at most 6 decimals, such as "25.00"',
  '^([0-9]{1,6}(\\.[0-9]{1,3})?(ms|s|m|h))+$':
    'a duration of h, m, s and ms, such as 90s or 1h30m, at most 6 digits each',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$':
    'lower-case letters, digits and dashes, beginning and ending with a letter or digit',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$':
    'lower-case letters, digits, dashes and dots, beginning and ending, also around a dot, with a letter or digit',
  '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$':
    'letters, digits, dashes, underscores and dots, beginning and ending with a letter or digit; may be empty',
  '^[A-Z][A-Z0-9_]*$': 'upper-case letters, digits and underscores, beginning with a letter',
  '^[A-Za-z0-9-]+$': 'letters, digits and dashes',
  '^[A-Za-z0-9][A-Za-z0-9._:/-]*$': 'letters, digits and . _ : / -, beginning with a letter or digit',
}

const FORMATS: Readonly<Record<NonNullable<Schema['format']>, string>> = {
  duration: PATTERNS['^([0-9]{1,6}(\\.[0-9]{1,3})?(ms|s|m|h))+$'] ?? 'a duration',
  'date-time': 'a time by RFC 3339 in quotes, such as "2027-06-30T00:00:00Z"',
  int32: 'a whole number up to 2147483647',
  int64: 'a whole number up to 9007199254740991',
  byte: 'base64 text',
}

/** What a value of this schema looks like, for `allowed:`. */
export function describeSchema(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.join(', ')
  if (schema.pattern !== undefined) return describePattern(schema.pattern)
  if (schema.format !== undefined) return FORMATS[schema.format]
  if (schema.type === 'object') return describeObject(schema)
  if (schema.type === 'array')
    return `a list${schema.items === undefined ? '' : `, each item: ${describeSchema(schema.items)}`}`
  return `${describeType(schema.type)}${describeRange(schema)}`
}

export function describePattern(pattern: string): string {
  return PATTERNS[pattern] ?? `text that matches ${pattern}`
}

/** `[0, 1]`-style range in words; empty where there is none. */
export function describeRange({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return maximum === undefined ? '' : ` up to ${maximum}`
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`
}

/** The JSON type of a value in words. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number'
  if (typeof value === 'string') return 'text'
  return typeof value === 'boolean' ? 'a boolean' : 'an object'
}

/** What to add to a message about a wrong name: `, did you mean PHONE?`, or nothing. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  const meant = nearest(wrong, known)
  return meant === undefined ? '' : `, did you mean ${meant}?`
}

/** Comparisons of two names, all told: half a second or so. */
const MOST_COMPARISONS = 500_000

/** `didYouMean` for all names of a reading, which may be thousands: what is beyond half a second is told without. */
export function boundedDidYouMean(): typeof didYouMean {
  let comparisons = 0
  return (wrong, known) => {
    if (comparisons >= MOST_COMPARISONS) return ''
    comparisons += known.length
    return didYouMean(wrong, known)
  }
}

/** With its fields: a list, or a name alone, stands where most write one by a neighbour's form (privileges of a grant, project). */
function describeObject({ properties }: Schema): string {
  const fields = Object.keys(properties ?? {}).toSorted()
  return fields.length === 0 ? 'an object' : `an object, fields: ${fields.join(', ')}`
}

function describeType(type: Schema['type']): string {
  switch (type) {
    case 'string':
      return 'text'
    case 'integer':
      return 'a whole number'
    case 'number':
      return 'a number'
    case 'boolean':
      return 'true or false'
    case 'object':
      return 'an object'
    case 'array':
      return 'a list'
    default:
      return type satisfies never
  }
}
