/**
 * An automaton that finds many short patterns in one pass (Aho and Corasick, 1975), with two additions: a pattern may ask for the border of
 * a word before it or behind it, and each says how far before its end a rule has to look. It reads columns, which are classes of
 * units that no pattern tells apart, and a step is one look-up.
 */

export interface WordPattern {
  /** One a unit. */
  readonly columns: readonly number[]
  /** Only behind a sign, or at the beginning. */
  readonly beginsWord?: boolean
  /** Only before a sign, or the end. */
  readonly endsWord?: boolean
  /** Units before the last one, MOST_BACK at most. */
  readonly back: number
}

export const MOST_BACK = 7
/** The state at the border of a word. Those below tell that a pattern was found, and its `back`. */
export const BORDER = MOST_BACK + 1
/** The state inside a word that begins no pattern. */
const INSIDE = BORDER + 1
/** The next states of one state stand in a row of two to this power. */
export const ROW_BITS = 7

interface Node {
  readonly next: Map<number, number>
  /** Units from INSIDE to here; the border counts as one. */
  readonly length: number
  /** Of the longest end of this that begins a pattern, too. */
  fallBack: number
  /** Of the patterns that end here; -1: none. */
  back: number
  endsWord: boolean
}

/**
 * The table of next states: that of `state` at `column` stands at `(state << ROW_BITS) + column`.
 * @param firstSign columns from here on are of signs, those before of letters
 */
export function buildAutomaton(patterns: readonly WordPattern[], firstSign: number): Uint16Array {
  const nodes = buildTree(patterns)
  const table = new Uint16Array((nodes.length + BORDER) << ROW_BITS)
  const inside = INSIDE << ROW_BITS
  table.fill(INSIDE, inside, inside + firstSign).fill(BORDER, inside + firstSign, inside + (1 << ROW_BITS))
  for (const state of shortestFirst(nodes)) {
    const node = nodes[state - BORDER]
    if (node === undefined) continue
    const row = state << ROW_BITS
    if (state !== INSIDE) table.copyWithin(row, node.fallBack << ROW_BITS, (node.fallBack + 1) << ROW_BITS)
    for (const [column, next] of node.next) {
      const child = nodes[next - BORDER]
      if (child !== undefined) table[row + column] = stateOf(next, child, table[row + column] ?? INSIDE, nodes)
    }
    if (node.endsWord) table.fill(0, row + firstSign, row + (1 << ROW_BITS))
  }
  return table
}

/** Of a node, now that it is known what it falls back to; where a pattern ends in either, how far back that begins. */
function stateOf(state: number, node: Node, fallBack: number, nodes: readonly Node[]): number {
  if (fallBack < BORDER || node.back >= 0) return Math.max(node.back, fallBack < BORDER ? fallBack : 0)
  node.fallBack = fallBack
  node.endsWord ||= nodes[fallBack - BORDER]?.endsWord === true
  return state
}

/** All beginnings of the patterns, from BORDER on; those behind a border first. */
function buildTree(patterns: readonly WordPattern[]): Node[] {
  const nodes = [newNode(1), newNode(0)]
  for (const pattern of patterns.toSorted((one, other) => Number(isInside(one)) - Number(isInside(other)))) {
    let state = isInside(pattern) ? INSIDE : BORDER
    for (const column of pattern.columns) {
      const node = nodes[state - BORDER]
      const known = node?.next.get(column)
      if (node === undefined || known === undefined) {
        node?.next.set(column, nodes.length + BORDER)
        state = nodes.push(newNode((node?.length ?? 0) + 1)) - 1 + BORDER
      } else state = known
    }
    const last = nodes[state - BORDER]
    if (last === undefined) continue
    if (pattern.endsWord === true) last.endsWord = true
    else last.back = Math.max(last.back, pattern.back)
  }
  return nodes
}

function isInside(pattern: WordPattern): boolean {
  return pattern.beginsWord !== true
}

function newNode(length: number): Node {
  return { next: new Map(), length, fallBack: INSIDE, back: -1, endsWord: false }
}

/** States, in the order in which one falls back to another that is ready. */
function shortestFirst(nodes: readonly Node[]): number[] {
  const lengthOf = (state: number) => nodes[state - BORDER]?.length ?? 0
  return Array.from(nodes, (_, index) => index + BORDER).toSorted((one, other) => lengthOf(one) - lengthOf(other))
}
