/** Neutral sampling parameters -> those of this format, where the model takes them. */
import type { Sampling, TranslationWarning } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import type { ModelTraits } from './model-traits.ts'

/** The vendor's highest; others go up to 2. */
const MAX_TEMPERATURE = 1

export interface SamplingLimits {
  readonly traits: ModelTraits
  /** Whether the request asks for thinking with a budget, which forbids another temperature and top_k. */
  readonly thinks: boolean
}

/** The fields; undefined ones are left out. */
export function translateSampling(
  sampling: Sampling,
  { traits, thinks }: SamplingLimits,
  warnings: TranslationWarning[],
): JsonObject {
  const lose = (field: string, message: string): undefined => void warnings.push({ field, message })
  for (const [field, value] of unknownTo(sampling)) {
    if (value !== undefined) lose(field, 'messages has no such parameter; it was left out')
  }
  const refused = thinks ? 'it does not go with thinking; it was left out' : 'the model refuses it; it was left out'
  const takes = traits.sampling && !thinks
  const take = (field: string, value: number | undefined): number | undefined =>
    takes || value === undefined ? value : lose(field, refused)
  // Thinking goes with the vendor's default, which a client may say.
  const isDefault = traits.sampling && sampling.temperature === MAX_TEMPERATURE
  const temperature = isDefault ? MAX_TEMPERATURE : take('temperature', sampling.temperature)
  if (temperature !== undefined && temperature > MAX_TEMPERATURE) {
    lose('temperature', `it was lowered to ${MAX_TEMPERATURE}, the highest that messages takes`)
  }
  const topP = take('top_p', sampling.topP)
  return {
    temperature: temperature === undefined ? undefined : Math.min(temperature, MAX_TEMPERATURE),
    top_p:
      topP !== undefined && temperature !== undefined
        ? lose('top_p', 'it does not go with a temperature; it was left out')
        : topP,
    top_k: take('top_k', sampling.topK),
    stop_sequences: renderStop(sampling.stop, warnings),
  }
}

function unknownTo(sampling: Sampling): [string, number | undefined][] {
  return [
    ['seed', sampling.seed],
    ['frequency_penalty', sampling.frequencyPenalty || undefined],
    ['presence_penalty', sampling.presencePenalty || undefined],
    ['n', sampling.choices === 1 ? undefined : sampling.choices],
  ]
}

/** The vendor refuses sequences of nothing but white space. */
function renderStop(stop: readonly string[] | undefined, warnings: TranslationWarning[]): string[] | undefined {
  const taken = (stop ?? []).filter((sequence) => /\S/.test(sequence))
  if (taken.length < (stop ?? []).length) {
    warnings.push({ field: 'stop', message: 'stop sequences of white space were left out' })
  }
  return taken.length > 0 ? taken : undefined
}
