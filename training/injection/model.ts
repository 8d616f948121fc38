/**
 * Logistic regression with Adagrad and a pull towards zero, in a fixed order with the operations that IEEE 754 defines exactly
 * (no Math.exp), so that every machine gets the same weights.
 */
import { windowNorm } from '../../src/domain/guardrails/injection/classifier/classifier.ts'
import { BUCKETS, featuresOf, type Features } from '../../src/domain/guardrails/injection/classifier/features.ts'
import type { ClassifierWeights } from '../../src/domain/guardrails/injection/classifier/weights.ts'
import { read } from '../../src/domain/guardrails/injection/reading.ts'
import { clean, fold } from '../../src/domain/guardrails/injection/text/fold.ts'
import { windowsOf } from '../../src/domain/guardrails/injection/windows.ts'
import type { Sample } from './generate.ts'
import { createRandom } from './grammar.ts'

const EPOCHS = 10
const RATE = 0.12
const DECAY = 3e-4
const SHUFFLE_SEED = 7
/** Weights beyond this share of the largest ones are cut, so that the steps of the rest stay fine. */
const CLIP_QUANTILE = 0.9998
/** Mistakes on benign texts cost more: refusing a customer is worse than missing one of several witnesses. */
const BENIGN_WEIGHT = 1.6
/** Added to the bias: where the classifier alone refuses. Set on evaluation.ts. */
export const BIAS_SHIFT = -0.4

/** A window is an attack where it holds this share of the order, and the order fills this share of it: the rest is innocent. */
const HELD = 0.6
const FILLED = 0.4

interface Example {
  readonly features: Features
  readonly from: number
  readonly to: number
  readonly label: 0 | 1
  readonly weight: number
}

/** @param samples read in the order given */
export function train(samples: readonly Sample[]): ClassifierWeights {
  const examples = samples.flatMap(examplesOf)
  const weights = new Float64Array(BUCKETS)
  const squares = new Float64Array(BUCKETS).fill(1e-2)
  const bias = { value: 0, square: 1e-2 }
  const random = createRandom(SHUFFLE_SEED)
  for (let epoch = 0; epoch < EPOCHS; epoch++)
    for (const example of shuffled(examples, random)) learn(example, weights, squares, bias)
  return quantize(weights, bias.value + BIAS_SHIFT)
}

/** Windows of a sample: the ones that hold the order are attacks, those of an attack that do not are not used. */
function examplesOf(sample: Sample): Example[] {
  const text = fold(clean(sample.text).text)
  const reading = read(text)
  const features = featuresOf(reading, sample.scope)
  const windows = windowsOf(reading.places)
  const ratio = text.length / sample.text.length
  const [start, end] = (sample.attack ?? [0, sample.text.length]).map((offset) => offset * ratio)
  const used = windows.filter((window) => {
    if (sample.label === 0) return true
    const from = reading.tokens.starts[window.from] ?? 0
    const to = reading.tokens.ends[window.to - 1] ?? 0
    const held = Math.min(to, end ?? 0) - Math.max(from, start ?? 0)
    return held >= HELD * Math.min((end ?? 0) - (start ?? 0), to - from) && held >= FILLED * (to - from)
  })
  const weight = (sample.label === 0 ? BENIGN_WEIGHT : 1) / Math.sqrt(Math.max(used.length, 1))
  return used.map((window) => ({ features, from: window.from, to: window.to, label: sample.label, weight }))
}

function learn(
  example: Example,
  weights: Float64Array,
  squares: Float64Array,
  bias: { value: number; square: number },
): void {
  const { offsets, buckets } = example.features
  const start = offsets[example.from] ?? 0
  const end = offsets[example.to] ?? 0
  const norm = windowNorm(example.to - example.from)
  let sum = 0
  for (let index = start; index < end; index++) sum += weights[buckets[index] ?? 0] ?? 0
  const error = (sigmoid(bias.value + sum / norm) - example.label) * example.weight
  const step = error / norm
  for (let index = start; index < end; index++) {
    const bucket = buckets[index] ?? 0
    const gradient = step + DECAY * (weights[bucket] ?? 0)
    const square = (squares[bucket] ?? 0) + gradient * gradient
    squares[bucket] = square
    weights[bucket] = (weights[bucket] ?? 0) - (RATE * gradient) / Math.sqrt(square)
  }
  bias.square += error * error
  bias.value -= (RATE * error) / Math.sqrt(bias.square)
}

/** 1 / (1 + e^-x), with e^-x as (1 - x / 4096)^4096 by squaring: exact operations only. */
function sigmoid(x: number): number {
  const bounded = Math.min(30, Math.max(-30, x))
  let power = 1 - bounded / 4096
  for (let doubling = 0; doubling < 12; doubling++) power *= power
  return 1 / (1 + power)
}

function shuffled<Item>(items: Item[], random: () => number): Item[] {
  for (let index = items.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    const [one, two] = [items[index], items[other]]
    if (one !== undefined && two !== undefined) [items[index], items[other]] = [two, one]
  }
  return items
}

function quantize(weights: Float64Array, bias: number): ClassifierWeights {
  const sizes = weights.map(Math.abs).toSorted()
  const scale = Math.fround((sizes[Math.floor(BUCKETS * CLIP_QUANTILE)] ?? 1) / 127)
  const steps = new Int8Array(BUCKETS)
  for (let bucket = 0; bucket < BUCKETS; bucket++)
    steps[bucket] = Math.max(-127, Math.min(127, Math.round((weights[bucket] ?? 0) / scale)))
  return { scale, bias: Math.fround(bias), steps }
}
