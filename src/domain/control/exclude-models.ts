import type { ControlHeader } from './control-header.ts'
import { canonicalList, names } from './grammar.ts'

const NAME = 'x-llm-exclude-models'

/** A policy's own list may have 128; a name is a model's (128), or a provider's (63), a slash and a model's. */
const LIMITS = { elements: 128, characters: 192 }

/** Models that must not be used, by name, alias or `provider/model`, or a beginning of these. A name of nothing is fine. */
export const excludeModels = {
  name: NAME,
  cardinality: 'list',
  parse: (value) => ({ excludeModels: canonicalList(names(NAME, value, LIMITS)) }),
  privilegeFor: () => 'overrideRouting',
} satisfies ControlHeader
