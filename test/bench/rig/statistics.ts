/** The value below which the share `rank` (0 to 1) of the numbers lies; NaN of none. Does not need them sorted. */
export function percentile(numbers: readonly number[], rank: number): number {
  if (numbers.length === 0) return Number.NaN
  const sorted = Float64Array.from(numbers).toSorted()
  const index = Math.min(sorted.length - 1, Math.ceil(rank * sorted.length) - 1)
  return sorted[Math.max(0, index)] ?? Number.NaN
}

/** The middle; of an even number, the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  if (numbers.length === 0) return Number.NaN
  const sorted = Float64Array.from(numbers).toSorted()
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}
