/**
 * Features of a reading for the linear classifier, hashed into BUCKETS: words, pairs of words, runs of four letters, and the
 * concepts met with their predecessors. Concept features are the same in every language, which is how what was learned in one
 * carries over to another; in tool output they have features of their own, since orders mean something else there.
 *
 * Every feature belongs to one token, so that any window's features are a range. A few features a letter: linear.
 */
import type { TextScope } from '../../../completion/text-span.ts'
import { CONCEPT_COUNT } from '../lexicon/concepts.ts'
import type { Reading } from '../reading.ts'
import { HASH_START, hashStep, isSolo } from '../tokens.ts'

/** Size of the weight table. A power of two. */
export const BUCKETS = 1 << 17

/** Features of a text. Token t owns `buckets[offsets[t]]` up to `buckets[offsets[t + 1]]`. */
export interface Features {
  readonly offsets: Int32Array
  readonly buckets: Int32Array
}

const WORD = 1
const PAIR = 2
const SKIP = 3
const GRAM = 4
const CONCEPT = 5
const CONCEPT_PAIR = 6
const CONCEPT_TRIPLE = 7
const TOOL = 0x40
const GRAM_LENGTH = 4
/** Letters of a word that give runs; longer ones are data. */
const LONGEST_WORD = 24
/** Concepts further apart than this have nothing to do with each other. */
const FAR = 14
const NO_CONCEPT = 31
const PER_LETTER = 1
const PER_TOKEN = 14

/** @param scope only tool output is told from the rest. */
export function featuresOf(reading: Reading, scope: TextScope): Features {
  const { tokens } = reading
  const offsets = new Int32Array(tokens.count + 1)
  const buckets = new Int32Array(tokens.count * PER_TOKEN + tokens.text.length * PER_LETTER + CONCEPT_COUNT)
  const concepts = conceptFeatures(reading, scope === 'tool-output' ? TOOL : 0)
  let size = 0
  let next = 0
  for (let token = 0; token < tokens.count; token++) {
    offsets[token] = size
    size = addWordFeatures(reading, token, buckets, size)
    while (next < concepts.length && concepts[next] === token) {
      buckets[size++] = concepts[next + 1] ?? 0
      next += 2
    }
  }
  offsets[tokens.count] = size
  return { offsets, buckets }
}

function addWordFeatures(reading: Reading, token: number, buckets: Int32Array, from: number): number {
  const { text, hashes, starts, ends } = reading.tokens
  let size = from
  const word = hashes[token] ?? 0
  const previous = token > 0 ? (hashes[token - 1] ?? 0) : 0
  const beforeThat = token > 1 ? (hashes[token - 2] ?? 0) : 0
  buckets[size++] = bucket(WORD, word, 0, 0)
  buckets[size++] = bucket(PAIR, previous, word, 0)
  buckets[size++] = bucket(SKIP, beforeThat, word, 0)
  const start = starts[token] ?? 0
  const end = Math.min(ends[token] ?? 0, start + LONGEST_WORD)
  if (isSolo(text.charCodeAt(start))) {
    buckets[size++] = bucket(GRAM, beforeThat, previous, word)
    return size
  }
  for (let index = start; index + GRAM_LENGTH <= end; index++) {
    const edge = index === start ? 1 : 0
    buckets[size++] = bucket(
      GRAM + (edge << 3),
      (text.charCodeAt(index) << 16) | text.charCodeAt(index + 1),
      (text.charCodeAt(index + 2) << 16) | text.charCodeAt(index + 3),
      0,
    )
  }
  return size
}

/** Pairs of token and bucket, in the order of the text. At most PER_TOKEN - 4 features a token. */
function conceptFeatures(reading: Reading, toolMark: number): number[] {
  const features: number[] = []
  let last = NO_CONCEPT
  let beforeLast = NO_CONCEPT
  let lastToken = -FAR
  for (const hit of reading.hits) {
    const concept = 31 - Math.clz32(hit.concepts)
    const gap = hit.token - lastToken
    if (gap > FAR) last = beforeLast = NO_CONCEPT
    const marks = toolMark === 0 ? [0] : [0, toolMark]
    for (const mark of marks) {
      features.push(hit.token, bucket(CONCEPT | mark, concept, reading.quoted[hit.token] ?? 0, 0))
      features.push(hit.token, bucket(CONCEPT_PAIR | mark, last, concept, 0))
      features.push(hit.token, bucket(CONCEPT_TRIPLE | mark, beforeLast, last, concept))
    }
    beforeLast = last
    last = concept
    lastToken = hit.token
  }
  return features
}

function bucket(kind: number, first: number, second: number, third: number): number {
  let hash = hashStep(hashStep(hashStep(hashStep(HASH_START, kind), first), second), third)
  // The product's low bits know little of the input's high ones.
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  hash ^= hash >>> 13
  return hash & (BUCKETS - 1)
}
