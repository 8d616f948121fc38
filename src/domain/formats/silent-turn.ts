/**
 * A user's last message that says nothing. OpenAI answers it; elsewhere there is no empty message, and leaving it out would
 * leave no conversation, or the model's own answer as the last word, which is then an order to go on with it.
 */
import type { Message, TranslationWarning } from '../completion/request.ts'

/** Sent in its place. */
export const SILENT_TURN = '(The message is empty.)'

/** Sent as the user's behind the model's last word, where that may not be the end. Other vendors' models answer it, mostly by going on. */
export const GO_ON = '(Continue.)'

/** Sent as the user's before the model's first word, where that may not be the beginning. */
export const BEGINNING = '(The conversation begins with the answer.)'

/** Whether the conversation ends so. What a user did send, and a format cannot carry, is no silence. */
export function endsInSilence(messages: readonly Message[]): boolean {
  const last = messages.at(-1)
  return (
    last?.role === 'user' &&
    last.isUnread !== true &&
    last.content.every((part) => part.type === 'text' && !/\S/.test(part.text))
  )
}

export function warnOfSilence(messages: readonly Message[], warnings: TranslationWarning[]): void {
  warnings.push({
    field: `messages[${messages.length - 1}]`,
    message: 'an empty message cannot be sent in this format; a text that says so was sent',
  })
}
