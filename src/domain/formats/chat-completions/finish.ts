/** Why a choice ended, in this format's words and in the neutral ones. */
import type { Finish, FinishReason } from '../../completion/result.ts'

/** The vendor's words, and those of servers that call themselves compatible. */
const REASON_OF: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries<FinishReason>({
    stop: 'stop',
    eos: 'stop', // Together
    eos_token: 'stop', // Hugging Face
    stop_sequence: 'stop',
    end_turn: 'stop',
    length: 'length',
    max_tokens: 'length',
    model_length: 'length', // Mistral
    tool_calls: 'tool-calls',
    tool_use: 'tool-calls',
    function_call: 'tool-calls',
    content_filter: 'content-filter',
    safety: 'content-filter',
    error: 'error', // OpenRouter, Mistral
  }),
)

/** For a choice that ended by an error there is no word; `length` at least says that the answer is not whole. */
const WORD_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  error: 'length',
  other: 'stop',
}

/**
 * @param raw the provider's word; undefined where the stream ended without one.
 * @param hasToolCalls whether the choice holds tool calls: several servers, and the vendor itself with a forced tool,
 *   then still say `stop`.
 */
export function parseFinish(raw: string | undefined, hasToolCalls: boolean): Finish {
  const reason = raw === undefined ? 'stop' : (REASON_OF.get(raw.toLowerCase()) ?? 'other')
  const isEnd = reason === 'stop' || reason === 'other' // a word that nobody knows still ends with the calls
  return { reason: isEnd && hasToolCalls ? 'tool-calls' : reason, raw }
}

/** The word for a client of this format. */
export function renderFinish(finish: Finish): string {
  return WORD_OF[finish.reason]
}
