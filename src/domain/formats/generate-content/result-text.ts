/** The texts of a generate-content answer, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { ASSISTANT } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'
import { visitTurn } from './turn-text.ts'

/** They repeat pieces of the answer and name what was searched for. */
const SOURCES = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata'] as const

/** @returns whether a text was changed. @see Format.visitResultText */
export function visitResultText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  for (const candidate of asArray(document.candidates)) {
    if (!isJsonObject(candidate)) continue
    const content = asObject(candidate.content)
    if (content !== undefined) visitTurn([content], ASSISTANT, walk)
    visitSources(candidate, walk)
  }
  return walk.changed
}

/** Visits what a candidate says of where its text is from. */
export function visitSources(candidate: JsonObject, walk: TextWalk): void {
  for (const field of SOURCES) walk.leaves(candidate, field, ASSISTANT)
}
