/** A document with syntax faults, as far as the parser has made something of it: what begins and what ends where. */
import {
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  visit,
  type Document,
  type LineCounter,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

/** A field of an object, with the object. */
export interface Field {
  readonly key: unknown
  readonly value: unknown
  readonly map: YAMLMap
  /** Offset of the key. */
  readonly from: number
}

const KIND = /\bSecret\b/
/** Its kind or its entries as fields: one of them may be misspelt, or lost to the fault. Names such as `openai-secret` are neither. */
const SECRET_FIELD = /\bkind\W{1,8}secret\b|\bstringData\b|\bdata["']?[ \t]*:|^[ \t]*data\b(?![-.])/im
const NEXT_DOCUMENT = /^(?:---|\.{3})/gm

export class SyntaxNodes {
  readonly #text: string
  readonly #lines: LineCounter
  readonly #holdsSecret: boolean
  readonly #quoted: Scalar[] = []
  readonly #brackets: (YAMLMap | YAMLSeq)[] = []
  /** In the order of the text. */
  readonly fields: Field[] = []

  constructor(document: Document.Parsed<ParsedNode>, text: string, lines: LineCounter) {
    this.#text = text
    this.#lines = lines
    const whole = wholeOf(document, text)
    this.#holdsSecret = KIND.test(whole) || SECRET_FIELD.test(whole)
    visit(document, {
      Scalar: (_, node) => {
        if (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE') this.#quoted.push(node)
      },
      Collection: (_, node) => {
        if (node.flow === true) this.#brackets.push(node)
        if (isMap(node)) this.#addFields(node)
      },
    })
    this.fields.sort((left, right) => left.from - right.from)
  }

  #addFields(map: YAMLMap): void {
    for (const { key, value } of map.items) {
      const [from] = rangeOf(key)
      if (from !== undefined) this.fields.push({ key, value, map, from })
    }
  }

  /** From 1, and never behind the last line with something in it. */
  lineOf(offset: number): number {
    if (offset < this.#text.length) return this.#lines.linePos(offset).line
    // Only here, as a file may have thousands of faults and end with as many blank lines.
    return this.#lines.linePos(Math.max(0, this.#text.trimEnd().length - 1)).line
  }

  /** Blanks (and what else stands there) before the offset on its line. */
  indentOf(offset: number): number {
    const start = this.#text.lastIndexOf('\n', offset - 1) + 1
    return this.#text.slice(start, offset).replace('\uFEFF', '').length
  }

  /** Blanks (and dashes of lists) before the first name on the line of the offset. */
  indentOfLine(offset: number): number {
    const start = this.#text.lastIndexOf('\n', offset - 1) + 1
    return /^[\uFEFF]?((?:- |[ ])*)/.exec(this.#text.slice(start, offset))?.[1]?.length ?? 0
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from, to)
  }

  /** The rest of the line. */
  restOfLine(from: number): string {
    return /^.*/.exec(this.#text.slice(from, from + 1_024))?.[0].trimEnd() ?? ''
  }

  /** The name of a field that stands there, in quotes; in other words where it may be part of a Secret's value. */
  nameAt(offset: number): string {
    const name = /^[A-Za-z]{1,24}(?![\w-])/.exec(this.restOfLine(offset))?.[0]
    return name === undefined || this.#holdsSecret ? "the field's name" : `"${name}"`
  }

  /** A field's name that has been read, short and on one line; in other words as `nameAt`. */
  quoted(name: string): string {
    return this.#holdsSecret ? "the field's name" : JSON.stringify(name.length > 64 ? `${name.slice(0, 61)}...` : name)
  }

  /** The field whose key begins there. */
  fieldAt(offset: number): Field | undefined {
    return this.fields.find(({ from }) => from === offset)
  }

  /** The first field that begins there or behind it, with nothing but blank lines and comments in between. */
  fieldFrom(offset: number): Field | undefined {
    const field = this.fields.find(({ from }) => from >= offset)
    const between = field === undefined ? 'none' : this.#text.slice(offset, field.from)
    return between.replaceAll(/#.*/g, '').trim() === '' ? field : undefined
  }

  /** Offset of a quote that is not closed before `end`. */
  openQuoteBefore(end: number): number | undefined {
    const [from] = rangeOf(this.#quoted.find((node) => rangeOf(node)[1] === end))
    if (from === undefined) return undefined
    const isClosed = end - from > 1 && this.#text[end - 1] === this.#text[from]
    return isClosed ? undefined : from
  }

  /** The text in quotes that ends right before `end`. */
  quotedBefore(end: number): Scalar | undefined {
    return this.#quoted.findLast((node) => {
      const [from, to] = rangeOf(node)
      return from !== undefined && to !== undefined && from < end && to <= end && this.#isBlank(to, end)
    })
  }

  /** Offset of a bracket that is not closed before `end`; the innermost. */
  openBracketBefore(end: number): number | undefined {
    const node = this.#brackets.findLast((bracket) => rangeOf(bracket)[1] === end && this.#isOpen(bracket, end))
    return rangeOf(node)[0]
  }

  /** The end of what it holds last is its own where its bracket is missing. */
  #isOpen({ items }: YAMLMap | YAMLSeq, end: number): boolean {
    const last: unknown = items.at(-1)
    const parts = isPair(last) ? [last.key, last.value] : [last]
    return !/[\]}]/.test(this.#text[end - 1] ?? '') || parts.some((part) => rangeOf(part)[2] === end)
  }

  #isBlank(from: number, to: number): boolean {
    return to - from < 80 && this.#text.slice(from, to).trim() === ''
  }
}

/** The text up to the next document: a fault may end this one for the parser before. */
function wholeOf({ range: [from, , end] }: Document.Parsed<ParsedNode>, text: string): string {
  NEXT_DOCUMENT.lastIndex = end
  return text.slice(from, NEXT_DOCUMENT.exec(text)?.index)
}

/** Where a node begins, ends, and ends with the blanks behind it; empty where it is none or has no place. */
export function rangeOf(node: unknown): readonly number[] {
  return isNode(node) && node.range ? node.range : []
}

/** Whether it is text without quotes. */
export function isPlain(node: unknown): node is Scalar {
  return isScalar(node) && node.type === 'PLAIN'
}

export function isBlockSequence(node: unknown): boolean {
  return isCollection(node) && !isMap(node) && node.flow !== true
}
