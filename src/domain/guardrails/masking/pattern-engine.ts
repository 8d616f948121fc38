/** Port: an engine for the patterns that an organization writes itself. It must be linear in the text for every pattern. */

export interface PatternEngine {
  /** Reads a pattern (RE2 syntax). Never throws: a pattern that cannot be read is an error with a reason for people. */
  compile(pattern: string): CompiledPattern | PatternError
}

export interface CompiledPattern {
  readonly type: 'pattern'
  /** Every match from left to right, not overlapping and not empty, as offsets `[start, end)`. */
  findAll(text: string): (readonly [start: number, end: number])[]
}

export interface PatternError {
  readonly type: 'error'
  readonly message: string
}

/** A pattern ready for use, with the kind that its tokens carry. */
export interface CustomPattern {
  /** `[A-Z][A-Z0-9_]*`, at most 32 characters. */
  readonly kind: string
  readonly pattern: CompiledPattern
}
