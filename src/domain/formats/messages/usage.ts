/** Usage of this format <-> neutral usage. Here input tokens stand beside the cached ones, as in the neutral usage. */
import type { Usage } from '../../completion/result.ts'
import { asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { countOf, hasCount } from '../usage-counts.ts'

/** Undefined where `value` is no usage object, or counts nothing. */
export function parseUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value) || !hasCount(value.input_tokens, value.output_tokens)) return undefined
  return {
    input: countOf(value.input_tokens),
    cachedInput: countOf(value.cache_read_input_tokens),
    cacheWrite: cacheWriteOf(value),
    output: countOf(value.output_tokens),
    reasoning: countOf(asObject(value.output_tokens_details)?.thinking_tokens),
    raw: value,
  }
}

/** The vendor tells some ten. Each event that tells of usage copies what is known, for the whole stream. */
const MAX_FIELDS = 64

const SUM_OF_WRITES = 'cache_creation_input_tokens'
const OF_PROMPT = ['input_tokens', 'cache_read_input_tokens', SUM_OF_WRITES, 'cache_creation']

/**
 * Usage inside a stream grows: what a later event says of a field replaces what an earlier one said. But for zeros all
 * over the prompt, which servers of others fill in at the end: they do not make a prompt free that was counted.
 */
export function mergeUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  const merged = { ...earlier }
  const knowsNoPrompt = promptOf(later) === 0 && promptOf(earlier) > 0
  let room = MAX_FIELDS - Object.keys(earlier).length
  for (const [field, value] of Object.entries(later)) {
    if (value === null || value === undefined) continue
    if (knowsNoPrompt && OF_PROMPT.includes(field)) continue
    if (!Object.hasOwn(merged, field) && --room < 0) continue
    merged[field] = value
  }
  // Told by their time to live alone, cache writes take the place of the sum that was told before.
  const writes = cacheWriteOf(later)
  if (writes > 0 && Object.hasOwn(merged, SUM_OF_WRITES)) merged[SUM_OF_WRITES] = writes
  return merged
}

function promptOf(usage: JsonObject): number {
  return countOf(usage.input_tokens) + countOf(usage.cache_read_input_tokens) + cacheWriteOf(usage)
}

/** The usage object for a client of this format. */
export function renderUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cachedInput,
    output_tokens: usage.output,
    ...(usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
  }
}

function cacheWriteOf(usage: JsonObject): number {
  return countOf(usage.cache_creation_input_tokens ?? sumOf(asObject(usage.cache_creation)))
}

/** Cache writes by their time to live. */
function sumOf(counts: JsonObject | undefined): number {
  return Object.values(counts ?? {}).reduce<number>((sum, count) => sum + countOf(count), 0)
}
