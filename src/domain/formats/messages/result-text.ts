/** The texts of a messages answer, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import type { JsonObject } from '../../json.ts'
import { ASSISTANT } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'
import { visitContent } from './block-text.ts'

/** @returns whether a text was changed. @see Format.visitResultText */
export function visitResultText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  visitContent(document, 'content', ASSISTANT, walk)
  walk.text(document, 'stop_sequence', ASSISTANT) // the client's own, which was masked
  return walk.changed
}
