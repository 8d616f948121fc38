/**
 * What a model takes, told by its name: Gemini 2.5 thinks by a budget of tokens, Gemini 3 and later by a level, older ones
 * and Gemma not at all, and what a model does not take is refused with a 400. A name without a number (`gemini-flash-latest`)
 * is one of the newest.
 * @see https://ai.google.dev/gemini-api/docs/thinking
 */

export interface ModelTraits {
  readonly thinking: 'none' | 'budget' | 'level'
  /** The larger models: they cannot stop thinking, and take a larger budget. */
  readonly isPro: boolean
  /** Whether a function call of the current turn must bear the thought's signature. */
  readonly requiresSignature: boolean
  /** Whether the answer may be held to JSON while functions are declared. */
  readonly jsonBesideTools: boolean
}

const VERSION = /gemini-(\d+)(?:[.-](\d+))?/i
const NEWEST = /gemini-[a-z-]+-latest/i

/** The traits of the model that a provider knows by `name`. */
export function traitsOf(name: string): ModelTraits {
  const isPro = /-pro\b/i.test(name)
  const [, major, minor] = VERSION.exec(name) ?? []
  if (major === undefined) {
    const isNewest = NEWEST.test(name)
    return { thinking: isNewest ? 'level' : 'none', isPro, requiresSignature: isNewest, jsonBesideTools: true }
  }
  if (Number(major) >= 3) return { thinking: 'level', isPro, requiresSignature: true, jsonBesideTools: true }
  const hasBudget = Number(major) === 2 && Number(minor) >= 5
  return { thinking: hasBudget ? 'budget' : 'none', isPro, requiresSignature: false, jsonBesideTools: false }
}
