/** The wire formats. To add one: its folder, and one line here. */
import type { CompletionRequest, FormatName, ProviderFormatName, TranslationWarning } from '../completion/request.ts'
import type { CompletionResult } from '../completion/result.ts'
import type { StreamPart } from '../completion/stream-part.ts'
import type { JsonObject } from '../json.ts'
import { chatCompletions } from './chat-completions/chat-completions.ts'
import { withDistinctCallIds } from './distinct-call-ids.ts'
import type { ClientFormat, Format, RenderContext, Rendered, RenderTarget, SseEvent, StreamEncoder } from './format.ts'
import { generateContent } from './generate-content/generate-content.ts'
import { messages } from './messages/messages.ts'
import { unknownChoice } from './offered-tools.ts'
import { responses } from './responses/responses.ts'
import { withNewerTuples } from './schema-tuples.ts'
import { ToolNames, withOriginalName, withOriginalNames, withSentNames } from './tool-names.ts'
import { unmodelledAnswer } from './unmodelled-answer.ts'

export const FORMATS: readonly Format[] = [chatCompletions, messages, generateContent]

/** Those that clients speak. */
export const CLIENT_FORMATS: readonly ClientFormat[] = [...FORMATS, responses]

/** The codec of a provider's format. @throws where none is registered under the name: a mistake in the code, not in a request. */
export function formatOf(name: ProviderFormatName): Format {
  const format = BY_NAME.get(name)
  if (format === undefined) throw new Error(`no codec is registered for the format ${name}`)
  return format
}

const BY_NAME = new Map(FORMATS.map((format) => [format.name, format]))

/** The client's end of a format. @throws as `formatOf` */
export function clientFormatOf(name: FormatName): ClientFormat {
  return name === 'responses' ? responses : formatOf(name)
}

/** The request for a provider that speaks `name`, with a warning for everything that the way there loses. */
export function renderRequestFor(
  name: ProviderFormatName,
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
  const { carried = [] } = rendered
  const unmodelled = clientFormatOf(format)
    .unmodelledFields(document)
    .filter(({ field }) => !carried.includes(field))
  return { ...rendered, warnings: [...unmodelled, ...unknownChoice(request), ...rendered.warnings] }
}

/** The answer for a client that speaks `name`, with a warning for everything that the way there loses. */
export function renderResultFor(
  name: FormatName,
  result: CompletionResult,
  context: RenderContext,
): Rendered<JsonObject> {
  const { format, document } = result.source
  const client = clientFormatOf(name)
  if (format === name) return client.renderResult(result, context)
  const names = ToolNames.of(context.request, formatOf(format).toolNames)
  const named = names === undefined ? result : withOriginalNames(result, names)
  const rendered = client.renderResult(named, context)
  return { ...rendered, warnings: [...unmodelledAnswer(format, document), ...rendered.warnings] }
}

/** Writes the stream of a client that speaks `name` from parts of the format in which it is answered, or of its own. */
export function createStreamEncoderFor(name: FormatName, context: RenderContext): StreamEncoder {
  const encoder = clientFormatOf(name).createStreamEncoder(context)
  const { answeredIn, request } = context
  const names =
    answeredIn === undefined || answeredIn === name ? undefined : ToolNames.of(request, formatOf(answeredIn).toolNames)
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

  get heldCharacters(): number {
    return this.#encoder.heldCharacters ?? 0
  }

  get sequence(): number {
    return this.#encoder.sequence ?? 0
  }

  push(part: StreamPart): SseEvent[] {
    return this.#encoder.push(withOriginalName(part, this.#names))
  }

  end(): SseEvent[] {
    return this.#encoder.end()
  }
}
