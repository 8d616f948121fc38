/**
 * `service_tier`: what OpenAI's models take of it, told by their names; they refuse the rest with a 400. So do the words of other
 * vendors (Groq's `on_demand`), and `ultrafast`, which only Responses has.
 *
 * | model                             | auto, default, scale | flex | priority, fast |
 * |-----------------------------------|----------------------|------|----------------|
 * | gpt-4, 4.1, 4o                    | yes                  | no   | yes            |
 * | o3, o4, gpt-5 and later           | yes                  | yes  | yes            |
 * | nano of gpt-5 and later           | yes                  | yes  | no             |
 * | all others, and chat of gpt-5 on  | yes                  | no   | no             |
 * @see https://developers.openai.com/api/docs/guides/flex-processing
 * @see https://developers.openai.com/api/docs/guides/priority-processing
 */
import type { JsonValue } from '../../json.ts'
import { isOpenAisApi } from './model-traits.ts'

const TAKES_FLEX = /^(?:o[34]|gpt-[5-9])(?!.*-chat)/i
const TAKES_PRIORITY = /^(?:gpt-4|(?:o[34]|gpt-[5-9])(?!.*-(?:chat|nano)))/i
const OF_EVERY_MODEL: ReadonlySet<JsonValue> = new Set(['auto', 'default', 'scale'])

export function takesTier(model: string, tier: JsonValue): boolean {
  if (!isOpenAisApi(model) || OF_EVERY_MODEL.has(tier)) return true
  if (tier === 'flex') return TAKES_FLEX.test(model)
  return (tier === 'priority' || tier === 'fast') && TAKES_PRIORITY.test(model)
}
