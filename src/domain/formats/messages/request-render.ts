/**
 * Neutral request -> messages document. From the same format: the client's document with the few fields that the gateway
 * decides patched in, sharing everything else. From another format: see request-translate.ts.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asArray, asNumber, asObject, asString, type JsonObject } from '../../json.ts'
import type { Rendered, RenderTarget } from '../format.ts'
import { isUpstreamName } from '../named-model.ts'
import { leaveOutOtherModels } from '../other-models.ts'
import { fitToModel } from './chosen-model.ts'
import { patchThinking } from './foreign-thinking.ts'
import { goOnBehind, renderTurn } from './message-translate.ts'
import { isClaude, traitsOf } from './model-traits.ts'
import { budgetWithin } from './reasoning-translate.ts'
import { translateRequest } from './request-translate.ts'

/** The request for the provider. Returns the source document itself where nothing has to change. */
export function renderRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject> {
  if (request.source.format !== 'messages') return translateRequest(request, target)
  const source = request.source.document
  const warnings: TranslationWarning[] = []
  const patch: JsonObject = {
    ...(source.model === target.model ? {} : { model: target.model }),
    ...patchStream(source, target),
    ...patchLimit(source, target, warnings),
    ...(isClaude(target.model) ? patchThinking(source, target.keepsThinking ?? true, warnings) : {}),
  }
  leaveOutOtherModels(source, patch, warnings)
  if (!isUpstreamName(source.model, target)) {
    if (isClaude(target.model)) fitToModel(request, target.model, patch, warnings)
    patchLastWord(source, target, patch, warnings)
  }
  const fields = Object.entries(patch)
  if (fields.length === 0) return { document: source, warnings }
  const document = { ...source, ...patch }
  for (const [field, value] of fields) if (value === undefined) delete document[field]
  return { document, warnings }
}

/**
 * Not every model goes on with an answer that ends the conversation. Where the client named the model that it gets, that is told by
 * its vendor; where the gateway has chosen it, or failed over to it, the client could do nothing about it.
 */
function patchLastWord(
  source: JsonObject,
  { model }: RenderTarget,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const messages = asArray(patch.messages ?? source.messages)
  if (traitsOf(model).lastWord || !isAnswer(asObject(messages.at(-1)))) return
  patch.messages = [...messages, renderTurn(goOnBehind(messages.length - 1, warnings))]
}

/** Said, or thought: what waits for a result, as a call or a vendor's own tool that has paused, is gone on with by every model. */
function isAnswer(message: JsonObject | undefined): boolean {
  if (message?.role !== 'assistant') return false
  const { content } = message
  return (
    typeof content === 'string' || asArray(content).every((block) => SAID.has(asString(asObject(block)?.type) ?? ''))
  )
}

const SAID: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking'])

function patchStream(source: JsonObject, { stream }: RenderTarget): JsonObject {
  return (source.stream ?? false) === stream ? {} : { stream }
}

/** Lowers the client's limit, and with it the thinking budget, where it does not hold it any more. */
function patchLimit(source: JsonObject, target: RenderTarget, warnings: TranslationWarning[]): JsonObject {
  const limit = target.maxOutputTokens
  const given = asNumber(source.max_tokens)
  if (limit === undefined || given === undefined || given <= limit) return {}
  return { max_tokens: limit, ...patchBudget(source, limit, warnings) }
}

function patchBudget(source: JsonObject, limit: number, warnings: TranslationWarning[]): JsonObject {
  const thinking = asObject(source.thinking)
  const budget = asNumber(thinking?.budget_tokens)
  const most = budgetWithin(limit)
  // Below the limit is not enough: the client gave its answer room in a limit of its own.
  if (thinking === undefined || budget === undefined || budget <= most) return {}
  warnings.push({
    field: 'thinking.budget_tokens',
    message: 'the output limit that is left does not hold it and an answer',
  })
  return { thinking: most > 0 ? { ...thinking, budget_tokens: most } : undefined }
}
