import type { Contender, ContenderName } from '../rig/contenders.ts'
import type { Load, Measurement, Rig } from '../rig/rig.ts'
import { median } from '../rig/statistics.ts'
import type { Bench } from './section.ts'

/** What can be told apart here at all, microseconds. */
const LEAST_ADDED = 10

/** Before the first round: what is measured is a gateway that has run for a while, not its just-in-time compiler. */
const STEADY: Load = { connections: 32, stream: false, warmUpMs: 0, durationMs: 12_000 }
const steady = new WeakSet<Rig>()

/** What was measured of each contender, one entry a round. */
export type Rounds = ReadonlyMap<ContenderName, readonly Measurement[]>

/**
 * Measures every contender in every round, in turn, so that whatever else the machine does meets all of them alike.
 * The order turns by one each round.
 */
export async function alternate(bench: Bench, rig: Rig, rounds: number, load: Load): Promise<Rounds> {
  const measured = new Map<ContenderName, Measurement[]>()
  if (!bench.quick && !steady.has(rig)) {
    for (const contender of rig.contenders) if (contender.name !== 'direct') await rig.measure(contender, STEADY)
    steady.add(rig)
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of turned(rig.contenders, round)) {
      const measurement = await rig.measure(contender, load)
      measured.set(contender.name, [...(measured.get(contender.name) ?? []), measurement])
      const { perSecond, latencyMicros, errors } = measurement
      bench.log(
        `  round ${round + 1}/${rounds} ${contender.name}: ${perSecond.toFixed(0)}/s, p50 ${(latencyMicros.p50 / 1_000).toFixed(2)} ms, ${errors} errors`,
      )
    }
  }
  return measured
}

/** The median over the rounds of one number of a contender; NaN where it was not measured. */
export function middle(rounds: Rounds, name: ContenderName, of: (measurement: Measurement) => number): number {
  return median((rounds.get(name) ?? []).map(of).filter((value) => !Number.isNaN(value)))
}

/**
 * The median over the rounds of how many times the other's number a contender's is in the same round: a machine that is
 * slow for a minute is slow for both.
 */
export function times(
  rounds: Rounds,
  name: ContenderName,
  other: ContenderName,
  of: (measurement: Measurement) => number,
): number {
  return medianRatio((rounds.get(name) ?? []).map(of), (rounds.get(other) ?? []).map(of))
}

/** The median over the rounds of what a contender adds to `direct` in the same round, microseconds. */
export function added(rounds: Rounds, name: ContenderName, of: (measurement: Measurement) => number): number {
  return median(addedEach(rounds, name, of))
}

/** As `times`, of what both add to `direct`. */
export function timesAdded(
  rounds: Rounds,
  name: ContenderName,
  other: ContenderName,
  of: (measurement: Measurement) => number,
): number {
  return medianRatio(addedEach(rounds, name, of), addedEach(rounds, other, of))
}

/** At least LEAST_ADDED: the difference of two measurements can come out negative, and a ratio of it would mean nothing. */
function addedEach(rounds: Rounds, name: ContenderName, of: (measurement: Measurement) => number): number[] {
  const direct = rounds.get('direct') ?? []
  return (rounds.get(name) ?? []).map((measurement, round) => {
    const base = direct[round]
    return base === undefined ? Number.NaN : Math.max(LEAST_ADDED, of(measurement) - of(base))
  })
}

function medianRatio(numerators: readonly number[], denominators: readonly number[]): number {
  const ratios = numerators.map((value, round) => value / (denominators[round] ?? Number.NaN))
  return median(ratios.filter((ratio) => !Number.isNaN(ratio)))
}

export function errorsOf(rounds: Rounds): string[] {
  return [...rounds].flatMap(([name, measurements]) => {
    const errors = measurements.reduce((sum, { errors: count }) => sum + count, 0)
    const first = measurements.find(({ firstError }) => firstError !== undefined)?.firstError
    return errors === 0
      ? []
      : [`**${name}: ${errors} errors**, the first: \`${(first ?? '').replace(/\s+/g, ' ').slice(0, 300)}\``]
  })
}

function turned(contenders: readonly Contender[], by: number): Contender[] {
  const at = by % contenders.length
  return [...contenders.slice(at), ...contenders.slice(0, at)]
}
