/** Neutral result -> a whole Responses answer. */
import type { AssistantPart, ToolCallPart, TranslationWarning } from '../../completion/request.ts'
import type { Choice, CompletionResult } from '../../completion/result.ts'
import type { JsonObject } from '../../json.ts'
import type { RenderContext, Rendered } from '../format.ts'
import { clientTools, type ClientTools } from './client-tool.ts'
import { inputOf } from './custom-tool.ts'
import {
  called,
  callItem,
  customCallItem,
  endOfCall,
  endOfCustomCall,
  itemId,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
} from './output-item.ts'
import { responseObject, statusOf } from './response-object.ts'

/** Warning of what a vendor has signed or encrypted for itself. */
export const SIGNATURE_LOST = "responses cannot carry another vendor's signatures and encrypted thinking"
export const ONE_CHOICE = 'responses holds one; the others were left out'

export function renderResult(result: CompletionResult, context: RenderContext): Rendered<JsonObject> {
  const warnings: TranslationWarning[] = []
  if (result.choices.length > 1) warnings.push({ field: 'choices', message: ONE_CHOICE })
  const choice = result.choices.find(({ index }) => index === 0) ?? result.choices[0]
  const finish = choice?.finish ?? { reason: 'other' as const, raw: undefined }
  const output = choice === undefined ? [] : itemsOf(choice, context, warnings)
  return { document: responseObject(context, { finish, model: result.model, output, usage: result.usage }), warnings }
}

function itemsOf({ content, finish }: Choice, context: RenderContext, warnings: TranslationWarning[]): JsonObject[] {
  const tools = clientTools(context.request)
  const items: JsonObject[] = []
  /** Parts of the message that is the last item. */
  let said: JsonObject[] | undefined
  for (const part of content) {
    const spoken = spokenPart(part)
    if (spoken === undefined) {
      said = undefined
      noteSignature(part, `output[${items.length}]`, warnings)
      const item = itemOf(part, items.length, tools, context)
      if (item !== undefined) items.push(item)
    } else if (said === undefined) {
      said = [spoken]
      items.push({ ...messageItem(itemId('msg', items.length, context), 'completed', []), content: said })
    } else said.push(spoken)
  }
  // What was being said when the answer ended. A call tells of itself.
  const last = said && items.at(-1)
  if (last !== undefined && statusOf(finish) !== 'completed') last.status = 'incomplete'
  return items
}

function spokenPart(part: AssistantPart): JsonObject | undefined {
  if (part.type === 'text') return textPart(part.text)
  return part.type === 'refusal' ? refusalPart(part.text) : undefined
}

function itemOf(
  part: AssistantPart,
  index: number,
  tools: ClientTools,
  context: RenderContext,
): JsonObject | undefined {
  if (part.type === 'reasoning')
    return part.text === '' ? undefined : reasoningItem(itemId('rs', index, context), part.text)
  return part.type === 'tool-call' ? renderCall(part, index, tools, context) : undefined
}

function renderCall(
  { id, name, arguments: args }: ToolCallPart,
  index: number,
  tools: ClientTools,
  context: RenderContext,
): JsonObject {
  const call = called(id, name, tools)
  return tools.get(name)?.takesText === true
    ? customCallItem(itemId('ctc', index, context), endOfCustomCall(args), call, inputOf(args))
    : callItem(itemId('fc', index, context), endOfCall(args), call, args)
}

function noteSignature(part: AssistantPart, field: string, warnings: TranslationWarning[]): void {
  const isSigned = 'signature' in part && part.signature !== undefined
  const isSealed = part.type === 'reasoning' && part.redacted !== undefined
  if (isSigned || isSealed) warnings.push({ field, message: SIGNATURE_LOST })
}
