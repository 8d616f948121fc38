/** Neutral sampling parameters -> those of this format, where the model takes them. */
import type { Sampling, TranslationWarning } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import type { ModelTraits } from './model-traits.ts'

/** The vendor takes at most four stop sequences. */
export const MAX_STOP_SEQUENCES = 4

export interface SamplingLimits {
  readonly traits: ModelTraits
  /** As it is sent. */
  readonly effort: string | undefined
}

/** The fields; undefined ones are left out. */
export function translateSampling(
  sampling: Sampling,
  { traits, effort }: SamplingLimits,
  warnings: TranslationWarning[],
): JsonObject {
  if (sampling.topK !== undefined) {
    warnings.push({ field: 'top_k', message: 'chat-completions has no such parameter; it was left out' })
  }
  const take = <Value>(field: string, value: Value | undefined, isTaken: boolean): Value | undefined => {
    if (isTaken || value === undefined) return value
    // The vendor's default is not lost, whether or not it may be said.
    if (value !== DEFAULTS.get(field)) warnings.push({ field, message: 'the model refuses it; it was left out' })
    return undefined
  }
  const takesAll = isFree(traits, effort)
  const hasPenalties = traits.penalties
  return {
    temperature: take('temperature', sampling.temperature, takesAll || sampling.temperature === 1),
    top_p: take('top_p', sampling.topP, takesAll),
    stop: take('stop', renderStop(sampling, warnings), traits.stop),
    seed: sampling.seed,
    frequency_penalty: take('frequency_penalty', sampling.frequencyPenalty, hasPenalties),
    presence_penalty: take('presence_penalty', sampling.presencePenalty, hasPenalties),
    n: sampling.choices,
  }
}

/** Whether temperature and top_p are taken beside this effort. */
export function isFree({ sampling, reasonsByDefault }: ModelTraits, effort: string | undefined): boolean {
  const reasons = (effort ?? (reasonsByDefault ? 'some' : 'none')) !== 'none'
  return sampling === 'always' || (sampling === 'unless-reasoning' && !reasons)
}

const DEFAULTS: ReadonlyMap<string, unknown> = new Map([
  ['top_p', 1],
  ['frequency_penalty', 0],
  ['presence_penalty', 0],
])

function renderStop({ stop = [] }: Sampling, warnings: TranslationWarning[]): string[] | undefined {
  if (stop.length > MAX_STOP_SEQUENCES) {
    warnings.push({ field: 'stop', message: `only the first ${MAX_STOP_SEQUENCES} stop sequences were sent` })
  }
  return stop.length > 0 ? stop.slice(0, MAX_STOP_SEQUENCES) : undefined
}
