import { SCORING_METHODS } from '../snapshot/snapshot.ts'
import type { ControlHeader } from './control-header.ts'
import { keyword, singleValue } from './grammar.ts'

const NAME = 'x-llm-scoring-method'

/** How the candidates that remain are ranked. */
export const scoringMethod = {
  name: NAME,
  cardinality: 'single',
  parse: (value) => ({ scoringMethod: keyword(NAME, singleValue(NAME, value), SCORING_METHODS) }),
  privilegeFor: () => 'overrideRouting',
} satisfies ControlHeader
