/**
 * Claude's newer models refuse their own thinking of earlier turns where the system prompt, the tools or a message before it is
 * not what it was then. Where the gateway may have changed that (a policy that masks since, an order for JSON, a model that the
 * client did not name), the request goes once more without the thinking.
 * @see https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation
 */
import type { CompletionRequest } from '../../../domain/completion/request.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import { isAskedForItself } from '../planning/asked-model.ts'
import { StatusError } from './status-error.ts'

const WORDS = 'bound to a different conversation'

/** @param isUntouched no guardrail has changed what the client wrote: to whom names the model, the refusal is its vendor's own */
export function refusesThinking(
  error: unknown,
  deployment: Deployment,
  { source, model }: CompletionRequest,
  isUntouched: boolean,
): boolean {
  if (!(error instanceof StatusError) || error.status !== 400) return false
  if (error.format !== 'messages' || source.format !== 'messages') return false
  return error.says(WORDS) && !(isUntouched && isAskedForItself(deployment, model))
}
