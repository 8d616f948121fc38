/** Usage of this format <-> neutral usage. Here the prompt includes cached tokens, and thoughts stand beside the answer. */
import type { Usage } from '../../completion/result.ts'
import { asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { countOf, hasCount } from '../usage-counts.ts'
import { withoutUndefined } from '../fields.ts'

/** Undefined where `value` is no usage object, or counts nothing. */
export function parseUsage(value: JsonValue | undefined): Usage | undefined {
  const { promptTokenCount, candidatesTokenCount, totalTokenCount } = asObject(value) ?? {}
  if (!isJsonObject(value) || !hasCount(promptTokenCount, candidatesTokenCount, totalTokenCount)) return undefined
  const prompt = countOf(value.promptTokenCount)
  const cachedInput = Math.min(prompt, countOf(value.cachedContentTokenCount))
  // What the vendor's own tools found goes back into the model as input, and is not part of the prompt's count.
  const toolUse = countOf(value.toolUsePromptTokenCount)
  const reasoning = countOf(value.thoughtsTokenCount)
  return {
    input: prompt - cachedInput + toolUse,
    cachedInput,
    cacheWrite: 0,
    output: outputOf(value, prompt + toolUse, reasoning),
    reasoning,
    raw: value,
  }
}

/** Thoughts stand beside the candidates' tokens; servers that count them inside are known by their total. */
function outputOf(usage: JsonObject, input: number, reasoning: number): number {
  const candidates = countOf(usage.candidatesTokenCount)
  const isInside = candidates >= reasoning && countOf(usage.totalTokenCount) === input + candidates
  return isInside ? candidates : candidates + reasoning
}

/** The usage object for a client of this format. The total is the sum of the counts beside it. */
export function renderUsage(usage: Usage): JsonObject {
  const prompt = usage.input + usage.cachedInput + usage.cacheWrite
  return withoutUndefined({
    promptTokenCount: prompt,
    cachedContentTokenCount: usage.cachedInput || undefined,
    candidatesTokenCount: Math.max(0, usage.output - usage.reasoning),
    thoughtsTokenCount: usage.reasoning || undefined,
    totalTokenCount: prompt + Math.max(usage.output, usage.reasoning),
  })
}
