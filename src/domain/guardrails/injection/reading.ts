/** A text read once: its tokens, the concepts in them, and which stretches are quoted. What rules and classifier look at. */
import { createConceptMatcher, type ConceptHit, type ConceptMatcher } from './lexicon/matcher.ts'
import { LEXICONS } from './lexicon/registry.ts'
import { placesOf } from './places.ts'
import { quotedTokens } from './quotes.ts'
import { tokenize, type Tokens } from './tokens.ts'

export interface Reading {
  readonly tokens: Tokens
  readonly hits: readonly ConceptHit[]
  /** One entry a token: 1 where it stands inside quotation marks or code. */
  readonly quoted: Uint8Array
  /** Where each token stands, with gaps between sentences, lines and paragraphs (places.ts). */
  readonly places: Int32Array
}

/** Compiled at first use: processes that detect nothing pay nothing. */
let matchConcepts: ConceptMatcher | undefined

/** Reads a folded text. */
export function read(text: string): Reading {
  const tokens = tokenize(text)
  matchConcepts ??= createConceptMatcher(LEXICONS)
  return { tokens, hits: matchConcepts(tokens), quoted: quotedTokens(tokens), places: placesOf(tokens) }
}
