import type { ControlHeader } from './control-header.ts'
import { invalidHeader, quoted, singleValue } from './grammar.ts'

const NAME = 'x-llm-min-quality'

const ZERO_TO_ONE = /^(0(\.[0-9]{1,9})?|1(\.0{1,9})?)$/

/** Lowest acceptable quality score, 0.00 to 1.00. */
export const minQuality = {
  name: NAME,
  cardinality: 'single',
  parse: (value) => ({ minQuality: parseQuality(singleValue(NAME, value)) }),
  privilegeFor: () => 'overrideRouting',
} satisfies ControlHeader

function parseQuality(value: string): number {
  if (!ZERO_TO_ONE.test(value)) throw invalidHeader(NAME, `${quoted(value)} is not a decimal number from 0.00 to 1.00`)
  return Number(value)
}
