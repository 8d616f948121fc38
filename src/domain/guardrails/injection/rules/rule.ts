/** A rule: concepts that, close to each other, speak for an attack. Independent of language. */
import type { ConceptName } from '../lexicon/concepts.ts'

/** What an attack tries; named in verdicts, metrics and audit records. */
export type InjectionFamily =
  | 'override'
  | 'prompt-leak'
  | 'secret-leak'
  | 'persona'
  | 'authority'
  | 'hijack'
  | 'fake-turn'
  | 'indirect'
  | 'exfiltration'
  | 'hidden-text'
  | 'classifier'

export interface ConceptRule {
  readonly name: string
  readonly family: InjectionFamily
  /** Probability that a text is an attack where nothing else is known, 0..1; by scope of the text. */
  readonly weight: number
  /** Weight inside tool output and retrieved documents. */
  readonly toolWeight: number
  /** All groups must be found within so many tokens of each other. */
  readonly span: number
  /** One concept of each group; a concept may satisfy one group only. */
  readonly groups: readonly (readonly ConceptName[])[]
}

/** A rule that was met. */
export interface Firing {
  readonly rule: Vote
  /** Token at which it was complete. */
  readonly token: number
}

/** What a firing says, whether it came from concepts or from markers. */
export interface Vote {
  readonly name: string
  readonly family: InjectionFamily
  readonly weight: number
  readonly toolWeight: number
}
