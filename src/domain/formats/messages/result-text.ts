/** The texts of a messages answer, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import type { JsonObject } from '../../json.ts'
import { TextWalk } from '../text-walk.ts'
import { visitContent } from './block-text.ts'

/** @returns whether a text was changed. @see Format.visitResultText */
export function visitResultText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  visitContent(document, 'content', { scope: 'message', role: 'assistant' }, walk)
  return walk.changed
}
