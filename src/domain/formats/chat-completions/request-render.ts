/**
 * Neutral request -> chat-completions document. From the same format: the client's document with the few fields that
 * the gateway decides patched in, sharing everything else. From another format: see request-translate.ts.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asNumber, asObject, type JsonObject } from '../../json.ts'
import type { Rendered, RenderTarget } from '../format.ts'
import { isUpstreamName } from '../named-model.ts'
import { leaveOutOtherModels } from '../other-models.ts'
import { fitToModel } from './chosen-model.ts'
import { inItsFields, withoutOptions } from './mistral.ts'
import { OUTPUT_LIMIT_FIELDS, predictedTokens } from './request-parse.ts'
import { translateRequest } from './request-translate.ts'

/** The request for the provider. Returns the source document itself where nothing has to change. */
export function renderRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject> {
  const isOwn = request.source.format === 'chat-completions'
  const asked = isOwn ? patchRequest(request, target) : translateRequest(request, target)
  const rendered = target.asksUsage === false ? withoutUsage(request, asked) : asked
  if (target.dialect !== 'mistral') return rendered
  const { document } = rendered
  if (isOwn && isUpstreamName(request.source.document.model, target))
    return { ...rendered, document: withoutOptions(document) }
  const warnings = [...rendered.warnings]
  return { document: inItsFields(document, warnings), warnings }
}

function withoutUsage(request: CompletionRequest, asked: Rendered<JsonObject>): Rendered<JsonObject> {
  const { format, document: source } = request.source
  const isLost = format === 'chat-completions' && asObject(source.stream_options) !== undefined
  const lost = { field: 'stream_options', message: 'the provider refuses it; it was left out' }
  const { warnings } = asked
  return { ...asked, document: withoutOptions(asked.document), warnings: isLost ? [...warnings, lost] : warnings }
}

function patchRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject> {
  const source = request.source.document
  const patch: JsonObject = {}
  if (source.model !== target.model) patch.model = target.model
  patchStream(patch, source, target)
  patchLimit(patch, source, target)
  const warnings: TranslationWarning[] = []
  leaveOutOtherModels(source, patch, warnings)
  if (!isUpstreamName(source.model, target)) fitToModel(request, target.model, patch, warnings)
  return { document: patched(source, patch), warnings }
}

/** Usage is always asked of a stream, whether or not the client gets to see it: it is what is billed. */
function patchStream(patch: JsonObject, source: JsonObject, target: RenderTarget): void {
  if (target.stream) {
    const options = asObject(source.stream_options)
    if (source.stream !== true) patch.stream = true
    if (options?.include_usage !== true) patch.stream_options = { ...options, include_usage: true }
  } else {
    if (source.stream) patch.stream = false
    // Without a stream the vendor refuses the options.
    if ('stream_options' in source) patch.stream_options = undefined
  }
}

/** Lowers the client's own limit where it stands, whichever field it used; adds one where it gave none. */
function patchLimit(patch: JsonObject, source: JsonObject, target: RenderTarget): void {
  const limit = target.maxOutputTokens ?? Infinity
  let isGiven = false
  for (const field of OUTPUT_LIMIT_FIELDS) {
    const given = asNumber(source[field])
    if (given === undefined) continue
    isGiven = true
    if (given > limit) patch[field] = limit
  }
  // llama.cpp would obey it before any other.
  if (source.n_predict !== undefined) patch.n_predict = undefined
  const added = Math.min(limit, predictedTokens(source) ?? Infinity)
  if (!isGiven && added < Infinity) patch[target.outputLimitField ?? 'max_tokens'] = added
}

/** `source` itself where the patch is empty; a field that is undefined in the patch goes. */
function patched(source: JsonObject, patch: JsonObject): JsonObject {
  let document = source
  for (const field in patch) {
    if (document === source) document = { ...source, ...patch }
    if (patch[field] === undefined) delete document[field]
  }
  return document
}
