/** The texts of a whole Responses answer, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, isJsonObject, type JsonObject } from '../../json.ts'
import { ASSISTANT, TOOL_INPUT } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'

/** @returns whether a text was changed. @see ClientFormat.visitResultText */
export function visitResultText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  for (const item of asArray(document.output)) if (isJsonObject(item)) visitItem(item, walk)
  return walk.changed
}

function visitItem(item: JsonObject, walk: TextWalk): void {
  for (const part of [...asArray(item.content), ...asArray(item.summary)]) {
    if (!isJsonObject(part)) continue
    walk.text(part, 'text', ASSISTANT)
    walk.text(part, 'refusal', ASSISTANT)
  }
  walk.json(item, 'arguments', TOOL_INPUT)
  walk.text(item, 'input', TOOL_INPUT)
}
