/** How much an attack weighs by where it stands. */
import type { TextSpan } from '../../completion/text-span.ts'

export interface ScopePolicy {
  /** The score is multiplied by this. */
  readonly factor: number
  /** Whether the weights for documents hold. */
  readonly document: boolean
  /** Added to the classifier's log-odds. */
  readonly logOdds: number
}

const MESSAGE: ScopePolicy = { factor: 1, document: false, logOdds: 0 }
const TOOL_OUTPUT: ScopePolicy = { factor: 1, document: true, logOdds: 0.3 }
/** Descriptions are full of orders to the model ("you must call..."); poisoned ones hide something from the user. */
const TOOL_DEFINITION: ScopePolicy = { factor: 0.9, document: false, logOdds: -1.5 }
/** The model wrote it; an attack there is an echo of one that was in a message. */
const TOOL_INPUT: ScopePolicy = { factor: 0.6, document: false, logOdds: -1 }
const ASSISTANT: ScopePolicy = { factor: 0.45, document: false, logOdds: -1 }
/** The application's own words: with the built-in threshold they never refuse a request. */
const SYSTEM: ScopePolicy = { factor: 0.45, document: false, logOdds: -1 }

/** The policy for one span. */
export function scopePolicy(span: Pick<TextSpan, 'scope' | 'role'>): ScopePolicy {
  switch (span.scope) {
    case 'system':
      return SYSTEM
    case 'tool-definition':
      return TOOL_DEFINITION
    case 'tool-input':
    case 'parameter': // nobody gives one to a detector; it would be no order to a model
      return TOOL_INPUT
    case 'tool-output':
      return TOOL_OUTPUT
    case 'message':
      return span.role === 'assistant'
        ? ASSISTANT
        : span.role === 'system'
          ? SYSTEM
          : span.role === 'tool'
            ? TOOL_OUTPUT
            : MESSAGE
    default: {
      const unknown: never = span.scope
      return unknown
    }
  }
}
