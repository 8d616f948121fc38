/**
 * The YAML library's faults in the words of a person who has to correct the file, at the line where that person must
 * look. What is not known here keeps the library's words and line.
 */
import { isMap, isScalar, type Document, type LineCounter, type ParsedNode, type YAMLError } from 'yaml'
import { isBlockSequence, isPlain, rangeOf, SyntaxNodes, type Field } from './syntax-nodes.ts'

/** Faults reported of one document. */
const MAX_FAULTS = 5
/** Faults looked at: the parser may go on with one at each word. */
const MAX_LOOKED_AT = 100
/** What a line that stands at the wrong place leads to. */
const OF_STRUCTURE: ReadonlySet<string> = new Set([
  'BAD_INDENT',
  'BLOCK_AS_IMPLICIT_KEY',
  'MISSING_CHAR',
  'MULTILINE_IMPLICIT_KEY',
])

export interface SyntaxFault {
  /** From 1. */
  readonly line: number
  readonly message: string
}

interface Told {
  /** Where to look. */
  readonly offset: number
  readonly message: string
  /** Whether a later fault is only the echo of this one. */
  readonly hides?: (later: YAMLError) => boolean
}

/** By document, each line once; echoes of an earlier fault are left out. Empty where there is no fault. */
export function tellFaults(
  document: Document.Parsed<ParsedNode>,
  text: string,
  lines: LineCounter,
): readonly SyntaxFault[] {
  // Warnings are unknown tags (!Ref): kubectl drops them silently, and then the value is not what was meant.
  const faults = [...document.errors, ...document.warnings].slice(0, MAX_LOOKED_AT)
  if (faults.length === 0) return []
  const nodes = new SyntaxNodes(document, text, lines)
  const hidden = new Set<YAMLError>()
  const byLine = new Map<number, string>()
  for (const [index, fault] of faults.entries()) {
    if (hidden.has(fault) || byLine.size === MAX_FAULTS) continue
    const { offset, message, hides } = tell(fault, document, nodes)
    const line = nodes.lineOf(offset)
    if (!byLine.has(line)) byLine.set(line, message)
    for (const later of faults.slice(index + 1)) {
      if (later.pos[0] === fault.pos[0] || isOutOfStep(fault, later) || hides?.(later) === true) hidden.add(later)
    }
  }
  return [...byLine].map(([line, message]) => ({ line, message }))
}

/** Behind a line that is not understood the parser may take another one's place for the fields'. */
function isOutOfStep(fault: YAMLError, later: YAMLError): boolean {
  return later.code === 'BAD_INDENT' && OF_STRUCTURE.has(fault.code)
}

function tell(fault: YAMLError, document: Document.Parsed<ParsedNode>, nodes: SyntaxNodes): Told {
  const [at] = fault.pos
  if (/^(?:<{7}|={7}|>{7})/.test(nodes.restOfLine(at))) return { offset: at, message: 'this line is left from a merge' }
  switch (fault.code) {
    case 'MISSING_CHAR':
      return unclosed(at, nodes) ?? withoutColon(nodes.fieldAt(at), nodes) ?? inItsWords(fault)
    case 'BAD_INDENT':
      return unclosed(at, nodes) ?? indentedUnlike(at, nodes) ?? inItsWords(fault)
    case 'BLOCK_AS_IMPLICIT_KEY':
      return (
        strayItem(at, nodes) ??
        bracketWithoutColon(at, nodes) ??
        fieldInValue(nodes.fieldAt(at), nodes) ??
        inItsWords(fault)
      )
    case 'MULTILINE_IMPLICIT_KEY':
      return textOfLines(at, nodes) ?? withoutColon(nodes.fieldAt(at), nodes) ?? inItsWords(fault)
    case 'UNEXPECTED_TOKEN':
      return (
        bracketWithoutColon(at, nodes) ??
        behindQuotes(at, nodes) ??
        behindDocument(at, document, nodes) ??
        inItsWords(fault)
      )
    case 'DUPLICATE_KEY':
      return duplicate(nodes.fieldAt(at), document, nodes) ?? inItsWords(fault)
    case 'TAB_AS_INDENT':
      return { ...inItsWords(fault), hides: ({ code }) => code !== 'TAB_AS_INDENT' }
    case 'BAD_SCALAR_START':
    case 'BAD_ALIAS':
      return { offset: at, message: `${fault.message}: put the text in quotes` }
    case 'TAG_RESOLVE_FAILED':
      return { offset: at, message: 'this tag is not known: put text that begins with ! in quotes' }
    case 'BAD_DIRECTIVE':
      return { offset: at, message: 'this directive is not understood: put text that begins with % in quotes' }
    case 'BAD_DQ_ESCAPE':
      return { offset: at, message: `${withoutDigits(fault.message)}: in double quotes, write \\\\ for a backslash` }
    default:
      return inItsWords(fault)
  }
}

