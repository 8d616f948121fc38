/** Judges custom masking patterns. A file of its own: the operator needs it without the guardrails and their weights. */
import { re2PatternEngine } from './re2-pattern-engine.ts'

/** Why a custom pattern is no good; undefined: it is. */
export function checkPattern(pattern: string): string | undefined {
  const compiled = re2PatternEngine.compile(pattern)
  return compiled.type === 'error' ? compiled.message : undefined
}
