import type { ControlHeader } from './control-header.ts'
import { keyword, singleValue } from './grammar.ts'

const NAME = 'x-llm-trace'

/** `true`: step-by-step log lines and the trace headers on the response. `false` switches off a default of the key. */
export const trace = {
  name: NAME,
  cardinality: 'single',
  parse: (value) => ({ trace: keyword(NAME, singleValue(NAME, value), ['true', 'false']) === 'true' }),
  privilegeFor: (change) => (change.trace === true ? 'trace' : undefined),
} satisfies ControlHeader
