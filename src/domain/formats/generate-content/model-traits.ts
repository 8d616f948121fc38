/**
 * What a model takes, told by its name: Gemini 2.5 thinks by a budget of tokens, Gemini 3 and later by a level, older ones
 * and Gemma not at all, and what a model does not take is refused with a 400. A name without a number (`gemini-flash-latest`)
 * is one of the newest. From Gemini 4 on a level is all that may be said of thinking, and one answer all that may be asked for.
 * @see https://ai.google.dev/gemini-api/docs/thinking
 * @see https://ai.google.dev/gemini-api/docs/generate-content/latest-model
 */

export interface ModelTraits {
  readonly thinking: 'none' | 'budget' | 'level'
  /** From the least to the most; of a model that thinks by level. */
  readonly levels: readonly Level[]
  /** Of a model that thinks by level: whether it takes a budget in its place. */
  readonly takesBudget: boolean
  /** How many answers may be asked for at once. */
  readonly candidates: number
  /** Of the tokens to think with. */
  readonly budget: { readonly min: number; readonly max: number }
  /** Whether it can be told not to think: the larger models cannot. */
  readonly stops: boolean
  /** Whether a function call of the current turn must bear the thought's signature. */
  readonly requiresSignature: boolean
  /** Whether the answer may be held to JSON while functions are declared. */
  readonly jsonBesideTools: boolean
  /** Whether penalties other than 0 are taken. @see https://github.com/google-gemini/cookbook/issues/1290 */
  readonly penalties: boolean
  /** Whether a conversation may end with the model's own turn. @see https://ai.google.dev/gemini-api/docs/generate-content/whats-new-gemini-3.6 */
  readonly lastWord: boolean
}

/** The vendor's own bound of `candidateCount`. */
export const MAX_CANDIDATES = 8

export type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'

const VERSION = /gemini-(\d+)(?:[.-](\d+))?/i
const NEWEST = /gemini-[a-z-]+-latest/i

const ALL_LEVELS: readonly Level[] = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']
/** The larger models from 3.1 on, Flash from 3.7 on, and all from 4 on. */
const FROM_LOW: readonly Level[] = ['LOW', 'MEDIUM', 'HIGH']
/** Gemini 3 Pro itself. */
const TWO_LEVELS: readonly Level[] = ['LOW', 'HIGH']

/** The traits of the model that a provider knows by `name`. */
export function traitsOf(name: string): ModelTraits {
  const [, major, minor] = VERSION.exec(name) ?? []
  if (major !== undefined) return numbered(name, Number(major), Number(minor ?? 0))
  const isNewest = NEWEST.test(name)
  const thinking = isNewest ? 'level' : 'none'
  return {
    ...sized(name, thinking, Infinity),
    requiresSignature: isNewest,
    jsonBesideTools: true,
    penalties: !isNewest,
  }
}

function numbered(name: string, major: number, minor: number): ModelTraits {
  if (major >= 3) {
    const version = major + Math.min(minor, 99) / 100
    return { ...sized(name, 'level', version), requiresSignature: true, jsonBesideTools: true, penalties: false }
  }
  const thinks = major === 2 && minor >= 5
  const traits = sized(name, thinks ? 'budget' : 'none', major)
  return { ...traits, requiresSignature: false, jsonBesideTools: false, penalties: !thinks }
}

type Sized = Pick<ModelTraits, 'thinking' | 'levels' | 'takesBudget' | 'candidates' | 'budget' | 'stops' | 'lastWord'>

/** What depends on the size. @param version with the minor number in hundredths */
function sized(name: string, thinking: ModelTraits['thinking'], version: number): Sized {
  const isPro = /-pro\b/i.test(name)
  const isLite = /-lite\b/i.test(name)
  const levels = levelsOf(isPro, isLite, version)
  const stops = thinking === 'level' ? levels === ALL_LEVELS : !isPro
  const [takesBudget, candidates] = [version < 4, version < 4 || thinking !== 'level' ? MAX_CANDIDATES : 1]
  return {
    thinking,
    levels,
    takesBudget,
    candidates,
    stops,
    lastWord: thinking !== 'level' || version < (isLite ? 3.05 : 3.06),
    budget: { min: isPro ? 128 : isLite ? 512 : 1, max: isPro ? 32_768 : 24_576 },
  }
}

function levelsOf(isPro: boolean, isLite: boolean, version: number): readonly Level[] {
  if (version >= 4 && version < Infinity) return FROM_LOW
  if (isPro) return version < 3.01 ? TWO_LEVELS : FROM_LOW
  return !isLite && version >= 3.07 ? FROM_LOW : ALL_LEVELS
}
