/** Servers that speak OpenAI's API: Ollama, vLLM, llama.cpp, Groq, Mistral, DeepSeek, OpenRouter and many more. */
import type { ProviderFamily } from './provider-family.ts'
import { withPath } from './provider-family.ts'
import { refusesKey } from './gemini.ts'
import { classifyOpenaiFailure, openaiPath } from './openai.ts'

/** Its models elsewhere are served by servers that ignore what they do not know. */
const MISTRALS = /^https?:\/\/(?:[\w-]+\.)*mistral\.ai\.?(?::\d+)?(?:\/|$)/i

export const openaiCompatible = {
  type: 'OpenAICompatible',
  format: 'chat-completions',
  defaultBaseUrl: undefined,
  fixedHeaders: {},
  dialect: (baseUrl) => (MISTRALS.test(baseUrl ?? '') ? 'mistral' : undefined),
  url: (base, target) => withPath(base, openaiPath(target.operation)),
  healthUrl: (base) => withPath(base, '/models'),
  authorize: (secret) => ['authorization', `Bearer ${secret}`],
  classifyFailure: (status, body) =>
    isGoogles(body) && refusesKey(status, body) ? 'our-fault' : classifyOpenaiFailure(status, body),
} satisfies ProviderFamily

/** In an array, as nobody else's: servers that quote the client's words must not make them a refusal of the key. */
function isGoogles(body: string): boolean {
  return /^\s*\[\s*\{\s*"error"/.test(body)
}
