/** OpenAI. @see https://platform.openai.com/docs/api-reference */
import type { FailureKind, ProviderFamily, Target } from './provider-family.ts'
import { classifyStatus, withPath } from './provider-family.ts'

export const openai = {
  type: 'OpenAI',
  format: 'chat-completions',
  outputLimitField: 'max_completion_tokens',
  defaultBaseUrl: 'https://api.openai.com/v1',
  fixedHeaders: {},
  dialect: () => 'openai',
  url: (base, target) => withPath(base, openaiPath(target.operation)),
  healthUrl: (base) => withPath(base, '/models'),
  authorize: (secret) => ['authorization', `Bearer ${secret}`],
  classifyFailure: classifyOpenaiFailure,
} satisfies ProviderFamily

/** Paths below a base URL that ends with the version. The API cannot count tokens, so that is never asked of it. */
export function openaiPath(operation: Target['operation']): string {
  return operation === 'embeddings' ? '/embeddings' : '/chat/completions'
}

/** A 429 with `insufficient_quota` is an account without credit: waiting does not help. */
export function classifyOpenaiFailure(status: number, body: string): FailureKind {
  return status === 429 && body.includes('"insufficient_quota"') ? 'our-fault' : classifyStatus(status, body)
}
