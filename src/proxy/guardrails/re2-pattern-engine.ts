/**
 * Patterns of organizations on re2js, the JavaScript port of RE2: linear in the text for every pattern.
 * Look-around and back references are not in RE2's language; a pattern that has them is refused with a reason.
 */
import { RE2JS } from 're2js'
import { requireFewFindings } from '../../domain/guardrails/masking/finding.ts'
import type { CompiledPattern, PatternEngine } from '../../domain/guardrails/masking/pattern-engine.ts'

/** The resource's own limit (crds/, `masking.custom.pattern`). */
const LONGEST_PATTERN = 512

/**
 * What an escape in double quotes leaves behind, where RE2 or whoever wrote it means something else by that escape. Other
 * marks mean the same bare as escaped: tab, bell, escape, the separators of bar codes.
 */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\b', '\\b'],
  ['\x85', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
])
/** `\P{L}`, in brackets as well. */
const PROPERTY = /\u2029(?=[{A-Za-z])/
/** What is passed over whole, so that of single characters only those are left that stand bare: in brackets they are meant. */
const PIECE = /\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|[^]/g

export const re2PatternEngine = {
  compile(pattern) {
    if (pattern.length === 0 || pattern.length > LONGEST_PATTERN) {
      return {
        type: 'error',
        message: `a pattern has 1 to ${LONGEST_PATTERN} characters, this one has ${pattern.length}`,
      }
    }
    const stray = strayMark(pattern)
    if (stray !== undefined) return { type: 'error', message: stray }
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
  const stray = strayMark(pattern)
  if (stray !== undefined) throw new TypeError(`not a pattern of RE2: ${stray}`)
  try {
    const compiled = RE2JS.compile(pattern)
    return (name) => compiled.matcher(name).matches()
  } catch (error) {
    throw new TypeError(`not a pattern of RE2: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}

/** A pattern with such a mark compiles and finds nothing, without a word: in double quotes, YAML and JSON make a backspace of `\b`. */
function strayMark(pattern: string): string | undefined {
  const property = pattern.search(PROPERTY)
  const at = property < 0 ? [...pattern.matchAll(PIECE)].find(([piece]) => ESCAPES.has(piece))?.index : property
  if (at === undefined) return undefined
  const mark = pattern.charAt(at)
  const code = mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  const escape = ESCAPES.get(mark) ?? ''
  return `character ${at + 1} is U+${code}, as double quotes make of ${escape}: write \\${escape}, or take single quotes (\\x{${code}} where the mark is meant)`
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
