/** Google Gemini. The base URL is without the version, as its SDK takes it. @see https://ai.google.dev/api */
import type { FailureKind, ProviderFamily, Target } from './provider-family.ts'
import { classifyStatus, withPath } from './provider-family.ts'

const VERSION = '/v1beta'

export const gemini = {
  type: 'Gemini',
  format: 'generate-content',
  defaultBaseUrl: 'https://generativelanguage.googleapis.com',
  fixedHeaders: {},
  url: geminiUrl,
  healthUrl: (base) => withPath(base, `${VERSION}/models`),
  countsTokens: true,
  // An API key is not a bearer token here.
  authorize: (secret) => ['x-goog-api-key', secret],
  classifyFailure,
} satisfies ProviderFamily

function geminiUrl(base: URL, target: Target): URL {
  const url = withPath(base, `${VERSION}/${resourceName(target.upstreamName)}:${method(target)}`)
  if (target.operation === 'chat' && target.stream) url.searchParams.set('alt', 'sse')
  return url
}

/** `gemini-2.5-flash` and `models/gemini-2.5-flash` are the same model; `tunedModels/x` is another collection. */
function resourceName(upstreamName: string): string {
  const path = upstreamName.includes('/') ? upstreamName : `models/${upstreamName}`
  return path.split('/').map(encodeURIComponent).join('/')
}

function method({ operation, stream }: Target): string {
  if (operation === 'count-tokens') return 'countTokens'
  if (operation === 'embeddings') return 'embedContent'
  return stream ? 'streamGenerateContent' : 'generateContent'
}

/**
 * A bad key is refused with 400, as if the request were at fault; a cached content or file that the request names, and
 * that is gone or never was, with 403, as if the key were.
 */
function classifyFailure(status: number, body: string): FailureKind {
  if (refusesKey(status, body)) return 'our-fault'
  const isMissing = (status === 403 || status === 404) && /CachedContent not found|access the File /i.test(body)
  return isMissing ? 'request' : classifyStatus(status, body)
}

/** Google refuses a key with 400, at its address for OpenAI's API too. */
export function refusesKey(status: number, body: string): boolean {
  return status === 400 && /"API_KEY_INVALID"|API key (not valid|expired)/i.test(body)
}
