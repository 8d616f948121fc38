/**
 * Aliases that cost more than they say. The library bounds how deeply they multiply each other, but neither how many there
 * are, which takes it minutes where each has an anchor of its own, nor what merges (`<<: *a`) copy, which takes gigabytes.
 */
import { isAlias, isMap, isNode, isSeq, type Document, type ParsedNode } from 'yaml'

/** Nodes that the aliases of a document stand for, all together; honest files stay far below. */
const MAX_NODES = 1_000_000
/** The library looks for the anchor of each alias among all aliases and anchors: about a second. */
const MAX_LOOKS = 20_000_000

/** Whether the aliases of a document expand to more than a manifest can mean. One look at each node. */
export function expandsToTooMuch({ contents }: Document.Parsed<ParsedNode>): boolean {
  const expansion = new Expansion()
  expansion.sizeOf(contents)
  return expansion.nodes > MAX_NODES || expansion.looks > MAX_LOOKS
}

class Expansion {
  /** All aliases stand for so many; Infinity where they multiply each other. */
  nodes = 0
  #aliases = 0
  #anchors = 0
  readonly #sizes = new Map<string, number>()

  get looks(): number {
    return this.#aliases * (this.#aliases + this.#anchors)
  }

  /** With what its aliases stand for. Each node is to be given once, in the order of the text. */
  sizeOf(node: unknown): number {
    if (isAlias(node)) return this.#alias(node.source)
    let size = 1
    for (const child of childrenOf(node)) size += this.sizeOf(child)
    if (isNode(node) && node.anchor !== undefined) {
      this.#anchors += 1
      this.#sizes.set(node.anchor, size)
    }
    return size
  }

  #alias(source: string): number {
    const size = this.#sizes.get(source) ?? 0
    this.#aliases += 1
    this.nodes += size
    return size
  }
}

function* childrenOf(node: unknown): Generator<unknown, undefined> {
  if (isSeq(node)) yield* node.items
  else if (isMap(node)) {
    for (const { key, value } of node.items) {
      yield key
      yield value
    }
  }
}
