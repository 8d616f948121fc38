/** The texts of a chat-completions answer, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { ASSISTANT } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'
import { REASONING_FIELDS } from './answer-content.ts'
import { visitBesideCalls, visitSigned, visitToolCalls } from './tool-text.ts'

/** Fields that hold no text, or are visited for what they are; what other servers put beside them is visited whole. */
const DOCUMENT_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'service_tier',
  'system_fingerprint',
])
const CHOICE_FIELDS: ReadonlySet<string> = new Set(['index', 'message', 'delta', 'finish_reason', 'logprobs'])
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'audio',
  'tool_calls',
  'function_call',
  'reasoning_details',
  // Signatures, of calls and of what was said.
  'extra_content',
  'provider_specific_fields',
  ...REASONING_FIELDS,
])

const DETAIL_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'summary', 'data'])

/** @returns whether a text was changed. @see Format.visitResultText */
export function visitResultText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  for (const choice of asArray(document.choices)) {
    if (!isJsonObject(choice)) continue
    const message = asObject(choice.message)
    if (message !== undefined) visitMessage(message, walk)
  }
  visitBeside(document, walk)
  return walk.changed
}

function visitMessage(message: JsonObject, walk: TextWalk): void {
  for (const field of REASONING_FIELDS) walk.text(message, field, ASSISTANT)
  walk.text(message, 'content', ASSISTANT)
  for (const part of asArray(message.content)) if (isJsonObject(part)) visitPart(part, walk)
  for (const detail of asArray(message.reasoning_details)) if (isJsonObject(detail)) visitDetail(detail, walk)
  walk.text(message, 'refusal', ASSISTANT)
  walk.text(asObject(message.audio) ?? {}, 'transcript', ASSISTANT)
  visitToolCalls(message, walk)
}

/**
 * Visits what stands beside the texts, of an answer or a chunk: what is cited, searched for (Perplexity, Azure) or thought
 * (LiteLLM), the client's own stop sequence as vLLM names it, whatever it is. It comes whole.
 */
export function visitBeside(document: JsonObject, walk: TextWalk): void {
  visitOthers(document, DOCUMENT_FIELDS, walk)
  for (const choice of asArray(document.choices)) {
    if (!isJsonObject(choice)) continue
    visitOthers(choice, CHOICE_FIELDS, walk)
    for (const said of [choice.message, choice.delta]) if (isJsonObject(said)) visitBesideText(said, walk)
  }
}

function visitBesideText(message: JsonObject, walk: TextWalk): void {
  visitOthers(message, MESSAGE_FIELDS, walk)
  visitSigned(message, ASSISTANT, walk)
  visitBesideCalls(message, walk)
}

function visitOthers(holder: JsonObject, known: ReadonlySet<string>, walk: TextWalk): void {
  for (const field in holder) if (!known.has(field)) walk.leaves(holder, field, ASSISTANT)
}

function visitPart(part: JsonObject, walk: TextWalk): void {
  walk.text(part, 'text', ASSISTANT)
  for (const thought of asArray(part.thinking)) if (isJsonObject(thought)) walk.text(thought, 'text', ASSISTANT)
}

/** OpenRouter's third copy of the reasoning. It is masked by the same tokens when it comes back, which its signature needs. */
function visitDetail(detail: JsonObject, walk: TextWalk): void {
  walk.text(detail, 'text', ASSISTANT)
  walk.text(detail, 'summary', ASSISTANT)
  visitOthers(detail, DETAIL_FIELDS, walk)
}
