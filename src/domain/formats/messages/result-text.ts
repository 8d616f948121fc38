/** The texts of a messages answer, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import type { JsonObject } from '../../json.ts'
import { TextWalk, type TextPlace } from '../text-walk.ts'
import { visitContent } from './block-text.ts'

const PLACE: TextPlace = { scope: 'message', role: 'assistant' }

/** @returns whether a text was changed. @see Format.visitResultText */
export function visitResultText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  visitContent(document, 'content', PLACE, walk)
  walk.text(document, 'stop_sequence', PLACE) // the client's own, which was masked
  return walk.changed
}
