import type { ControlHeader } from './control-header.ts'
import { canonicalList, names } from './grammar.ts'

const NAME = 'x-llm-exclude-providers'

/** As many and as long as a policy's own list and a Provider's name may be. */
const LIMITS = { elements: 64, characters: 63 }

/** Providers that must not be used. Their names are lower case, so `OpenAI` means `openai`; a name of nobody is fine. */
export const excludeProviders = {
  name: NAME,
  cardinality: 'list',
  parse: (value) => ({ excludeProviders: canonicalList(names(NAME, value.toLowerCase(), LIMITS)) }),
  privilegeFor: () => 'overrideRouting',
} satisfies ControlHeader
