/** Why a candidate ended, in this format's words and in the neutral ones. */
import type { Finish, FinishReason } from '../../completion/result.ts'

/** @see https://ai.google.dev/api/generate-content#FinishReason */
const REASON_OF: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries<FinishReason>({
    STOP: 'stop',
    MAX_TOKENS: 'length',
    SAFETY: 'content-filter',
    RECITATION: 'content-filter',
    BLOCKLIST: 'content-filter',
    PROHIBITED_CONTENT: 'content-filter',
    SPII: 'content-filter',
    IMAGE_SAFETY: 'content-filter',
    IMAGE_PROHIBITED_CONTENT: 'content-filter',
    IMAGE_RECITATION: 'content-filter',
    MODEL_ARMOR: 'content-filter',
    MALFORMED_FUNCTION_CALL: 'error',
    UNEXPECTED_TOOL_CALL: 'error',
    TOO_MANY_TOOL_CALLS: 'error',
    MISSING_THOUGHT_SIGNATURE: 'error',
    MALFORMED_RESPONSE: 'error',
  }),
)

const WORD_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  error: 'OTHER',
  other: 'OTHER',
}

/**
 * @param raw the provider's word; undefined where a whole answer has none.
 * @param hasToolCalls whether the candidate calls functions: the vendor then says `STOP` all the same.
 */
export function parseFinish(raw: string | undefined, hasToolCalls: boolean): Finish {
  const reason = raw === undefined ? 'stop' : (REASON_OF.get(raw) ?? 'other')
  const isEnd = reason === 'stop' || reason === 'other' // servers that imitate the vendor have words of their own
  return { reason: isEnd && hasToolCalls ? 'tool-calls' : reason, raw }
}

/** The end of an answer whose prompt was refused: there is no candidate then, only feedback. */
export function blockedFinish(blockReason: string): Finish {
  return { reason: 'content-filter', raw: blockReason }
}

/** The word for a client of this format: the raw one where it is already of this format. */
export function renderFinish({ reason, raw }: Finish): string {
  return raw !== undefined && REASON_OF.get(raw) === reason ? raw : WORD_OF[reason]
}
