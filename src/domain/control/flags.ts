import { FLAGS } from '../snapshot/snapshot.ts'
import type { Flag } from '../snapshot/snapshot.ts'
import type { ControlHeader } from './control-header.ts'
import { canonicalList, keyword, listElements } from './grammar.ts'

const NAME = 'x-llm-flags'

/** Three flags and two aliases exist; the rest is room for repeats by proxies that add their own line. */
const MAX_FLAGS = 16

const FLAG_OF = { masking: 'pii-safe', 'structured-output': 'force-json' } as const

const WORDS = [...FLAGS, 'masking', 'structured-output'] as const

/** Behaviours switched on for this request. An unknown flag is refused: a typo in `pii-safe` must not send raw data. */
export const flags = {
  name: NAME,
  cardinality: 'list',
  parse: (value) => ({ flags: canonicalList(listElements(NAME, value, MAX_FLAGS).map(parseFlag)) }),
  privilegeFor: () => undefined,
} satisfies ControlHeader

function parseFlag(element: string): Flag {
  const word = keyword(NAME, element, WORDS)
  return word === 'masking' || word === 'structured-output' ? FLAG_OF[word] : word
}
