/** `status.usage` and back: what people read, and what lost counters are restored from. Pure. */
import { amountIn } from '../../domain/quota/amounts.ts'
import { formatMicroUsd, parseMicroUsd } from '../../domain/quota/money.ts'
import type { PlannedLimit, PlannedWindow } from '../../domain/quota/limits.ts'
import type { QuotaWindow } from '../../domain/quota/windows.ts'
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import { kubeTime } from '../kube/conditions.ts'
import type { Milliseconds } from '../kube/timing.ts'
import type { CounterFigures } from './counter-store.ts'

/** A write is due when an amount has moved by this part of its limit. */
const WORTH_TELLING_PART = 100

/** What is counted in one window of a scope. */
export interface WindowUsage {
  readonly window: PlannedWindow
  readonly figures: CounterFigures
  readonly startMs: Milliseconds
  /** Undefined: it rolls, or never ends. */
  readonly endMs: Milliseconds | undefined
}

/** One entry of a status, as it was written. */
export interface WrittenUsage {
  readonly window: QuotaWindow
  readonly reset: 'Calendar' | 'Rolling'
  readonly startMs: Milliseconds
  readonly figures: CounterFigures
  readonly remaining: Remaining
}

interface Remaining {
  readonly costMicroUsd: number | undefined
  readonly tokens: number | undefined
}

/** The entries of a scope, in the order of its windows. */
export function renderUsage(usages: readonly WindowUsage[]): JsonObject[] {
  return usages.map(({ window, figures, startMs, endMs }) => {
    const { costMicroUsd, tokens } = remainingOf(window, figures)
    return {
      window: window.window,
      reset: window.reset,
      ...(window.window === 'Total' ? {} : { windowStart: kubeTime(startMs) }),
      ...(endMs === undefined ? {} : { windowEnd: kubeTime(endMs) }),
      spentUSD: formatMicroUsd(figures.costMicroUsd),
      ...(costMicroUsd === undefined ? {} : { remainingUSD: formatMicroUsd(costMicroUsd) }),
      inputTokens: figures.inputTokens,
      outputTokens: figures.outputTokens,
      ...(tokens === undefined ? {} : { remainingTokens: tokens }),
      ...(window.reset === 'Rolling' ? {} : { requests: figures.requests }),
    }
  })
}

/** The entries of a status; what nobody of ours has written is left out. */
export function parseUsage(status: JsonValue | undefined): WrittenUsage[] {
  return asArray(status).flatMap((entry) => parseEntry(asObject(entry)) ?? [])
}

/** Whether what is counted differs enough from what was written, or belongs to another window. */
export function hasMoved(written: readonly WrittenUsage[], usages: readonly WindowUsage[]): boolean {
  const isGone = (entry: WrittenUsage) => !usages.some((usage) => isSameWindow(entry, usage))
  return written.some(isGone) || usages.some((usage) => hasWindowMoved(written, usage))
}

function hasWindowMoved(written: readonly WrittenUsage[], usage: WindowUsage): boolean {
  const { window, figures, startMs } = usage
  const before = written.find((entry) => isSameWindow(entry, usage))
  if (before === undefined) return isAnything(figures)
  if (window.reset === 'Calendar' && before.startMs !== startMs)
    return isAnything(before.figures) || isAnything(figures)
  return window.limits.some((limit) => hasLimitMoved(limit, before, usage))
}

function hasLimitMoved(limit: PlannedLimit, before: WrittenUsage, { window, figures }: WindowUsage): boolean {
  const moved = Math.abs(amountIn(limit.unit, figures) - amountIn(limit.unit, before.figures))
  if (moved > 0 && moved * WORTH_TELLING_PART >= limit.limit) return true
  const [now, then] = [remainingOf(window, figures), before.remaining]
  const [left, wasLeft] = limit.unit === 'cost' ? [now.costMicroUsd, then.costMicroUsd] : [now.tokens, then.tokens]
  // Another limit than when it was written.
  return wasLeft === undefined || Math.abs((left ?? 0) - wasLeft) * WORTH_TELLING_PART > Math.max(limit.limit, 1)
}

/** What the tightest limits leave; reservations are not looked at. */
function remainingOf(window: PlannedWindow, figures: CounterFigures): Remaining {
  const left = (limits: readonly PlannedLimit[]) =>
    limits.length === 0
      ? undefined
      : Math.min(...limits.map(({ unit, limit }) => Math.max(0, limit - amountIn(unit, figures))))
  return {
    costMicroUsd: left(window.limits.filter(({ unit }) => unit === 'cost')),
    tokens: left(window.limits.filter(({ unit }) => unit !== 'cost')),
  }
}

function parseEntry(entry: JsonObject | undefined): WrittenUsage | undefined {
  const window = WINDOWS.find((known) => known === entry?.['window'])
  const spent = decimal(entry?.['spentUSD'])
  if (entry === undefined || window === undefined || spent === undefined) return undefined
  return {
    window,
    reset: entry['reset'] === 'Rolling' ? 'Rolling' : 'Calendar',
    startMs: window === 'Total' ? 0 : Date.parse(asString(entry['windowStart']) ?? ''),
    figures: {
      costMicroUsd: spent,
      inputTokens: whole(entry['inputTokens']) ?? 0,
      outputTokens: whole(entry['outputTokens']) ?? 0,
      requests: whole(entry['requests']) ?? 0,
    },
    remaining: { costMicroUsd: decimal(entry['remainingUSD']), tokens: whole(entry['remainingTokens']) },
  }
}

const WINDOWS: readonly QuotaWindow[] = ['Hour', 'Day', 'Week', 'Month', 'Total']

function isSameWindow({ window, reset }: WrittenUsage, usage: WindowUsage): boolean {
  return window === usage.window.window && reset === usage.window.reset
}

function isAnything({ costMicroUsd, inputTokens, outputTokens }: CounterFigures): boolean {
  return costMicroUsd + inputTokens + outputTokens > 0
}

function decimal(value: JsonValue | undefined): number | undefined {
  try {
    return typeof value === 'string' ? parseMicroUsd(value) : undefined
  } catch {
    return undefined
  }
}

function whole(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
