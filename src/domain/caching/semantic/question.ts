/** Which requests may be answered by another question's answer, and what of them is the question. */
import type { CompletionRequest } from '../../completion/request.ts'
import { MAX_QUESTION_CHARACTERS } from './wording.ts'

/** Longer conversations differ in more than their last question. @see DESIGN section 7 */
const MAX_MESSAGES = 4

/** Stands for the question in the rest of the request; no client's text is this. */
export const QUESTION_PLACE = '\u0000question\u0000'

/**
 * The last user message's text, where the request is one that may be compared by meaning: text only, no tools, one
 * answer, few messages. Undefined otherwise.
 */
export function questionOf(request: CompletionRequest): string | undefined {
  const { messages, tools, sampling } = request
  if (tools.length > 0 || messages.length > MAX_MESSAGES || (sampling.choices ?? 1) !== 1) return undefined
  if (!messages.every(({ content }) => content.every((part) => part.type === 'text'))) return undefined
  const last = messages.at(-1)
  const [part, ...others] = last?.role === 'user' ? last.content : []
  if (part?.type !== 'text' || others.length > 0) return undefined
  const { text } = part
  return text.trim() === '' || text.length > MAX_QUESTION_CHARACTERS ? undefined : text
}
