/**
 * Aliases, and keys that are maps or lists, that cost more than they say. The library's own count of aliases walks through
 * the whole document for each alias under an anchor, bounds neither how many there are nor what merges (`<<: *a`) copy, and
 * lets a map merge itself; what is merged is read anew each time, with the aliases in it. Of a key that is no scalar it makes
 * text, at each level anew, with all anchors at hand.
 */
import { isAlias, isCollection, isMap, isNode, isSeq, type Document, type ParsedNode } from 'yaml'
import { isMergeKey } from './merges.ts'

/** Nodes that the aliases of a file stand for, and that merges copy, all together; honest files stay far below. */
const MAX_NODES = 1_000_000
/** The library looks for the anchor of each alias, and for names in each key, among all of the document: about a second. */
const MAX_LOOKS = 20_000_000
/** Of which keys are made, those of a key in a key once more: about a second. kubectl takes no such key at all. */
const MAX_KEY_NODES = 50_000

/** What the documents of a file may cost together: each for itself, thousands of them would take minutes and gigabytes. */
export class AliasBudget {
  #nodes = 0
  #looks = 0
  #keyNodes = 0

  /** What is too much for a manifest to mean it; undefined where the document may be made an object. One look at each node. */
  excessOf({ contents }: Document.Parsed<ParsedNode>): string | undefined {
    const expansion = new Expansion()
    const cost = expansion.costOf(contents)
    const keyNodes = this.#keyNodes + cost.keyNodes
    const nodes = this.#nodes + expansion.nodes
    const looks = this.#looks + expansion.looksOf(cost)
    if (keyNodes > MAX_KEY_NODES) return 'has too many maps or lists as keys'
    if (nodes > MAX_NODES || looks > MAX_LOOKS) return 'its aliases expand to too much'
    this.#keyNodes = keyNodes
    this.#nodes = nodes
    this.#looks = looks
    return undefined
  }
}

/** Of a node, with what its aliases stand for, as often as they do. */
interface Cost {
  readonly nodes: number
  /** Of those the aliases, and the keys that are no scalars: for each of them anchors are looked for. */
  readonly lookers: number
  readonly keyNodes: number
}

const NOTHING: Cost = { nodes: 0, lookers: 0, keyNodes: 0 }
/** Of what its own alias is in. */
const ENDLESS: Cost = { ...NOTHING, nodes: Infinity }

class Expansion {
  /** All aliases stand for so many; Infinity where they multiply each other, or one stands for what it is in. */
  nodes = 0
  #lookers = 0
  #anchors = 0
  #hasMerges = false
  readonly #costs = new Map<string, Cost>()

  /** Each node is to be given once, in the order of the text. */
  costOf(node: unknown): Cost {
    if (isAlias(node)) return this.#alias(node.source)
    const anchor = isNode(node) ? node.anchor : undefined
    if (anchor === undefined) return this.#content(node)
    this.#anchors += 1
    this.#costs.set(anchor, ENDLESS)
    const cost = this.#content(node)
    this.#costs.set(anchor, cost)
    return cost
  }

  /** For all of the document: what an alias stands for is made once, but for merges. */
  looksOf({ lookers }: Cost): number {
    return (this.#hasMerges ? lookers : this.#lookers) * (this.#lookers + this.#anchors)
  }

  #content(node: unknown): Cost {
    let cost: Cost = { ...NOTHING, nodes: 1 }
    if (isSeq(node)) for (const item of node.items) cost = sum(cost, this.costOf(item))
    if (isMap(node)) for (const { key, value } of node.items) cost = sum(cost, this.#key(key), this.#value(key, value))
    return cost
  }

  #key(key: unknown): Cost {
    const cost = this.costOf(key)
    if (!isCollection(key) && !isAlias(key)) return cost
    this.#lookers += 1
    return sum(cost, { nodes: 0, lookers: 1, keyNodes: cost.nodes })
  }

  #value(key: unknown, value: unknown): Cost {
    const cost = this.costOf(value)
    if (!isMergeKey(key)) return cost
    this.#hasMerges = true
    // What an alias stands for is counted there; other maps are copied as well, at each level anew.
    if (!isAlias(value)) this.nodes += cost.nodes
    return cost
  }

  #alias(source: string): Cost {
    const cost = this.#costs.get(source) ?? NOTHING
    this.#lookers += 1
    this.nodes += cost.nodes
    return sum(cost, { ...NOTHING, lookers: 1 })
  }
}

function sum(...costs: readonly Cost[]): Cost {
  return costs.reduce((one, other) => ({
    nodes: one.nodes + other.nodes,
    lookers: one.lookers + other.lookers,
    keyNodes: one.keyNodes + other.keyNodes,
  }))
}
