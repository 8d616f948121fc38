/** Merges, `<<: *defaults`. */
import { isAlias, isMap, isNode, isScalar, isSeq, Scalar, visit, type Document, type Node, type ParsedNode } from 'yaml'

/** Whether the value of this key is merged into its map, by the library's own rule: also with a tag, as `!!str <<`. In quotes it is not. */
export function isMergeKey(key: unknown): boolean {
  if (!isScalar(key)) return false
  if (typeof key.value === 'symbol') return key.value.description === '<<'
  return key.value === '<<' && (key.type === undefined || key.type === Scalar.PLAIN)
}

/** What the first merge takes that is neither a map nor a list of maps; undefined where there is none. One look at each node. */
export function unmergeableIn(document: Document.Parsed<ParsedNode>): Node | undefined {
  const anchored = new Map<string, Node>()
  const meant = (node: unknown): unknown => (isAlias(node) ? anchored.get(node.source) : node)
  let found: Node | undefined
  visit(document, {
    Pair(_, { key, value }) {
      if (!isMergeKey(key)) return undefined
      const source = meant(value)
      const sources = isSeq(source) ? source.items : [source]
      if (sources.every((one) => isMap(meant(one)))) return undefined
      found = isNode(value) ? value : undefined
      return visit.BREAK
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchored.set(node.anchor, node)
    },
  })
  return found
}
