/**
 * Neutral request -> chat-completions document. From the same format: the client's document with the few fields that
 * the gateway decides patched in, sharing everything else. From another format: see request-translate.ts.
 */
import type { CompletionRequest } from '../../completion/request.ts'
import { asNumber, asObject, type JsonObject } from '../../json.ts'
import type { Rendered, RenderTarget } from '../format.ts'
import { OUTPUT_LIMIT_FIELDS } from './request-parse.ts'
import { translateRequest } from './request-translate.ts'

/** The request for the provider. Returns the source document itself where nothing has to change. */
export function renderRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject> {
  if (request.source.format !== 'chat-completions') return translateRequest(request, target)
  const source = request.source.document
  const patch: JsonObject = {
    ...patchModel(source, target),
    ...patchStream(source, target),
    ...patchLimit(source, target),
  }
  const fields = Object.entries(patch)
  if (fields.length === 0) return { document: source, warnings: [] }
  const document = { ...source, ...patch }
  for (const [field, value] of fields) if (value === undefined) delete document[field]
  return { document, warnings: [] }
}

function patchModel(source: JsonObject, target: RenderTarget): JsonObject {
  return source.model === target.model ? {} : { model: target.model }
}

/** Usage is always asked of a stream, whether or not the client gets to see it: it is what is billed. */
function patchStream(source: JsonObject, target: RenderTarget): JsonObject {
  const options = asObject(source.stream_options)
  if (!target.stream) {
    // Without a stream the vendor refuses the options.
    return {
      ...(source.stream ? { stream: false } : {}),
      ...('stream_options' in source ? { stream_options: undefined } : {}),
    }
  }
  return {
    ...(source.stream === true ? {} : { stream: true }),
    ...(options?.include_usage === true ? {} : { stream_options: { ...options, include_usage: true } }),
  }
}

/** Lowers the client's own limit where it stands, whichever field it used; adds one where it gave none. */
function patchLimit(source: JsonObject, target: RenderTarget): JsonObject {
  const limit = target.maxOutputTokens
  if (limit === undefined) return {}
  const given = OUTPUT_LIMIT_FIELDS.filter((field) => asNumber(source[field]) !== undefined)
  if (given.length === 0) return { [target.outputLimitField ?? 'max_tokens']: limit }
  const above = given.filter((field) => (asNumber(source[field]) ?? 0) > limit)
  return Object.fromEntries(above.map((field) => [field, limit]))
}
