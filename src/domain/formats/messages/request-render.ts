/**
 * Neutral request -> messages document. From the same format: the client's document with the few fields that the gateway
 * decides patched in, sharing everything else. From another format: see request-translate.ts.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asNumber, asObject, type JsonObject } from '../../json.ts'
import type { Rendered, RenderTarget } from '../format.ts'
import { patchThinking } from './foreign-thinking.ts'
import { isClaude } from './model-traits.ts'
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
    ...(isClaude(target.model) ? patchThinking(source, warnings) : {}),
  }
  const fields = Object.entries(patch)
  if (fields.length === 0) return { document: source, warnings }
  const document = { ...source, ...patch }
  for (const [field, value] of fields) if (value === undefined) delete document[field]
  return { document, warnings }
}

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
