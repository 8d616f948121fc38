/** The wire formats. To add one: its folder, and one line here. */
import type { CompletionRequest, FormatName } from '../completion/request.ts'
import type { CompletionResult } from '../completion/result.ts'
import type { JsonObject } from '../json.ts'
import { chatCompletions } from './chat-completions/chat-completions.ts'
import { withDistinctCallIds } from './distinct-call-ids.ts'
import type { Format, RenderContext, Rendered, RenderTarget } from './format.ts'
import { generateContent } from './generate-content/generate-content.ts'
import { messages } from './messages/messages.ts'
import { unmodelledAnswer } from './unmodelled-answer.ts'

export const FORMATS: readonly Format[] = [chatCompletions, messages, generateContent]

/** The codec of a format. @throws where none is registered under the name: a mistake in the code, not in a request. */
export function formatOf(name: FormatName): Format {
  const format = BY_NAME.get(name)
  if (format === undefined) throw new Error(`no codec is registered for the format ${name}`)
  return format
}

const BY_NAME = new Map(FORMATS.map((format) => [format.name, format]))

/** The request for a provider that speaks `name`, with a warning for everything that the way there loses. */
export function renderRequestFor(
  name: FormatName,
  request: CompletionRequest,
  target: RenderTarget,
): Rendered<JsonObject> {
  const provider = formatOf(name)
  const { format, document } = request.source
  if (format === name) return provider.renderRequest(request, target)
  const idOf = (id: string): string => provider.callIdFor?.(id, target.model) ?? id
  const rendered = provider.renderRequest(withDistinctCallIds(request, idOf), target)
  return { ...rendered, warnings: [...formatOf(format).unmodelledFields(document), ...rendered.warnings] }
}

/** The answer for a client that speaks `name`, with a warning for everything that the way there loses. */
export function renderResultFor(
  name: FormatName,
  result: CompletionResult,
  context: RenderContext,
): Rendered<JsonObject> {
  const rendered = formatOf(name).renderResult(result, context)
  const { format, document } = result.source
  if (format === name) return rendered
  return { ...rendered, warnings: [...unmodelledAnswer(format, document), ...rendered.warnings] }
}
