/**
 * Counters and histograms that cost a request an addition: the series of given label values is an object with plain
 * numbers, found by as many look-ups as it has labels, and text is made of it only when the page is asked for.
 * (A client library checks the labels and joins them to a key at each touch: half a microsecond, a dozen times a request.)
 *
 * A series lives as long as the process, so label values must be bounded: see `metrics.ts`.
 */
import { renderLabels, renderSample, type MetricFamily } from './exposition.ts'

/** One value for each label, in the labels' order. */
type LabelValues<Names extends readonly string[]> = { readonly [Index in keyof Names]: string }

/** A sum that only grows, for each combination of label values that was seen. */
export class Counter<const Names extends readonly string[]> implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly type = 'counter'
  readonly #series: SeriesTree<CounterSeries>

  constructor(name: string, help: string, labelNames: Names) {
    this.name = name
    this.help = help
    this.#series = new SeriesTree(labelNames, (labels) => new CounterSeries(labels))
  }

  /** The series of these labels, which begins with 0. */
  at(...values: LabelValues<Names>): CounterSeries {
    return this.#series.at(values)
  }

  samples(): readonly string[] {
    return this.#series.all.map(({ labels, value }) => renderSample(this.name, labels, value))
  }
}

export class CounterSeries {
  readonly labels: string
  value = 0

  constructor(labels: string) {
    this.labels = labels
  }

  /** An amount below zero, or none that is finite, is not counted: the sum must stay one that grows. */
  add(amount = 1): void {
    if (amount >= 0 && amount < Infinity) this.value += amount
  }
}

/** How many values were how large, for each combination of label values that was seen. */
export class Histogram<const Names extends readonly string[]> implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly #bounds: readonly number[]
  readonly #series: SeriesTree<HistogramSeries>

  /** @param bounds of the buckets, ascending; a value on a bound is below it. One without a bound comes by itself. */
  constructor(name: string, help: string, bounds: readonly number[], labelNames: Names) {
    this.name = name
    this.help = help
    this.#bounds = bounds
    this.#series = new SeriesTree(labelNames, (labels) => new HistogramSeries(labels, bounds))
  }

  at(...values: LabelValues<Names>): HistogramSeries {
    return this.#series.at(values)
  }

  samples(): readonly string[] {
    return this.#series.all.flatMap((series) => this.#samplesOf(series))
  }

  /** On the page a bucket holds the ones below it as well. */
  #samplesOf({ labels, inBucket, sum, count }: HistogramSeries): string[] {
    const comma = labels === '' ? '' : ','
    const bucket = (bound: string, value: number) =>
      renderSample(`${this.name}_bucket`, `le="${bound}"${comma}${labels}`, value)
    let below = 0
    return [
      ...this.#bounds.map((bound, index) => bucket(String(bound), (below += inBucket[index] ?? 0))),
      bucket('+Inf', count),
      renderSample(`${this.name}_sum`, labels, sum),
      renderSample(`${this.name}_count`, labels, count),
    ]
  }
}

export class HistogramSeries {
  readonly labels: string
  readonly #bounds: readonly number[]
  /** Values between a bound and the one before it; the last has none. */
  readonly inBucket: number[]
  sum = 0
  count = 0

  constructor(labels: string, bounds: readonly number[]) {
    this.labels = labels
    this.#bounds = bounds
    this.inBucket = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  /** What is no finite number is not counted. */
  observe(value: number): void {
    if (!Number.isFinite(value)) return
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++
    this.inBucket[bucket] = (this.inBucket[bucket] ?? 0) + 1
    this.sum += value
    this.count++
  }
}

/** A metric without labels whose value is kept elsewhere and read when the page is asked for. */
export function readFamily(type: 'counter' | 'gauge', name: string, help: string, read: () => number): MetricFamily {
  return { name, help, type, samples: () => [renderSample(name, '', read())] }
}

/** Series by their label values: a level of maps for each label. */
class SeriesTree<Series> {
  readonly #labelNames: readonly string[]
  readonly #create: (labels: string) => Series
  readonly #root: Branch<Series> = newBranch()
  /** In the order in which they were first touched. */
  readonly all: Series[] = []

  constructor(labelNames: readonly string[], create: (labels: string) => Series) {
    this.#labelNames = labelNames
    this.#create = create
  }

  at(values: readonly string[]): Series {
    let branch = this.#root
    for (const value of values) branch = branch.next.get(value) ?? grow(branch, value)
    return (branch.series ??= this.#begin(values))
  }

  #begin(values: readonly string[]): Series {
    const series = this.#create(renderLabels(this.#labelNames, values))
    this.all.push(series)
    return series
  }
}

interface Branch<Series> {
  readonly next: Map<string, Branch<Series>>
  series: Series | undefined
}

function newBranch<Series>(): Branch<Series> {
  return { next: new Map(), series: undefined }
}

function grow<Series>(branch: Branch<Series>, value: string): Branch<Series> {
  const grown = newBranch<Series>()
  branch.next.set(value, grown)
  return grown
}
