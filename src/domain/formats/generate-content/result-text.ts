/** The texts of a generate-content answer, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { TextWalk, type TextPlace } from '../text-walk.ts'
import { visitPart } from './part-text.ts'

const ANSWER: TextPlace = { scope: 'message', role: 'assistant' }

/** @returns whether a text was changed. @see Format.visitResultText */
export function visitResultText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  for (const candidate of asArray(document.candidates)) {
    const parts = asArray(asObject(asObject(candidate)?.content)?.parts)
    for (const part of parts) if (isJsonObject(part)) visitPart(part, ANSWER, walk)
  }
  return walk.changed
}
