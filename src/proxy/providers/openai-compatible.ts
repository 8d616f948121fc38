/** Servers that speak OpenAI's API: Ollama, vLLM, llama.cpp, Groq, Mistral, DeepSeek, OpenRouter and many more. */
import type { ProviderFamily } from './provider-family.ts'
import { withPath } from './provider-family.ts'
import { classifyOpenaiFailure, openaiPath } from './openai.ts'

export const openaiCompatible = {
  type: 'OpenAICompatible',
  format: 'chat-completions',
  defaultBaseUrl: undefined,
  fixedHeaders: {},
  url: (base, target) => withPath(base, openaiPath(target.operation)),
  healthUrl: (base) => withPath(base, '/models'),
  authorize: (secret) => ['authorization', `Bearer ${secret}`],
  classifyFailure: classifyOpenaiFailure,
} satisfies ProviderFamily
