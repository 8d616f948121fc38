/** What a request asks of a model, in the manifests' words. */
import type { CompletionRequest, Message } from '../../../domain/completion/request.ts'
import type { Capability } from '../../../domain/snapshot/snapshot.ts'

/** The capabilities that a candidate must have: others refuse the request, or answer as if a part of it were not there. */
export function needsOf(request: CompletionRequest): Capability[] {
  const needs: Capability[] = ['chat']
  if (request.stream) needs.push('streaming')
  if (request.tools.length > 0) needs.push('tools')
  if (request.messages.some(showsImage)) needs.push('vision')
  if (request.messages.some(holdsAudio)) needs.push('audio')
  return needs
}

/** By the user, or by a tool: screenshots come as results. */
function showsImage(message: Message): boolean {
  if (message.role === 'user') return message.content.some(({ type }) => type === 'image')
  return message.role === 'tool' && message.content.some(({ content }) => content.some(({ type }) => type === 'image'))
}

function holdsAudio(message: Message): boolean {
  return message.role === 'user' && message.content.some(({ type }) => type === 'audio')
}
