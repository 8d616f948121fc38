/** What the explanations of faults (syntax-lines.ts, syntax-quotes.ts) give to syntax-faults.ts, which puts them together. */
import type { YAMLError } from 'yaml'

/** One fault in the words of a person who has to correct it. */
export interface Told {
  /** Where to look. */
  readonly offset: number
  readonly message: string
  /** Whether a later fault is only the echo of this one. */
  readonly hides?: (later: YAMLError) => boolean
}
