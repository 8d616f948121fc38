/**
 * A window with what repeats in it counted once. A window's sum grows with every repetition and its norm only with the root, so that
 * a harmless word or sentence, sent often enough, would look like an attack: padding of load tests and checkers.
 *
 * Ordinary text repeats a little, which the weights were trained with: the correction grows with the share of repeated words and is
 * whole from a third. Its caller takes the lesser of both scores, so that it never makes an attack of anything.
 */
import type { Window } from '../windows.ts'
import { windowNorm } from './classifier.ts'
import { BUCKETS, type Features } from './features.ts'
import type { ClassifierWeights } from './weights.ts'

/** A window without its repetitions. */
export interface Distinct {
  /** How many different words it has. */
  readonly words: number
  readonly logOdds: number
}

/** One over the share of repeated words from which each feature counts once. */
const STEEPNESS = 3

/** The number of the last stretch that held a bucket: a set that is emptied by counting on. Made at first use. */
let lastHeld: Uint16Array | undefined
let stretch = 0
const LAST_STRETCH = 0xffff

/** @param logOdds the window's as it stands (`windowLogOdds`) */
export function withoutRepetition(
  weights: ClassifierWeights,
  features: Features,
  { from, to }: Window,
  logOdds: number,
): Distinct {
  const words = distinctWords(features, from, to)
  const repeated = Math.min(1, STEEPNESS * (1 - words / (to - from)))
  if (repeated === 0) return { words, logOdds }
  const once = weights.bias + (weights.scale * distinctSum(weights, features, from, to)) / windowNorm(words)
  return { words, logOdds: logOdds + repeated * (once - logOdds) }
}

/** How many different words the tokens `from` up to `to` are. */
export function distinctWords({ offsets, buckets }: Features, from: number, to: number): number {
  const held = nextStretch()
  let words = 0
  for (let token = from; token < to; token++) {
    // A token's first feature is the word itself.
    const word = buckets[offsets[token] ?? 0] ?? 0
    if (held[word] === stretch) continue
    held[word] = stretch
    words++
  }
  return words
}

function distinctSum(weights: ClassifierWeights, { offsets, buckets }: Features, from: number, to: number): number {
  const held = nextStretch()
  const end = offsets[to] ?? 0
  let sum = 0
  for (let index = offsets[from] ?? 0; index < end; index++) {
    const bucket = buckets[index] ?? 0
    if (held[bucket] === stretch) continue
    held[bucket] = stretch
    sum += weights.steps[bucket] ?? 0
  }
  return sum
}

function nextStretch(): Uint16Array {
  const held = (lastHeld ??= new Uint16Array(BUCKETS))
  if (stretch === LAST_STRETCH) {
    held.fill(0)
    stretch = 0
  }
  stretch++
  return held
}
