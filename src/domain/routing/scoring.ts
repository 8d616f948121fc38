/**
 * Ranks the deployments that the rules have left. A score is in 0..1, higher is better; every part of it is min-max
 * normalised over what is left, so it compares within one request only.
 *
 * - `cost`: input price + output price. (The limit `x-llm-max-cost` takes the larger of the two; for a rank the sum
 *   tells apart two models that share the dearer price.) A model without a price counts as twice the dearest: last.
 * - `latency`: the average time to the first byte. A model never measured, or not for long, counts as the fastest one
 *   that was: it is tried, and then it is measured. Otherwise the first to answer would keep all traffic.
 * - `quality`: as the manifest states it.
 * - `balanced`: 0.4 cost, 0.3 latency, 0.3 quality.
 *
 * Ties go to the lower priority number, then the higher weight, then the name: the order is deterministic.
 */
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { ScoringMethod } from '../snapshot/snapshot.ts'
import type { Candidate, HealthView } from './route.ts'

/** Shares of `balanced`. @see DESIGN section 5 */
const BALANCE = { cost: 0.4, latency: 0.3, quality: 0.3 } as const

/**
 * Candidates in the order of trying: those of the first group, then those of the next. A score compares over all groups.
 * @param method undefined: nobody chose one. The lowest priority number comes first and `balanced` ranks within it.
 */
export function rankDeployments(
  groups: readonly (readonly Deployment[])[],
  method: ScoringMethod | undefined,
  health: HealthView,
): Candidate[] {
  const deployments: Deployment[] = []
  for (const group of groups) for (const deployment of group) deployments.push(deployment)
  // The only one is the best by any measure.
  if (deployments.length < 2) return deployments.map((deployment) => ({ deployment, score: 1 }))
  const scores = SCORERS[method ?? 'balanced'](deployments, health)
  const order = method === undefined ? byPriorityThenScore : byScoreThenPriority
  const ranked: Candidate[] = []
  for (const group of groups) {
    const start = ranked.length
    const candidates = group.map((deployment, index) => ({ deployment, score: scores[start + index] ?? 0 }))
    for (const candidate of candidates.toSorted(order)) ranked.push(candidate)
  }
  return ranked
}

type Scorer = (deployments: readonly Deployment[], health: HealthView) => number[]

const SCORERS: Readonly<Record<ScoringMethod, Scorer>> = {
  cost: scoreCost,
  latency: scoreLatency,
  quality: scoreQuality,
  balanced: scoreBalanced,
}

function scoreCost(deployments: readonly Deployment[]): number[] {
  let dearest = 0
  for (const { model } of deployments) dearest = Math.max(dearest, sumOfPrices(model) ?? 0)
  return lowerIsBetter(deployments.map(({ model }) => sumOfPrices(model) ?? dearest * 2 + 1))
}

function sumOfPrices({ pricing }: Deployment['model']): number | undefined {
  return pricing && pricing.input + pricing.output
}

function scoreLatency(deployments: readonly Deployment[], health: HealthView): number[] {
  const measured = deployments.map((deployment) => health.latencyMs(deployment.id))
  let fastest = Infinity
  for (const latency of measured) if (latency !== undefined) fastest = Math.min(fastest, latency)
  const assumed = fastest === Infinity ? 0 : fastest
  return lowerIsBetter(measured.map((latency) => latency ?? assumed))
}

function scoreQuality(deployments: readonly Deployment[]): number[] {
  return lowerIsBetter(deployments.map(({ model }) => -model.quality))
}

function scoreBalanced(deployments: readonly Deployment[], health: HealthView): number[] {
  const latency = scoreLatency(deployments, health)
  const quality = scoreQuality(deployments)
  return scoreCost(deployments).map(
    (cost, index) =>
      BALANCE.cost * cost + BALANCE.latency * (latency[index] ?? 0) + BALANCE.quality * (quality[index] ?? 0),
  )
}

/** Min-max: the lowest value gets 1, the highest 0; all get 1 where they are equal. */
function lowerIsBetter(values: readonly number[]): number[] {
  let lowest = Infinity
  let highest = -Infinity
  for (const value of values) {
    if (value < lowest) lowest = value
    if (value > highest) highest = value
  }
  const range = highest - lowest
  return values.map((value) => (range === 0 ? 1 : 1 - (value - lowest) / range))
}

function byPriorityThenScore(a: Candidate, b: Candidate): number {
  return a.deployment.model.priority - b.deployment.model.priority || b.score - a.score || byWeightThenName(a, b)
}

function byScoreThenPriority(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.deployment.model.priority - b.deployment.model.priority || byWeightThenName(a, b)
}

function byWeightThenName(a: Candidate, b: Candidate): number {
  return b.deployment.model.weight - a.deployment.model.weight || compareText(a.deployment.id, b.deployment.id)
}

/** By code units: `localeCompare` would depend on the machine. */
function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
