/**
 * Metrics of prom-client that cost a request an addition. The library checks and joins the labels at each touch: half a
 * microsecond, a dozen times a request. Here a touch is noted on the object of its label values, which is found by as
 * many look-ups as there are labels; the library is told when the page is asked for.
 *
 * A series lives as long as the process, so label values must be bounded: see `metrics.ts`.
 */
import * as prometheus from 'prom-client'

/** One value for each label, in the labels' order. */
type LabelValues<Names extends readonly string[]> = { readonly [Index in keyof Names]: string }

/** A sum that only grows, for each combination of label values that was seen. */
export class Counter<const Names extends readonly string[]> {
  readonly #series: SeriesTree<CounterSeries>

  constructor(registry: prometheus.Registry, name: string, help: string, labelNames: Names) {
    const family = new prometheus.Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect: () => this.#series.all.forEach((series) => series.handOver()),
    })
    this.#series = new SeriesTree(labelNames, (labels) => new CounterSeries(family, labels))
  }

  /** The series of these labels, which begins with 0. */
  at(...values: LabelValues<Names>): CounterSeries {
    return this.#series.at(values)
  }
}

export class CounterSeries {
  readonly #family: prometheus.Counter
  readonly #labels: Labels
  #noted = 0

  constructor(family: prometheus.Counter, labels: Labels) {
    this.#family = family
    this.#labels = labels
  }

  /** An amount below zero, or none that is finite, is not counted: the sum must stay one that grows. */
  add(amount = 1): void {
    if (amount >= 0 && amount < Infinity) this.#noted += amount
  }

  handOver(): void {
    this.#family.inc(this.#labels, this.#noted)
    this.#noted = 0
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
    this.#series = new SeriesTree(labelNames, (labels) => new HistogramSeries(name, labels, buckets))
    const described = { name, help, buckets: [...buckets], labelNames: [...labelNames], registers: [] }
    registry.registerMetric(
      new HistogramFamily(described, () => this.#series.all.flatMap((series) => series.samples())),
    )
  }

  at(...values: LabelValues<Names>): HistogramSeries {
    return this.#series.at(values)
  }
}

/** The library's histogram, whose values are counted here: its own way to one is ten times as long. */
class HistogramFamily extends prometheus.Histogram {
  readonly #head: {
    readonly name: string
    readonly help: string
    readonly type: 'histogram'
    readonly aggregator: 'sum'
  }
  readonly #samples: () => Sample[]

  constructor(described: prometheus.HistogramConfiguration<string>, samples: () => Sample[]) {
    super(described)
    this.#head = { name: described.name, help: described.help, type: 'histogram', aggregator: 'sum' }
    this.#samples = samples
  }

  /** What the library makes a page of, and its `get` too. */
  async getForPromString() {
    return { ...this.#head, values: this.#samples() }
  }
}

type Sample = prometheus.MetricValueWithName<string>

export class HistogramSeries {
  readonly #name: string
  readonly #labels: Labels
  readonly #bounds: readonly number[]
  /** Values in each bucket and in none before it; the last bucket has no bound. */
  readonly #counts: number[]
  #sum = 0

  constructor(name: string, labels: Labels, bounds: readonly number[]) {
    this.#name = name
    this.#labels = labels
    this.#bounds = bounds
    this.#counts = [...bounds, Infinity].map(() => 0)
  }

  /** What is no finite number is not counted. */
  observe(value: number): void {
    if (!Number.isFinite(value)) return
    let bucket = 0
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += value
  }

  /** As a page has them: each bucket with what is in those before it. */
  samples(): Sample[] {
    let count = 0
    const buckets = this.#counts.map((inBucket, index): Sample => {
      count += inBucket
      const le = this.#bounds[index] ?? '+Inf'
      return { metricName: `${this.#name}_bucket`, labels: { le, ...this.#labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${this.#name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${this.#name}_count`, labels: this.#labels, value: count },
    ]
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
