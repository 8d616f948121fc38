/**
 * Neutral request -> generate-content document. From the same format: the client's document; model and stream are said by
 * the path, so that the bytes usually go on as they came. From another format: see request-translate.ts.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asNumber, asObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Rendered, RenderTarget } from '../format.ts'
import { isUpstreamName } from '../named-model.ts'
import { fitConfig } from './chosen-model.ts'
import { goOnBehind, isAnswer } from './content-translate.ts'
import { patchCalls } from './foreign-calls.ts'
import { traitsOf } from './model-traits.ts'
import { translateRequest } from './request-translate.ts'
import { itemsIn, nameIn } from './spelling.ts'

/** The request for the provider. Returns the source document itself where nothing has to change. */
export function renderRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject> {
  if (request.source.format !== 'generate-content') return translateRequest(request, target)
  const source = request.source.document
  const wrapperName = nameIn(source, 'generateContentRequest')
  const wrapped = asObject(source[wrapperName])
  if (wrapped !== undefined) {
    // A request to be counted: it must name the path's model.
    return { document: { ...source, [wrapperName]: { ...wrapped, model: `models/${target.model}` } }, warnings: [] }
  }
  const warnings: TranslationWarning[] = []
  const config = patchConfig(request, target, warnings)
  const calls = patchCalls(source, target.model, warnings)
  const turns = patchLastWord(request, target, calls?.contents ?? itemsIn(source, 'contents'), warnings) ?? calls
  const isModelNamed = 'model' in source
  if (config === undefined && turns === undefined && !isModelNamed) return { document: source, warnings }
  const document: JsonObject = { ...source, ...config, ...turns }
  // It must not differ from the path's, which is the provider's name for it.
  delete document.model
  return { document, warnings }
}

/** Not every model goes on with an answer that ends the conversation. Who names the model gets its vendor's own word. */
function patchLastWord(
  { model }: CompletionRequest,
  target: RenderTarget,
  contents: readonly JsonValue[],
  warnings: TranslationWarning[],
): { contents: JsonValue[] } | undefined {
  if (traitsOf(target.model).lastWord || isUpstreamName(model, target) || !isAnswer(contents.at(-1))) return undefined
  return { contents: [...contents, goOnBehind(`contents[${contents.length - 1}]`, warnings)] }
}

function patchConfig(
  request: CompletionRequest,
  target: RenderTarget,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  const source = request.source.document
  const configName = nameIn(source, 'generationConfig')
  const config = asObject(source[configName]) ?? {}
  const limited = { ...config, ...patchLimit(config, target.maxOutputTokens) }
  const fitted = isUpstreamName(request.model, target) ? undefined : fitConfig(request, target.model, limited, warnings)
  const isSame = fitted === undefined && Object.entries(limited).every(([field, value]) => config[field] === value)
  return isSame ? undefined : { [configName]: fitted ?? limited }
}

/** Lowers the client's own limit, in its spelling; adds one where it gave none. */
function patchLimit(config: JsonObject, limit: number | undefined): JsonObject | undefined {
  if (limit === undefined) return undefined
  const field = nameIn(config, 'maxOutputTokens')
  const given = asNumber(config[field])
  return given !== undefined && given <= limit ? undefined : { [field]: limit }
}
