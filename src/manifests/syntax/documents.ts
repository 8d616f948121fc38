/**
 * YAML text to documents, read as kubectl reads it: YAML 1.1 words (`no`, `off`, `y` are booleans), text for what looks
 * like a date, no duplicate keys. Source positions are kept. Bounded: size, nesting and alias expansion.
 */
import {
  Composer,
  Lexer,
  LineCounter,
  Parser,
  isNode,
  isScalar,
  visit,
  type Alias,
  type Document,
  type Node,
  type ParsedNode,
} from 'yaml'
import { AliasBudget } from './alias-excess.ts'
import { isRecord } from '../validation/defaults.ts'
import { addDuplicates } from './duplicate-keys.ts'
import { findExcess } from './excess.ts'
import { fieldLines, type FieldLines } from './field-lines.ts'
import { kubectlTags } from './kubectl-tags.ts'
import { unmergeableIn } from './merges.ts'
import type { FieldPath } from '../problem.ts'
import { tellFaults } from './syntax-faults.ts'

/** The API server takes objects up to 1.5 MiB; a file may hold several. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024
/** What aliases may cost is bounded in `alias-excess.ts`: the library's own count can itself take minutes. */
const UNCOUNTED = -1
/** Between two pauses: about a millisecond. */
const LEXEMES_A_STEP = 1_000
/** Keys that are given twice are found in `duplicate-keys.ts`. */
const OPTIONS = {
  version: '1.1',
  prettyErrors: false,
  customTags: kubectlTags,
  logLevel: 'error',
  uniqueKeys: false,
} as const

/** One object of a file: a document, or an item of a List. */
export interface SourceObject {
  readonly value: unknown
  /** From 1; empty documents are not counted. */
  readonly document: number
  /** Where the object begins inside its document: empty, or `items[3]`. */
  readonly prefix: FieldPath
  /** Made when they are first asked for, and kept. */
  readonly lines: () => FieldLines
}

export interface SyntaxProblem {
  readonly document: number
  readonly line: number
  readonly message: string
}

/** What one document of a file holds, or what is wrong with it. */
export interface ParsedDocument {
  readonly objects: readonly SourceObject[]
  readonly problems: readonly SyntaxProblem[]
}

/**
 * A file's text, one document at a time, so that thousands of them can be read in turns with other work; undefined is a
 * pause in between. Never throws: what cannot be read is a problem.
 */
export function* readDocuments(text: string): Generator<ParsedDocument | undefined, undefined, undefined> {
  const excess = yield* findExcess(text)
  if (excess !== undefined) return yield unreadable(excess)
  const source = { text, lines: new LineCounter(), aliases: new AliasBudget() }
  let number = 0
  try {
    for (const document of compose(text, source.lines)) {
      if (document === undefined || isEmpty(document)) yield undefined
      else yield readDocument(document, ++number, source)
    }
  } catch (error) {
    // The parser recurses: a RangeError is a file nested deeper than any manifest.
    yield unreadable(error instanceof RangeError ? 'is nested too deeply' : 'cannot be read as YAML')
  }
}

function unreadable(message: string): ParsedDocument {
  return { objects: [], problems: [{ document: 0, line: 1, message }] }
}

/** The library's own loop, with a pause after so many lexemes: a document may be a List of thousands of objects. */
function* compose(text: string, lines: LineCounter): Generator<Document.Parsed<ParsedNode> | undefined> {
  const parser = new Parser(lines.addNewLine)
  const composer = new Composer(OPTIONS)
  lines.addNewLine(0)
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield* composer.next(token)
    lexemes += 1
    if (lexemes % LEXEMES_A_STEP === 0) yield undefined
  }
  for (const token of parser.end()) yield* composer.next(token)
  yield* composer.end()
}

/** What the documents of a file have in common. */
interface Source {
  readonly text: string
  readonly lines: LineCounter
  readonly aliases: AliasBudget
}

function readDocument(
  document: Document.Parsed<ParsedNode>,
  number: number,
  { text, lines, aliases }: Source,
): ParsedDocument {
  // The parser turns its own stack overflow into an error and goes on, once for each level.
  if (document.errors.some(({ message }) => message.startsWith('Maximum call stack')))
    throw new RangeError('nested too deeply')
  addDuplicates(document)
  const faults = tellFaults(document, text, lines)
  if (faults.length > 0) return { objects: [], problems: faults.map((fault) => ({ document: number, ...fault })) }
  const read = valueOf(document, aliases)
  if ('fault' in read) {
    const { line } = lines.linePos(read.at?.range?.[0] ?? 0)
    return { objects: [], problems: [{ document: number, line, message: read.fault }] }
  }
  return { objects: flatten(read.value, number, (path) => linesAt(document, path, lines)), problems: [] }
}

interface Fault {
  readonly fault: string
  readonly at: Node | null
}

/** @throws {RangeError} nested too deeply */
function valueOf(document: Document.Parsed<ParsedNode>, aliases: AliasBudget): { readonly value: unknown } | Fault {
  const at = document.contents
  const fault = aliases.excessOf(document)
  if (fault !== undefined) return { fault, at }
  try {
    return { value: document.toJS({ maxAliasCount: UNCOUNTED }) }
  } catch (error) {
    if (error instanceof RangeError) throw error
    const alias = unknownAlias(document)
    if (alias === undefined) return { fault: 'merges (<<) what is no map', at: unmergeableIn(document) ?? at }
    return { fault: 'text that begins with * must be in quotes (as an alias, it names nothing above it)', at: alias }
  }
}

/** The first alias without an anchor before it. */
function unknownAlias(document: Document.Parsed<ParsedNode>): Alias | undefined {
  const anchors = new Set<string>()
  let unknown: Alias | undefined
  visit(document, {
    Alias: (_, alias) => {
      if (anchors.has(alias.source)) return undefined
      unknown = alias
      return visit.BREAK
    },
    Value: (_, { anchor }) => {
      if (anchor !== undefined) anchors.add(anchor)
    },
  })
  return unknown
}

/** The object, or the items of a v1/List. */
function flatten(value: unknown, document: number, under: (prefix: FieldPath) => FieldLines): SourceObject[] {
  const object = (own: unknown, prefix: FieldPath): SourceObject => {
    let lines: FieldLines | undefined
    return { value: own, document, prefix, lines: () => (lines ??= under(prefix)) }
  }
  if (isRecord(value) && value['apiVersion'] === 'v1' && value['kind'] === 'List' && Array.isArray(value['items']))
    return value['items'].map((item: unknown, index) => object(item, ['items', index]))
  return [object(value, [])]
}

/** `---` with nothing after it, as templates leave it behind. */
function isEmpty({ contents, errors }: Document.Parsed<ParsedNode>): boolean {
  return errors.length === 0 && (contents === null || (isScalar(contents) && contents.value === null))
}

/** Of what is not in the document itself, as an alias has brought it there: the line of its nearest parent. */
function linesAt(document: Document.Parsed<ParsedNode>, path: FieldPath, lines: LineCounter): FieldLines {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (!isNode(node) || !node.range) continue
    return length === path.length ? fieldLines(node, lines) : { line: lines.linePos(node.range[0]).line }
  }
  return { line: 1 }
}
