/**
 * What the user says last, where another vendor's format can carry nothing of it: media by an id or an address that only the
 * client's own vendor takes, or what only that one knows. Sent without it, the conversation would be empty, which is refused,
 * or the model would answer what was said before.
 */
import type { CompletionRequest, ProviderFormatName, UserPart } from '../completion/request.ts'
import { formatOf } from './registry.ts'
import { endsInSilence } from './silent-turn.ts'

export function losesLastTurn({ messages, source }: CompletionRequest, name: ProviderFormatName): boolean {
  if (source.format === name) return false
  // An instruction behind or between what the user says is none of it.
  const spoken = messages.filter(({ role }) => role !== 'system')
  if (spoken.at(-1)?.role !== 'user' || endsInSilence(spoken)) return false
  const format = formatOf(name)
  const before = spoken.findLastIndex(({ role }) => role !== 'user')
  // Results of tools are to be answered, with or without what stands beside them.
  if (spoken[before]?.role === 'tool') return false
  const isSaid = (part: UserPart) => (part.type === 'text' ? /\S/.test(part.text) : format.carries(part))
  return !spoken.slice(before + 1).some(({ role, content }) => role === 'user' && content.some(isSaid))
}
