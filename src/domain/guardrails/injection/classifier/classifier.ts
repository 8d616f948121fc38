/** Logistic regression over the features of a window of tokens. Running sums make any window two subtractions. */
import type { Features } from './features.ts'
import type { ClassifierWeights } from './weights.ts'

/** Sums of weights up to each token. */
export type RunningSums = Float64Array

/** Damps short windows, whose few features are little evidence. In tokens. */
const DAMPING = 6

/** Entry t is the sum of the weights of all features of the tokens before t. */
export function runningSums(weights: ClassifierWeights, features: Features): RunningSums {
  const count = features.offsets.length - 1
  const sums = new Float64Array(count + 1)
  let sum = 0
  for (let token = 0; token < count; token++) {
    const end = features.offsets[token + 1] ?? 0
    for (let index = features.offsets[token] ?? 0; index < end; index++)
      sum += weights.steps[features.buckets[index] ?? 0] ?? 0
    sums[token + 1] = sum
  }
  return sums
}

/** Log-odds that the tokens `from` up to `to` are an attack. */
export function windowLogOdds(weights: ClassifierWeights, sums: RunningSums, from: number, to: number): number {
  return weights.bias + (weights.scale * ((sums[to] ?? 0) - (sums[from] ?? 0))) / windowNorm(to - from)
}

/** What a window's sum is divided by; the trainer uses the same. */
export function windowNorm(tokens: number): number {
  return Math.sqrt(tokens + DAMPING)
}
