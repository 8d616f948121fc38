/**
 * Keys that a map has twice. The library's own look compares each key with all before it, in one step: that takes minutes
 * for a ConfigMap of 100,000 entries that lies beside the manifests.
 */
import {
  isNode,
  isScalar,
  visit,
  YAMLParseError,
  type Document,
  type ParsedNode,
  type YAMLError,
  type YAMLMap,
} from 'yaml'

/** Of one document. More than anybody is told of. */
const MAX_DUPLICATES = 100

/** Adds what the library would have found to the document's errors, where it would have. */
export function addDuplicates(document: Document.Parsed<ParsedNode>): void {
  const found: YAMLParseError[] = []
  visit(document, {
    Map(_, map) {
      for (const place of duplicatesIn(map)) {
        if (found.length === MAX_DUPLICATES) return visit.BREAK
        found.push(new YAMLParseError(place, 'DUPLICATE_KEY', 'Map keys must be unique'))
      }
      return undefined
    },
  })
  if (found.length > 0) document.errors = putAmong(document.errors, found.toSorted(byEnd))
}

/** The others keep the library's order, by which the echoes of a fault are told from it. */
function putAmong(errors: readonly YAMLParseError[], found: readonly YAMLParseError[]): YAMLParseError[] {
  let put = 0
  const among = errors.flatMap((error) => {
    const behind = found.findIndex(({ pos }, index) => index >= put && pos[1] > error.pos[0])
    const before = found.slice(put, behind === -1 ? found.length : behind)
    put += before.length
    return [...before, error]
  })
  return [...among, ...found.slice(put)]
}

/** The keys that stand in the map before: where each begins, and up to where the library has read when it tells of it. */
function* duplicatesIn({ items, flow = false }: YAMLMap): Generator<[number, number], undefined> {
  const seen = new Set<unknown>()
  for (const { key, value } of items) {
    if (!isScalar(key)) continue
    if (seen.has(key.value)) {
      const [at = 0] = key.range ?? []
      const [, end = at] = (flow && isNode(value) && value.range) || []
      yield [at, Math.max(at, end) + 1]
    }
    seen.add(key.value)
  }
}

function byEnd(one: YAMLError, other: YAMLError): number {
  return one.pos[1] - other.pos[1]
}
