import type { ControlHeader } from './control-header.ts'
import { keyword, singleValue } from './grammar.ts'

const NAME = 'x-llm-billing'

/** `async` moves pricing, settlement and audit behind the response, which the key must be trusted with. */
export const billing = {
  name: NAME,
  cardinality: 'single',
  parse: (value) => ({ billing: keyword(NAME, singleValue(NAME, value), ['sync', 'async']) }),
  privilegeFor: (change) => (change.billing === 'async' ? 'asyncBilling' : undefined),
} satisfies ControlHeader
