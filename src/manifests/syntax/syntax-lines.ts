/** Faults of lines: their indentation, and the colon, dash or blank that they lack. */
import type { YAMLError } from 'yaml'
import { isBlockSequence, isPlain, rangeOf, type Field, type SyntaxNodes } from './syntax-nodes.ts'
import { textOfLines } from './syntax-quotes.ts'
import type { Told } from './syntax-told.ts'

/** What a line that stands at the wrong place leads to. */
export const OF_STRUCTURE: ReadonlySet<string> = new Set([
  'BAD_INDENT',
  'BLOCK_AS_IMPLICIT_KEY',
  'MISSING_CHAR',
  'MULTILINE_IMPLICIT_KEY',
])

/** The line is not where the fields before it begin. The parser takes its place for theirs, so that those after it are faults, too. */
export function indentedUnlike(at: number, nodes: SyntaxNodes): Told | undefined {
  const field = nodes.fieldFrom(at)
  const [first] = rangeOf(field?.map.items[0]?.key)
  if (field === undefined || first === undefined || first === field.from) return undefined
  const slip = lineWithoutBlank(field.from, nodes)
  const own = nodes.indentOf(field.from)
  if (slip === undefined && own === nodes.indentOf(first)) return undefined
  const above = nodes.fields.findLast(({ from, map }) => from < field.from && map.flow !== true)
  const others = new Set([nodes.indentOf(above?.from ?? first), nodes.indentOf(first)])
  return {
    offset: field.from,
    message: slip ?? `this line is indented by ${blanks(own)}, the fields above it by ${[...others].join(' or ')}`,
  }
}

function blanks(count: number): string {
  return `${count} ${count === 1 ? 'blank' : 'blanks'}`
}

/** A list item among fields. */
export function strayItem(at: number, nodes: SyntaxNodes): Told | undefined {
  const field = nodes.fieldFrom(at)
  if (field === undefined || !isBlockSequence(field.key)) return undefined
  const [, , end = at] = rangeOf(field.key)
  return {
    offset: field.from,
    message:
      'a list item stands among fields: indent it as the items of its list, or add the name of its field above it',
    hides: ({ pos }) => pos[0] >= at && pos[0] <= end,
  }
}

/** `a: b: c`, or `a: b` and on the next line, too far to the right, `c: d`, which is read as `a: "b c": d`. */
export function fieldInValue(field: Field | undefined, nodes: SyntaxNodes): Told | undefined {
  const [from, to] = rangeOf(field?.key)
  if (field === undefined || from === undefined || to === undefined) return undefined
  const [line, lineOfColon] = [nodes.lineOf(from), nodes.lineOf(to - 1)]
  if (line === lineOfColon) {
    const message = 'a value holds a colon and a blank: put it in quotes, or the second field on a line of its own'
    return { offset: from, message }
  }
  if (!isPlain(field.key)) return textOfLines(from, nodes)
  return unlikeNext(from, to - 1, nodes)
}

/** Two fields, the second to the right of the first, which has a value: where only the first is at an odd place, it is the slip. */
function unlikeNext(from: number, colon: number, nodes: SyntaxNodes): Told {
  const [line, next] = [nodes.lineOf(from), nodes.lineOf(colon)]
  const hides = ({ code }: YAMLError): boolean => OF_STRUCTURE.has(code)
  const [own, others] = [nodes.indentOfLine(from), nodes.indentOfLine(colon)]
  if (own % 2 === 1 && others % 2 === 0) {
    const message = `this line has a value, and line ${next} is indented more than it: indent both alike`
    return { offset: from, message, hides }
  }
  const message = `this line is indented more than line ${line}, which has a value already: indent it like that line (text that goes on here must be in quotes)`
  return { offset: colon, message, hides }
}

/** A field without its colon. */
export function withoutColon(field: Field | undefined, nodes: SyntaxNodes): Told | undefined {
  if (field === undefined || field.map.flow === true || !isPlain(field.key)) return undefined
  const message = lineWithoutBlank(field.from, nodes) ?? `a colon is missing behind ${nodes.nameAt(field.from)}`
  return { offset: field.from, message }
}

/** `name { a: b }`, which is read as a field `name { a`. */
export function bracketWithoutColon(at: number, nodes: SyntaxNodes): Told | undefined {
  const opens = ({ key }: Field) => isPlain(key) && /^[\w-]+ \{/.test(String(key.value))
  const field = nodes.fields.findLast((other) => other.from <= at && opens(other))
  if (field === undefined || nodes.lineOf(field.from) !== nodes.lineOf(at)) return undefined
  const message = `a colon is missing behind ${nodes.nameAt(field.from)}`
  return { offset: field.from, message, hides: ({ code }) => OF_STRUCTURE.has(code) || code === 'UNEXPECTED_TOKEN' }
}

/** `-item` or `name:value`. */
function lineWithoutBlank(from: number, nodes: SyntaxNodes): string | undefined {
  const line = nodes.restOfLine(from)
  if (/^-[^\s-]/.test(line)) return 'a blank is missing behind the dash'
  const isWithout = /^[^\s:]+:[^\s:]/.test(line) && !/:\s|:$/.test(line)
  return isWithout ? `a blank is missing behind the colon of ${nodes.nameAt(from)}` : undefined
}
