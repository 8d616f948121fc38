/** The texts of a chat-completions answer, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { ASSISTANT, TextWalk } from '../text-walk.ts'
import { REASONING_FIELDS } from './answer-content.ts'
import { visitToolCalls } from './tool-text.ts'

/** @returns whether a text was changed. @see Format.visitResultText */
export function visitResultText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  for (const choice of asArray(document.choices)) {
    if (!isJsonObject(choice)) continue
    const message = asObject(choice.message)
    if (message !== undefined) visitMessage(message, walk)
    walk.text(choice, 'stop_reason', ASSISTANT) // vLLM: the client's own stop sequence, which was masked
  }
  return walk.changed
}

function visitMessage(message: JsonObject, walk: TextWalk): void {
  for (const field of REASONING_FIELDS) walk.text(message, field, ASSISTANT)
  walk.text(message, 'content', ASSISTANT)
  for (const part of asArray(message.content)) if (isJsonObject(part)) visitPart(part, walk)
  for (const detail of asArray(message.reasoning_details)) if (isJsonObject(detail)) visitDetail(detail, walk)
  walk.text(message, 'refusal', ASSISTANT)
  walk.text(asObject(message.audio) ?? {}, 'transcript', ASSISTANT)
  walk.leaves(message, 'annotations', ASSISTANT)
  visitToolCalls(message, walk)
}

function visitPart(part: JsonObject, walk: TextWalk): void {
  walk.text(part, 'text', ASSISTANT)
  for (const thought of asArray(part.thinking)) if (isJsonObject(thought)) walk.text(thought, 'text', ASSISTANT)
}

/** OpenRouter's third copy of the reasoning. One that is signed must go back as it is. */
function visitDetail(detail: JsonObject, walk: TextWalk): void {
  if (typeof detail.signature === 'string') return
  walk.text(detail, 'text', ASSISTANT)
  walk.text(detail, 'summary', ASSISTANT)
}
