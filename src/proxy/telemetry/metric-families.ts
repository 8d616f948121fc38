/**
 * Metrics of prom-client that cost a request an addition. The library checks and joins the labels at each touch: half a
 * microsecond, a dozen times a request. Here a touch is noted on the object of its label values, which is found by as
 * many look-ups as there are labels; the library is told when the page is asked for, or when enough has been noted.
 *
 * A series lives as long as the process, so label values must be bounded: see `metrics.ts`.
 */
import * as prometheus from 'prom-client'

/** One value for each label, in the labels' order. */
type LabelValues<Names extends readonly string[]> = { readonly [Index in keyof Names]: string }

/** Observations of one series that wait for the page at most. */
const MAX_NOTED = 256

/** A sum that only grows, for each combination of label values that was seen. */
export class Counter<const Names extends readonly string[]> {
  readonly #series: SeriesTree<CounterSeries>

  /** @param parts how many of the amounts that are added make one of what is told: sums of whole numbers stay exact */
  constructor(registry: prometheus.Registry, name: string, help: string, labelNames: Names, parts = 1) {
    const family = new prometheus.Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect: () => this.#series.all.forEach((series) => series.handOver()),
    })
    this.#series = new SeriesTree(labelNames, (labels) => new CounterSeries(family, labels, parts))
  }

  /** The series of these labels, which begins with 0. */
  at(...values: LabelValues<Names>): CounterSeries {
    return this.#series.at(values)
  }
}

export class CounterSeries {
  readonly #family: prometheus.Counter
  readonly #labels: Labels
  readonly #parts: number
  #noted = 0

  constructor(family: prometheus.Counter, labels: Labels, parts: number) {
    this.#family = family
    this.#labels = labels
    this.#parts = parts
  }

  /** An amount below zero, or none that is finite, is not counted: the sum must stay one that grows. */
  add(amount = 1): void {
    if (amount >= 0 && amount < Infinity) this.#noted += amount
  }

  handOver(): void {
    if (this.#parts !== 1) return this.#handOverSum()
    this.#family.inc(this.#labels, this.#noted)
    this.#noted = 0
  }

  #handOverSum(): void {
    this.#family.remove(this.#labels)
    this.#family.inc(this.#labels, this.#noted / this.#parts)
  }
}

/** How many values were how large, for each combination of label values that was seen. */
export class Histogram<const Names extends readonly string[]> {
  readonly #series: SeriesTree<HistogramSeries>

  /** @param buckets upper bounds, ascending; the one without a bound comes by itself */
  constructor(
    registry: prometheus.Registry,
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: Names,
  ) {
    const family = new prometheus.Histogram({
      name,
      help,
      buckets: [...buckets],
      labelNames: [...labelNames],
      registers: [registry],
      collect: () => this.#series.all.forEach((series) => series.handOver()),
    })
    this.#series = new SeriesTree(labelNames, (labels) => new HistogramSeries(family, labels))
  }

  at(...values: LabelValues<Names>): HistogramSeries {
    return this.#series.at(values)
  }
}

export class HistogramSeries {
  readonly #family: prometheus.Histogram
  readonly #labels: Labels
  readonly #noted: number[] = []

  constructor(family: prometheus.Histogram, labels: Labels) {
    this.#family = family
    this.#labels = labels
  }

  /** What is no finite number is not counted. */
  observe(value: number): void {
    if (!Number.isFinite(value)) return
    this.#noted.push(value)
    if (this.#noted.length === MAX_NOTED) this.handOver()
  }

  handOver(): void {
    for (const value of this.#noted) this.#family.observe(this.#labels, value)
    this.#noted.length = 0
  }
}

type Labels = Readonly<Record<string, string>>

/** Series by their label values: a level of maps for each label. */
class SeriesTree<Series> {
  readonly #labelNames: readonly string[]
  readonly #create: (labels: Labels) => Series
  readonly #root: Branch<Series> = newBranch()
  /** In the order in which they were first touched. */
  readonly all: Series[] = []

  constructor(labelNames: readonly string[], create: (labels: Labels) => Series) {
    this.#labelNames = labelNames
    this.#create = create
  }

  at(values: readonly string[]): Series {
    let branch = this.#root
    for (const value of values) branch = branch.next.get(value) ?? grow(branch, value)
    return (branch.series ??= this.#begin(values))
  }

  #begin(values: readonly string[]): Series {
    const series = this.#create(Object.fromEntries(this.#labelNames.map((name, index) => [name, values[index] ?? ''])))
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
