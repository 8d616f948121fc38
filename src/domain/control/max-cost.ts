import { parsePricePer1K } from '../quota/money.ts'
import type { NanoUsdPer1M } from '../quota/money.ts'
import type { ControlHeader } from './control-header.ts'
import { invalidHeader, quoted, singleValue } from './grammar.ts'

const NAME = 'x-llm-max-cost'

/** The same as the manifests' `maxCostPer1K`: no sign, exponent, NaN or lone point. */
const DECIMAL = /^[0-9]{1,9}(\.[0-9]{1,9})?$/

/** Dearest acceptable price, US dollars per 1,000 tokens. 0 leaves what is free. */
export const maxCost = {
  name: NAME,
  cardinality: 'single',
  parse: (value) => ({ maxCost: parseCost(singleValue(NAME, value)) }),
  privilegeFor: () => 'overrideRouting',
} satisfies ControlHeader

function parseCost(value: string): NanoUsdPer1M {
  if (!DECIMAL.test(value)) throw invalidHeader(NAME, `${quoted(value)} is not a decimal number such as 0.002`)
  return parsePricePer1K(value)
}
