/**
 * Aliases, and keys that are maps or lists, that cost more than they say. The library's own count of aliases walks through
 * the whole document for each alias under an anchor, bounds neither how many there are nor what merges (`<<: *a`) copy, and
 * lets a map merge itself; of a key that is no scalar it makes text, at each level anew, with all anchors at hand.
 */
import { isAlias, isCollection, isMap, isNode, isSeq, type Document, type ParsedNode } from 'yaml'

/** Nodes that the aliases of a document stand for, all together; honest files stay far below. */
const MAX_NODES = 1_000_000
/** The library looks for the anchor of each alias, and for names in each key, among all of them: about a second. */
const MAX_LOOKS = 20_000_000
/** Of which keys are made, those of a key in a key once more: about a second. kubectl takes no such key at all. */
const MAX_KEY_NODES = 50_000

/** What is too much for a manifest to mean it; undefined where the document may be made an object. One look at each node. */
export function excessOf({ contents }: Document.Parsed<ParsedNode>): string | undefined {
  const expansion = new Expansion()
  expansion.sizeOf(contents)
  if (expansion.keyNodes > MAX_KEY_NODES) return 'has too many maps or lists as keys'
  return expansion.nodes > MAX_NODES || expansion.looks > MAX_LOOKS ? 'its aliases expand to too much' : undefined
}

class Expansion {
  /** All aliases stand for so many; Infinity where they multiply each other, or one stands for what it is in. */
  nodes = 0
  keyNodes = 0
  #aliases = 0
  #anchors = 0
  #keys = 0
  readonly #sizes = new Map<string, number>()

  get looks(): number {
    return this.#aliases * (this.#aliases + this.#anchors) + this.#keys * this.#anchors
  }

  /** With what its aliases stand for. Each node is to be given once, in the order of the text. */
  sizeOf(node: unknown): number {
    if (isAlias(node)) return this.#alias(node.source)
    const anchor = isNode(node) ? node.anchor : undefined
    if (anchor === undefined) return this.#content(node)
    this.#anchors += 1
    this.#sizes.set(anchor, Infinity)
    const size = this.#content(node)
    this.#sizes.set(anchor, size)
    return size
  }

  #content(node: unknown): number {
    let size = 1
    if (isSeq(node)) for (const item of node.items) size += this.sizeOf(item)
    if (isMap(node)) for (const { key, value } of node.items) size += this.#key(key) + this.sizeOf(value)
    return size
  }

  #key(key: unknown): number {
    const size = this.sizeOf(key)
    if (!isCollection(key) && !isAlias(key)) return size
    this.#keys += 1
    this.keyNodes += size
    return size
  }

  #alias(source: string): number {
    const size = this.#sizes.get(source) ?? 0
    this.#aliases += 1
    this.nodes += size
    return size
  }
}
