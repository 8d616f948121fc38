/**
 * Azure OpenAI, both surfaces, told apart by the base URL:
 * - classic, `https://NAME.openai.azure.com` (with or without `/openai`): the upstream name is the deployment, in the
 *   path, and `api-version` is a parameter. Another version than ours is written in the base URL's query:
 *   `https://NAME.openai.azure.com?api-version=2024-10-21`.
 * - v1, `https://NAME.openai.azure.com/openai/v1`: like OpenAI, the model in the body, no version unless written.
 * @see https://learn.microsoft.com/azure/ai-services/openai/reference
 */
import type { ProviderFamily, Target } from './provider-family.ts'
import { withPath } from './provider-family.ts'
import { classifyOpenaiFailure, openaiPath } from './openai.ts'

/** Latest generally available version of the classic surface. */
const API_VERSION = '2024-10-21'
const V1_PATH = /\/v1\/*$/
const RESOURCE_PATH = /\/openai\/*$/
/** An Entra ID token is a JWT and goes as a bearer token; a key of Azure has no dots. */
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/

export const azureOpenai = {
  type: 'AzureOpenAI',
  format: 'chat-completions',
  outputLimitField: 'max_completion_tokens',
  defaultBaseUrl: undefined,
  fixedHeaders: {},
  url: (base, target) =>
    V1_PATH.test(base.pathname) ? withPath(base, openaiPath(target.operation)) : classicUrl(base, target),
  healthUrl: (base) =>
    V1_PATH.test(base.pathname) ? withPath(base, '/models') : withVersion(withPath(resource(base), '/models')),
  authorize: (secret) => (JWT.test(secret) ? ['authorization', `Bearer ${secret}`] : ['api-key', secret]),
  classifyFailure: classifyOpenaiFailure,
} satisfies ProviderFamily

function classicUrl(base: URL, { upstreamName, operation }: Target): URL {
  const deployment = encodeURIComponent(upstreamName)
  return withVersion(withPath(resource(base), `/deployments/${deployment}${openaiPath(operation)}`))
}

function resource(base: URL): URL {
  return RESOURCE_PATH.test(base.pathname) ? base : withPath(base, '/openai')
}

function withVersion(url: URL): URL {
  if (!url.searchParams.has('api-version')) url.searchParams.set('api-version', API_VERSION)
  return url
}
