/**
 * The YAML library's faults in the words of a person who has to correct the file, at the line where that person must
 * look. What is not known here keeps the library's words and line.
 */
import { isMap, isScalar, type Document, type LineCounter, type ParsedNode, type YAMLError } from 'yaml'
import {
  bracketWithoutColon,
  fieldInValue,
  indentedUnlike,
  OF_STRUCTURE,
  strayItem,
  withoutColon,
} from './syntax-lines.ts'
import { rangeOf, SyntaxNodes, type Field } from './syntax-nodes.ts'
import { behindQuotes, textOfLines, unclosed } from './syntax-quotes.ts'
import type { Told } from './syntax-told.ts'

/** Faults reported of one document. */
const MAX_FAULTS = 5
/** Faults looked at: the parser may go on with one at each word. */
const MAX_LOOKED_AT = 100

export interface SyntaxFault {
  /** From 1. */
  readonly line: number
  readonly message: string
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
