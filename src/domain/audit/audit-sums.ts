/** Sums of cost and tokens over audit records, by what the records say of themselves. */
import { asObject, asString } from '../json.ts'
import { formatMicroUsd } from '../quota/money.ts'
import type { AuditEntry } from './audit-entry.ts'
import type { TableRow } from './audit-table.ts'

/** Where the value of a group comes from. */
export interface SumDimension {
  /** As the user wrote it: the column's title. */
  readonly name: string
  /** Undefined where the record has none. */
  valueOf(entry: AuditEntry): string | undefined
}

/** Groups beyond this are added up in one, so that memory stays bounded however many values a tag has. */
export const MAX_GROUPS = 10_000
const OTHERS = '(others)'
const TAG_NAME = /^[A-Za-z0-9_.-]{1,64}$/

const FIELDS: Readonly<Record<string, SumDimension['valueOf']>> = {
  organization: ({ organization }) => organization,
  project: ({ project }) => project,
  key: ({ virtualKey }) => virtualKey,
  model: ({ document }) => {
    const model = asObject(document['model'])
    return asString(model?.['served']) ?? asString(model?.['requested'])
  },
  provider: ({ document }) => asString(asObject(document['model'])?.['provider']),
  adapter: ({ document }) => asString(document['adapter']),
  operation: ({ document }) => asString(document['operation']),
  outcome: ({ document }) => asString(document['outcome']),
  error: ({ document }) => asString(document['error']),
  cache: ({ document }) => asString(document['cache']),
  day: ({ atMs }) => new Date(atMs).toISOString().slice(0, 10),
  hour: ({ atMs }) => `${new Date(atMs).toISOString().slice(0, 13)}:00Z`,
}

/** What can be summed by, beside tags. */
export const SUM_FIELDS: readonly string[] = Object.keys(FIELDS)

/** Whether a request can have a tag of this name. */
export function isTagName(name: string): boolean {
  return TAG_NAME.test(name)
}

/** A field's name, or a tag as `tag:NAME`: any other word is a slip. Undefined where it is neither. */
export function parseDimension(name: string): SumDimension | undefined {
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
  if (field !== undefined) return { name, valueOf: field }
  const tag = name.startsWith('tag:') ? name.slice('tag:'.length) : ''
  return isTagName(tag) ? { name, valueOf: ({ tags }) => tags[tag] } : undefined
}

interface Sum {
  readonly values: readonly string[]
  requests: number
  inputTokens: number
  outputTokens: number
  costMicroUsd: number
  /** Requests that used tokens of a model without a price. */
  unpriced: number
  estimated: number
}

/** Adds entries up, one group for each combination of the dimensions' values. */
export class AuditSums {
  readonly #dimensions: readonly SumDimension[]
  readonly #groups = new Map<string, Sum>()
  readonly #total: Sum

  constructor(dimensions: readonly SumDimension[]) {
    this.#dimensions = dimensions
    this.#total = emptySum(dimensions.map((_, index) => (index === 0 ? 'total' : '')))
  }

  add(entry: AuditEntry): void {
    addTo(this.#groupOf(entry), entry)
    addTo(this.#total, entry)
  }

  /** The dearest group first; ties by name. */
  rows(): TableRow[] {
    const groups = [...this.#groups.values()].toSorted(
      (left, right) => right.costMicroUsd - left.costMicroUsd || compare(left.values, right.values),
    )
    return groups.map((sum) => this.#rowOf(sum))
  }

  total(): TableRow {
    return this.#rowOf(this.#total)
  }

  #groupOf(entry: AuditEntry): Sum {
    const values = this.#dimensions.map((dimension) => dimension.valueOf(entry) ?? '')
    const name = JSON.stringify(values)
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    if (this.#groups.size < MAX_GROUPS) return this.#begin(name, values)
    return (
      this.#groups.get(OTHERS) ??
      this.#begin(
        OTHERS,
        this.#dimensions.map(() => OTHERS),
      )
    )
  }

  #begin(name: string, values: readonly string[]): Sum {
    const sum = emptySum(values)
    this.#groups.set(name, sum)
    return sum
  }

  #rowOf(sum: Sum): TableRow {
    const named = this.#dimensions.map(({ name }, index) => [name, sum.values[index] ?? ''] as const)
    return [
      ...named,
      ['requests', sum.requests],
      ['input_tokens', sum.inputTokens],
      ['output_tokens', sum.outputTokens],
      ['cost_usd', formatMicroUsd(sum.costMicroUsd)],
      ['unpriced', sum.unpriced],
      ['estimated', sum.estimated],
    ]
  }
}

function emptySum(values: readonly string[]): Sum {
  return { values, requests: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0, unpriced: 0, estimated: 0 }
}

function addTo(sum: Sum, entry: AuditEntry): void {
  sum.requests++
  sum.inputTokens += entry.inputTokens
  sum.outputTokens += entry.outputTokens
  sum.costMicroUsd += entry.costMicroUsd ?? 0
  if (entry.costMicroUsd === undefined && entry.inputTokens + entry.outputTokens > 0) sum.unpriced++
  if (entry.isEstimated) sum.estimated++
}

function compare(left: readonly string[], right: readonly string[]): number {
  const [one, other] = [left.join('\n'), right.join('\n')]
  return one < other ? -1 : one > other ? 1 : 0
}
