/**
 * Patterns of organizations on re2js, the JavaScript port of RE2: linear in the text for every pattern.
 * Look-around and back references are not in RE2's language; a pattern that has them is refused with a reason.
 */
import { RE2JS } from 're2js'
import { requireFewFindings } from '../../domain/guardrails/masking/finding.ts'
import type { CompiledPattern, PatternEngine } from '../../domain/guardrails/masking/pattern-engine.ts'

/** The resource's own limit (crds/, `masking.custom.pattern`). */
const LONGEST_PATTERN = 512

export const re2PatternEngine = {
  compile(pattern) {
    if (pattern.length === 0 || pattern.length > LONGEST_PATTERN) {
      return {
        type: 'error',
        message: `a pattern has 1 to ${LONGEST_PATTERN} characters, this one has ${pattern.length}`,
      }
    }
    try {
      const compiled = RE2JS.compile(pattern)
      if (compiled.matcher('').find()) return { type: 'error', message: 'the pattern matches the empty text' }
      return { type: 'pattern', findAll: (text) => findAll(compiled, text) }
    } catch (error) {
      return { type: 'error', message: error instanceof Error ? error.message : String(error) }
    }
  },
} satisfies PatternEngine

/** Whether a name is one that the pattern names as a whole; an empty pattern names none. @throws {TypeError} where it is malformed */
export function re2ImagePattern(pattern: string): (name: string) => boolean {
  if (pattern === '') return () => false
  try {
    const compiled = RE2JS.compile(pattern)
    return (name) => compiled.matcher(name).matches()
  } catch (error) {
    throw new TypeError(`not a pattern of RE2: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}

function findAll(compiled: RE2JS, text: string): ReturnType<CompiledPattern['findAll']> {
  const found: (readonly [number, number])[] = []
  const matcher = compiled.matcher(text)
  while (matcher.find()) {
    if (matcher.end() > matcher.start()) found.push([matcher.start(), matcher.end()])
    requireFewFindings(found.length)
  }
  return found
}
