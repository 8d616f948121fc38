/** Anthropic. The base URL is without the version, as its SDK takes it. @see https://docs.anthropic.com/en/api */
import type { FailureKind, ProviderFamily } from './provider-family.ts'
import { classifyStatus, withPath } from './provider-family.ts'

export const anthropic = {
  type: 'Anthropic',
  format: 'messages',
  countsTokens: true,
  defaultBaseUrl: 'https://api.anthropic.com',
  // For requests from other formats: the next version, 2026-10-21, refuses temperature, top_p and top_k for every model.
  fixedHeaders: { 'anthropic-version': '2023-06-01' },
  url: (base, { operation }) =>
    withPath(base, operation === 'count-tokens' ? '/v1/messages/count_tokens' : '/v1/messages'),
  healthUrl: (base) => withPath(base, '/v1/models'),
  // An API key is not a bearer token here.
  authorize: (secret) => ['x-api-key', secret],
  classifyFailure,
} satisfies ProviderFamily

/** An account without credit is refused with 400, as if the request were at fault. */
function classifyFailure(status: number, body: string): FailureKind {
  return status === 400 && /credit balance is too low/i.test(body) ? 'our-fault' : classifyStatus(status, body)
}
