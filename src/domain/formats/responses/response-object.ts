/** The object that an answer is, whole or at the beginning and the end of a stream. */
import type { Finish, Usage } from '../../completion/result.ts'
import type { CompletionRequest } from '../../completion/request.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { withoutUndefined } from '../fields.ts'
import type { RenderContext } from '../format.ts'
import { chosenName } from './client-tool.ts'

export interface AnswerState {
  /** Undefined: it goes on. */
  readonly finish: Finish | undefined
  readonly model: string
  readonly output: readonly JsonObject[]
  readonly usage: Usage | undefined
}

/**
 * With the request's settings, as the vendor repeats them; without its texts (`instructions`, `tools`, `metadata`), which the
 * client knows and the gateway has masked.
 */
export function responseObject(context: RenderContext, { finish, model, output, usage }: AnswerState): JsonObject {
  const { request, nowSeconds } = context
  const { temperature, topP, maxOutputTokens } = request.sampling
  const incomplete = finish && incompleteReason(finish)
  return withoutUndefined({
    id: responseId(context),
    object: 'response',
    created_at: nowSeconds,
    status: statusOf(finish),
    background: false,
    error:
      finish?.reason === 'error'
        ? { code: 'server_error', message: 'The provider ended the answer with an error.' }
        : null,
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    instructions: null,
    max_output_tokens: maxOutputTokens ?? null,
    metadata: {},
    model: model || context.model,
    output: [...output],
    parallel_tool_calls: request.parallelToolCalls ?? true,
    previous_response_id: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
    store: false,
    temperature: temperature ?? null,
    tool_choice: renderToolChoice(request),
    tools: [],
    top_p: topP ?? null,
    truncation: 'disabled',
    usage: usage === undefined ? null : renderUsage(usage),
  })
}

function renderToolChoice({ tools, toolChoice }: CompletionRequest): JsonValue {
  if (toolChoice?.type !== 'tool') return toolChoice?.type ?? 'auto'
  const chosen = tools.find(({ name }) => name === toolChoice.name)
  const name = chosen?.member === undefined ? toolChoice.name : chosenName(chosen.member)
  return { type: chosen?.takesText === true ? 'custom' : 'function', name }
}

/** Nothing can be asked for by it: it tells answers apart. */
function responseId({ requestId }: RenderContext): string {
  return `resp_${requestId}`
}

type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed'

export function statusOf(finish: Finish | undefined): Status {
  if (finish === undefined) return 'in_progress'
  if (finish.reason === 'error') return 'failed'
  return incompleteReason(finish) === undefined ? 'completed' : 'incomplete'
}

function incompleteReason({ reason }: Finish): string | undefined {
  if (reason === 'length') return 'max_output_tokens'
  return reason === 'content-filter' ? 'content_filter' : undefined
}

/** Here the prompt's tokens include the cached ones. */
function renderUsage({ input, cachedInput, cacheWrite, output, reasoning }: Usage): JsonObject {
  const prompt = input + cachedInput + cacheWrite
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + output,
  }
}
