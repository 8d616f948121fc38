/** Why an answer ended, in this format's words and in the neutral ones. */
import type { Finish, FinishReason } from '../../completion/result.ts'

const REASON_OF: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries<FinishReason>({
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool-calls',
    refusal: 'content-filter',
    pause_turn: 'other',
  }),
)

/** For an answer that ended by an error there is no word; `max_tokens` at least says that it is not whole. */
const WORD_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'end_turn', // see renderStopReason
  'content-filter': 'refusal',
  error: 'max_tokens',
  other: 'end_turn',
}

/**
 * @param raw the provider's word; undefined where the stream ended without one.
 * @param hasToolCalls whether the answer holds tool calls: some servers then still say `end_turn`, or a word of their own.
 */
export function parseStopReason(
  raw: string | undefined,
  stopSequence: string | undefined,
  hasToolCalls: boolean,
): Finish {
  const known = raw === undefined ? 'stop' : REASON_OF.get(raw)
  const isEnd = known === 'stop' || known === undefined
  return {
    reason: isEnd && hasToolCalls ? 'tool-calls' : (known ?? 'other'),
    raw,
    ...(stopSequence === undefined ? {} : { stopSequence }),
  }
}

/** What an answer holds that its stop reason must agree with. */
export interface Held {
  readonly toolCalls: boolean
  readonly refusal: boolean
}

/**
 * The word for a client of this format, which runs tools by it: `tool_use` always where a tool was called and the
 * answer was not cut, never where none was.
 */
export function renderStopReason(finish: Finish, held: Held): string {
  const { reason, raw, stopSequence } = finish
  const isWhole = reason === 'stop' || reason === 'tool-calls' || reason === 'other'
  if (held.refusal && isWhole) return 'refusal'
  if (held.toolCalls && isWhole) return 'tool_use'
  if (raw !== undefined && raw !== 'tool_use' && REASON_OF.get(raw) === reason) return raw
  return reason === 'stop' && stopSequence !== undefined ? 'stop_sequence' : WORD_OF[reason]
}
