/**
 * `prompt_cache_retention`: what OpenAI's models take of it, told by their names; they refuse the rest with a 400.
 *
 * | model                                             | 24h | in_memory |
 * |---------------------------------------------------|-----|-----------|
 * | gpt-4.1, gpt-5 to 5.4 (of mini: 5.1-codex-mini)   | yes | yes       |
 * | gpt-5.5                                           | yes | no        |
 * | gpt-5.6 and later, which have another field       | no  | no        |
 * | all others                                        | no  | yes       |
 * @see https://developers.openai.com/api/docs/guides/prompt-caching#prompt-cache-retention
 */
import type { JsonValue } from '../../json.ts'
import { isOpenAisApi } from './model-traits.ts'

const TAKES_A_DAY = /^gpt-(?:5\.1-codex-mini|(?:4\.1|5(?:\.[1-5])?)(?![\d.]|.*-(?:mini|nano)))/i
const REFUSES_MEMORY = /^gpt-(?:5\.[5-9]|[6-9])/i

export function takesRetention(model: string, retention: JsonValue): boolean {
  if (!isOpenAisApi(model)) return true
  return retention === '24h' ? TAKES_A_DAY.test(model) : !REFUSES_MEMORY.test(model)
}
