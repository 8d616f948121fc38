/**
 * Keys that a map has twice. The library's own look compares each key with all before it, in one step: that takes minutes
 * for a ConfigMap of 100,000 entries that lies beside the manifests.
 */
import { isScalar, visit, YAMLParseError, type Document, type ParsedNode, type YAMLError, type YAMLMap } from 'yaml'

/** Of one document. More than anybody is told of. */
const MAX_DUPLICATES = 100

/** Adds what the library would have found to the document's errors, in the order of the text. */
export function addDuplicates(document: Document.Parsed<ParsedNode>): void {
  const found: YAMLParseError[] = []
  visit(document, {
    Map(_, map) {
      for (const at of duplicatesIn(map)) {
        if (found.length === MAX_DUPLICATES) return visit.BREAK
        found.push(new YAMLParseError([at, at + 1], 'DUPLICATE_KEY', 'Map keys must be unique'))
      }
      return undefined
    },
  })
  if (found.length > 0) document.errors = [...document.errors, ...found].toSorted(byPlace)
}

/** Where the keys begin that stand in the map before. */
function* duplicatesIn({ items }: YAMLMap): Generator<number, undefined> {
  const seen = new Set<unknown>()
  for (const { key } of items) {
    if (!isScalar(key)) continue
    if (seen.has(key.value)) yield key.range?.[0] ?? 0
    seen.add(key.value)
  }
}

function byPlace(one: YAMLError, other: YAMLError): number {
  return one.pos[0] - other.pos[0]
}
