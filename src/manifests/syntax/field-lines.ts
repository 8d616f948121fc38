/** On which lines the fields of an object stand, kept when its document is gone: what is wrong with it may only show beside the others. */
import { isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from 'yaml'
import type { FieldPath } from '../problem.ts'

/**
 * Of an object or a field, the line at which its value begins, from 1. `within` holds only what stands on another line, or
 * has something within that does: there are at most as many of these as the object has lines, however much is on one.
 */
export interface FieldLines {
  readonly line: number
  readonly within?: ReadonlyMap<string | number, FieldLines>
}

/** No field of ours lies as deep; what a document nests deeper has the line of what stands here. */
const MAX_DEPTH = 16

/** Those of a node of a document. */
export function fieldLines(node: Node, lines: LineCounter, depth = 0): FieldLines {
  const line = lines.linePos(node.range?.[0] ?? 0).line
  let within: Map<string | number, FieldLines> | undefined
  for (const [name, child] of depth < MAX_DEPTH ? childrenOf(node) : []) {
    const found = fieldLines(child, lines, depth + 1)
    if (found.line !== line || found.within !== undefined) (within ??= new Map()).set(name, found)
  }
  return within === undefined ? { line } : { line, within }
}

/** Line of a field, or of its nearest parent that is there. */
export function lineOfField(lines: FieldLines, field: FieldPath): number {
  let at = lines
  for (const part of field) {
    const next = at.within?.get(part)
    if (next === undefined) break
    at = next
  }
  return at.line
}

function* childrenOf(node: Node): Generator<readonly [string | number, Node], undefined, undefined> {
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) if (isNode(item)) yield [index, item]
  } else if (isMap(node)) {
    for (const { key, value } of node.items) if (isScalar(key) && isNode(value)) yield [String(key.value), value]
  }
}
