/** A text read once: its tokens, the concepts in them, and which stretches are quoted. What rules and classifier look at. */
import { createConceptMatcher, type ConceptHit } from './lexicon/matcher.ts'
import { LEXICONS } from './lexicon/registry.ts'
import { quotedTokens } from './quotes.ts'
import { tokenize, type Tokens } from './tokens.ts'

export interface Reading {
  readonly tokens: Tokens
  readonly hits: readonly ConceptHit[]
  /** One entry a token: 1 where it stands inside quotation marks or code. */
  readonly quoted: Uint8Array
}

const matchConcepts = createConceptMatcher(LEXICONS)

/** Reads a folded text. */
export function read(text: string): Reading {
  const tokens = tokenize(text)
  return { tokens, hits: matchConcepts(tokens), quoted: quotedTokens(tokens) }
}
