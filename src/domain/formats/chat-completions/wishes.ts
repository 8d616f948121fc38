/** Fields about price and speed, of which OpenAI's models refuse what they do not take: the answer is the same without. */
import type { JsonValue } from '../../json.ts'
import { takesRetention } from './cache-retention.ts'
import { takesTier } from './service-tier.ts'

/** By a field's name, whether a model takes its value. */
export const WISHES: ReadonlyMap<string, (model: string, value: JsonValue) => boolean> = new Map([
  ['prompt_cache_retention', takesRetention],
  ['service_tier', takesTier],
])