/** Without what it quotes of the text: that may be part of a Secret. */
function inItsWords({ pos, code, message }: YAMLError): Told {
  const [words = message] = code === 'UNEXPECTED_TOKEN' ? message.split(': ') : [message]
  return { offset: pos[0], message: words }
}

/** `\U` takes eight characters for its own, of whatever text. */
function withoutDigits(message: string): string {
  return message.replace(/(\\.).*$/s, '$1')
}

/** A quote or a bracket: what follows has been read as part of it, or as nothing. */
function unclosed(at: number, nodes: SyntaxNodes): Told | undefined {
  const offset = nodes.openQuoteBefore(at) ?? nodes.openBracketBefore(at)
  if (offset === undefined) return undefined
  const message = `the ${nodes.slice(offset, offset + 1)} that is opened here is not closed`
  return { offset, message, hides: ({ pos }) => pos[0] >= at }
}

/** The line is not where the fields before it begin. The parser takes its place for theirs, so that those after it are faults, too. */
function indentedUnlike(at: number, nodes: SyntaxNodes): Told | undefined {
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

function strayItem(at: number, nodes: SyntaxNodes): Told | undefined {
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
function fieldInValue(field: Field | undefined, nodes: SyntaxNodes): Told | undefined {
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

/** A field's name in quotes over several lines: the quote behind a value is missing. */
function textOfLines(at: number, nodes: SyntaxNodes): Told | undefined {
  const [from, to] = rangeOf(nodes.fieldAt(at)?.key)
  if (from === undefined || to === undefined || isPlain(nodes.fieldAt(at)?.key)) return undefined
  const quote = nodes.slice(from, from + 1)
  if (quote !== '"' && quote !== "'") return undefined
  return runaway(from, to, nodes)
}

function runaway(from: number, to: number, nodes: SyntaxNodes): Told | undefined {
  const last = nodes.lineOf(to - 1)
  if (nodes.lineOf(from) === last) return undefined
  const quote = nodes.slice(from, from + 1)
  const message = `the ${quote} that is opened here is closed on line ${last} only: is a ${quote} missing?`
  return { offset: from, message, hides: ({ pos }) => pos[0] >= from }
}

function withoutColon(field: Field | undefined, nodes: SyntaxNodes): Told | undefined {
  if (field === undefined || field.map.flow === true || !isPlain(field.key)) return undefined
  const message = lineWithoutBlank(field.from, nodes) ?? `a colon is missing behind ${nodes.nameAt(field.from)}`
  return { offset: field.from, message }
}

/** `name { a: b }`, which is read as a field `name { a`. */
function bracketWithoutColon(at: number, nodes: SyntaxNodes): Told | undefined {
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

function behindQuotes(at: number, nodes: SyntaxNodes): Told | undefined {
  const [from, to] = rangeOf(nodes.quotedBefore(at))
  if (from === undefined || to === undefined) return undefined
  const quote = nodes.slice(from, from + 1)
  const cure = quote === "'" ? "'' for one inside" : '\\" for one inside'
  const message = `text stands behind the ${quote} that closes a text: write ${cure}`
  return runaway(from, to, nodes) ?? { offset: at, message }
}

/** The parser is out of step, and has a fault at each word from here on. */
function behindDocument(at: number, { contents }: Document.Parsed<ParsedNode>, nodes: SyntaxNodes): Told | undefined {
  const [from = 0, end = Infinity] = rangeOf(contents)
  if (at < end) return undefined
  const isLess = isMap(contents) && contents.flow !== true && nodes.indentOf(at) < nodes.indentOf(from)
  const character = nodes.slice(at, at + 1)
  const words = /[\]}]/.test(character) ? `a ${character} too many` : 'text stands behind the end of the document'
  const message = isLess ? `this line is indented less than line ${nodes.lineOf(from)}` : words
  return { offset: at, message, hides: ({ code }) => code === 'UNEXPECTED_TOKEN' }
}

function duplicate(
  field: Field | undefined,
  { contents }: Document.Parsed<ParsedNode>,
  nodes: SyntaxNodes,
): Told | undefined {
  const key = isScalar(field?.key) ? field.key.value : undefined
  if (field === undefined || key === undefined) return undefined
  const first = nodes.fields.find(({ map, key: other }) => map === field.map && isScalar(other) && other.value === key)
  if (first === undefined) return undefined
  const twice = `is given twice, first on line ${nodes.lineOf(first.from)}`
  if (field.map !== contents || (key !== 'apiVersion' && key !== 'kind'))
    return { offset: field.from, message: `${nodes.quoted(String(key))} ${twice}` }
  return {
    offset: field.from,
    message: `"${key}" ${twice}: is a line with --- missing above this one?`,
    hides: ({ code }) => code === 'DUPLICATE_KEY',
  }
}
