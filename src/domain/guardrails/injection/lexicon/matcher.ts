/**
 * Finds the lexicons' words in a tokenised text.
 *
 * Words and phrases are paths of token hashes in one tree; a stem is the hash of a word's beginning. At each token the longest
 * phrase wins and the tokens it covers give no further hits, so "do not ignore" is not also "ignore". A token costs one look-up
 * per letter (stems) and one per step of a phrase, at most LONGEST_PHRASE: linear. Hashes have 32 bits and are not verified; a
 * false hit has a chance of about one in a million words and is only a vote.
 */
import { clean, fold } from '../text/fold.ts'
import { HASH_START, hashStep, tokenize, type Tokens } from '../tokens.ts'
import { CONCEPTS, type ConceptName, type Lexicon } from './concepts.ts'

/** A word or phrase of the lexicon in a text. */
export interface ConceptHit {
  /** First token. */
  readonly token: number
  /** How many tokens it covers. */
  readonly length: number
  /** Set of concepts, one bit each. */
  readonly concepts: number
}

/** @returns hits in the order of the text, not overlapping. */
export type ConceptMatcher = (tokens: Tokens) => ConceptHit[]

interface Node {
  concepts: number
  /** Absent where no longer phrase begins like this: most of the nodes. */
  next?: Map<number, Node>
}

const LONGEST_PHRASE = 12
const LONGEST_STEM = 20
/** Tells a stem's edge from a whole word's. */
const STEM_MARK = 0x5bd1e995
/** Particles written together with the next word. */
const ARABIC = /^[\u0600-\u06ff]/
const HEBREW = /^[\u0590-\u05ff]/
const ARABIC_PREFIXES = ['', 'و', 'ف', 'ب', 'ال', 'وال', 'بال', 'لل']
const HEBREW_PREFIXES = ['', 'ה', 'ו', 'את_ה']

/** Compiles the lexicons; meant to be done once. */
export function createConceptMatcher(lexicons: readonly Lexicon[]): ConceptMatcher {
  const root: Node = { concepts: 0 }
  const stems = new Set<number>()
  for (const lexicon of lexicons) {
    for (const [name, words] of Object.entries(lexicon)) {
      if (isConcept(name))
        for (const word of words.split(' '))
          for (const form of forms(word)) addPhrase(root, stems, form, 1 << CONCEPTS[name])
    }
  }
  return (tokens) => match(root, stems, tokens)
}

function isConcept(name: string): name is ConceptName {
  return name in CONCEPTS
}

function forms(word: string): string[] {
  if (ARABIC.test(word)) return ARABIC_PREFIXES.map((prefix) => prefix + word)
  if (HEBREW.test(word)) return HEBREW_PREFIXES.map((prefix) => prefix + word)
  return [word]
}

function addPhrase(root: Node, stems: Set<number>, entry: string, concepts: number): void {
  const isStem = entry.endsWith('*')
  const tokens = tokenize(fold(clean(entry.replace('*', '').replaceAll('_', ' ')).text))
  let node = root
  for (let index = 0; index < tokens.count; index++) {
    const hash = tokens.hashes[index] ?? 0
    const stem = isStem && index === tokens.count - 1
    if (stem) stems.add(hash)
    node = step(node, stem ? hash ^ STEM_MARK : hash)
  }
  if (node !== root) node.concepts |= concepts
}

function step(node: Node, edge: number): Node {
  const known = node.next?.get(edge)
  if (known !== undefined) return known
  const fresh: Node = { concepts: 0 }
  node.next ??= new Map()
  node.next.set(edge, fresh)
  return fresh
}

function match(root: Node, stems: ReadonlySet<number>, tokens: Tokens): ConceptHit[] {
  const hits: ConceptHit[] = []
  for (let token = 0; token < tokens.count;) {
    const hit = longestAt(root, stems, tokens, token)
    if (hit === undefined) token++
    else {
      hits.push(hit)
      token += hit.length
    }
  }
  return hits
}

function longestAt(root: Node, stems: ReadonlySet<number>, tokens: Tokens, token: number): ConceptHit | undefined {
  let node: Node = root
  let concepts = 0
  let length = 0
  for (let offset = 0; offset < LONGEST_PHRASE && token + offset < tokens.count; offset++) {
    const word = node.next?.get(tokens.hashes[token + offset] ?? 0)
    const stem = word === undefined || word.concepts === 0 ? stemEdge(node, stems, tokens, token + offset) : undefined
    if (stem !== undefined) {
      concepts = stem.concepts
      length = offset + 1
    }
    if (word === undefined) break
    if (word.concepts !== 0) {
      concepts = word.concepts
      length = offset + 1
    }
    node = word
  }
  return length > 0 ? { token, length, concepts } : undefined
}

/** The longest stem of the token that leads on from the node. */
function stemEdge(node: Node, stems: ReadonlySet<number>, tokens: Tokens, token: number): Node | undefined {
  const start = tokens.starts[token] ?? 0
  const end = Math.min(tokens.ends[token] ?? 0, start + LONGEST_STEM)
  let hash = HASH_START
  let found: Node | undefined
  for (let index = start; index < end; index++) {
    hash = hashStep(hash, tokens.text.charCodeAt(index))
    if (stems.has(hash)) found = node.next?.get(hash ^ STEM_MARK) ?? found
  }
  return found
}
