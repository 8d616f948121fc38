/** What a user says, as each format's reader makes it. */
import type { Message, UserPart } from '../completion/request.ts'
import type { JsonValue } from '../json.ts'

/**
 * @param content the parts that the neutral request has a word for
 * @param source what they were read from
 */
export function userMessage(
  content: readonly UserPart[],
  source: JsonValue | readonly JsonValue[] | undefined,
): Message {
  const isUnread = content.length === 0 && Array.isArray(source) && source.length > 0
  return { role: 'user', content, ...(isUnread ? { isUnread } : {}) }
}
