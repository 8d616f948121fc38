/** The wire formats. To add one: its folder, and one line here. */
import type { CompletionRequest, FormatName, TranslationWarning } from '../completion/request.ts'
import type { CompletionResult } from '../completion/result.ts'
import type { StreamPart } from '../completion/stream-part.ts'
import type { JsonObject } from '../json.ts'
import { chatCompletions } from './chat-completions/chat-completions.ts'
import { withDistinctCallIds } from './distinct-call-ids.ts'
import type { Format, RenderContext, Rendered, RenderTarget, SseEvent, StreamEncoder } from './format.ts'
import { generateContent } from './generate-content/generate-content.ts'
import { messages } from './messages/messages.ts'
import { withNewerTuples } from './schema-tuples.ts'
import { ToolNames, withOriginalName, withOriginalNames, withSentNames } from './tool-names.ts'
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
  const names = ToolNames.of(request, provider.toolNames)
  const named = names === undefined ? request : withSentNames(request, names)
  const rendered = provider.renderRequest(withDistinctCallIds(withNewerTuples(named), idOf), target)
  return { ...rendered, warnings: [...formatOf(format).unmodelledFields(document), ...rendered.warnings] }
}

/** The answer for a client that speaks `name`, with a warning for everything that the way there loses. */
export function renderResultFor(
  name: FormatName,
  result: CompletionResult,
  context: RenderContext,
): Rendered<JsonObject> {
  const { format, document } = result.source
  if (format === name) return formatOf(name).renderResult(result, context)
  const names = ToolNames.of(context.request, formatOf(format).toolNames)
  const named = names === undefined ? result : withOriginalNames(result, names)
  const rendered = formatOf(name).renderResult(named, context)
  return { ...rendered, warnings: [...unmodelledAnswer(format, document), ...rendered.warnings] }
}

/** Writes the stream of a client that speaks `name` from parts of the format in which it is answered, or of its own. */
export function createStreamEncoderFor(name: FormatName, context: RenderContext): StreamEncoder {
  const encoder = formatOf(name).createStreamEncoder(context)
  const { answeredIn = name, request } = context
  const names = answeredIn === name ? undefined : ToolNames.of(request, formatOf(answeredIn).toolNames)
  return names === undefined ? encoder : new NamingEncoder(encoder, names)
}

class NamingEncoder implements StreamEncoder {
  readonly #encoder: StreamEncoder
  readonly #names: ToolNames

  constructor(encoder: StreamEncoder, names: ToolNames) {
    this.#encoder = encoder
    this.#names = names
  }

  get warnings(): readonly TranslationWarning[] {
    return this.#encoder.warnings
  }

  push(part: StreamPart): SseEvent[] {
    return this.#encoder.push(withOriginalName(part, this.#names))
  }

  end(): SseEvent[] {
    return this.#encoder.end()
  }
}
