/**
 * Reads the counters that data planes keep in Redis, and restores them. Many windows a call, so that thousands cost a
 * few round trips; the windows of one call are of one organization and therefore on one node.
 */
import { counterKey, wholeKey } from '../../domain/quota/counter-keys.ts'
import type { RefusalMark } from '../../domain/quota/exhausted.ts'
import type { QuotaUnit } from '../../domain/quota/limits.ts'
import { calendarWindow, ROLLING_BUCKETS, rollingBucketMs } from '../../domain/quota/windows.ts'
import type { QuotaWindow, WindowSpan } from '../../domain/quota/windows.ts'
import type { Milliseconds } from '../kube/timing.ts'
import { loadScript } from '../publish/lua-script.ts'
import { noneOfAnotherType } from '../publish/redis-port.ts'
import type { PublishRedis } from '../publish/redis-port.ts'

/** Windows of one script: well below a millisecond of Redis's time. */
const WINDOWS_A_CALL = 128
/** Of a restoration during which Redis loses everything again. */
const MAX_ROUNDS = 3
/** Calls under way at once. */
const CALLS_AT_ONCE = 16
const TIMEOUT_MS = 2_000
/** As all that nobody touches: the mark goes with the counters, and is made anew with nothing to restore. */
const IDLE_MS = 400 * 86_400_000
/** Milliseconds since the epoch that a number holds exactly. */
const MARK = /^\d{1,15}$/

const READ = loadScript(new URL('read-counters.lua', import.meta.url))
const RESTORE = loadScript(new URL('restore-counters.lua', import.meta.url))

/** One window of one scope. */
export interface CounterName {
  readonly organization: string
  /** As in `PlannedScope.name`. */
  readonly scope: string
  readonly window: QuotaWindow
  readonly reset: 'Calendar' | 'Rolling'
}

export interface CounterFigures {
  readonly costMicroUsd: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Those that were charged; 0 in rolling windows, where they are not counted. */
  readonly requests: number
}

export interface CounterState extends CounterFigures {
  /** When each limit last refused a request, if ever in this window. */
  readonly marks: Readonly<Partial<Record<QuotaUnit, RefusalMark>>>
}

/** What a counter held at some time. */
export interface CounterCopy extends CounterName {
  /** Of the window, where it does not roll. */
  readonly startMs: Milliseconds
  readonly atMs: Milliseconds
  readonly figures: CounterFigures
}

/** Every call is bounded; each throws where Redis does not answer. */
export class CounterStore {
  readonly #redis: PublishRedis

  constructor(redis: PublishRedis) {
    this.#redis = redis
  }

  /** The clock by which windows begin and end. */
  async now(): Promise<Milliseconds> {
    const reply = await this.#redis.send('tg:q', ['TIME'], { timeoutMs: TIMEOUT_MS })
    const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : []
    if (seconds === undefined || micros === undefined) throw new Error('unexpected answer of Redis to TIME')
    return seconds * 1_000 + Math.floor(micros / 1_000)
  }

  /**
   * The state of each counter at `nowMs`, in the order of `names`; zeros where nothing is counted yet, undefined where it
   * could not be read. Tenants can write to their own counters: what they do there is not to hide those of others.
   */
  async read(names: readonly CounterName[], nowMs: Milliseconds): Promise<readonly (CounterState | undefined)[]> {
    const found = new Map<CounterName, CounterState>()
    await inBatches(names, async (batch) => {
      const reply = await this.#readBatch(batch, nowMs).catch(() => undefined)
      for (const [index, name] of batch.entries()) if (reply !== undefined) found.set(name, stateOf(reply[index]))
    })
    return names.map((name) => found.get(name))
  }

  async #readBatch(batch: readonly CounterName[], nowMs: Milliseconds): Promise<readonly unknown[]> {
    const keys = batch.map(({ organization, scope, ...window }) => counterKey(organization, scope, window, nowMs))
    const args = [String(nowMs), ...batch.map((name) => String(bucketOf(name)))]
    const reply = await this.#redis.run(READ, atLeastOne(keys), args, { timeoutMs: TIMEOUT_MS })
    if (!Array.isArray(reply) || reply.length !== batch.length) throw new Error('unexpected answer of Redis: counters')
    return reply
  }

  /** As of when each organization's counters are whole; undefined: they were lost, or have never been looked at. */
  async wholeSince(organizations: readonly string[]): Promise<ReadonlyMap<string, Milliseconds | undefined>> {
    const found = new Map<string, Milliseconds | undefined>()
    await eachBounded(organizations, async (organization) => {
      const key = wholeKey(organization)
      // One character more than a mark has: tenants can write here, and must not make the operator read megabytes.
      const command = ['GETRANGE', key, '0', '15']
      const value = await this.#redis.send(key, command, { timeoutMs: TIMEOUT_MS }).catch(noneOfAnotherType)
      found.set(organization, typeof value === 'string' && MARK.test(value) ? Number(value) : undefined)
    })
    return found
  }

  /** Says that the counters are whole as of `wholeMs`, unless they have been lost meanwhile. Whether they had not. */
  async advance(organization: string, wholeMs: Milliseconds): Promise<boolean> {
    const key = wholeKey(organization)
    const command = ['SET', key, String(wholeMs), 'XX', 'PX', String(IDLE_MS)]
    return (await this.#redis.send(key, command, { timeoutMs: TIMEOUT_MS })) !== null
  }

  /**
   * Raises an organization's counters to what the copies say, where their windows still run at `nowMs`, and then calls
   * them whole as of `wholeMs`. @returns how many were raised. @throws where they are lost again meanwhile, too
   */
  async restore(
    organization: string,
    copies: readonly CounterCopy[],
    wholeMs: Milliseconds,
    nowMs: Milliseconds,
  ): Promise<number> {
    const running = copies.filter((copy) => isRunning(copy, nowMs) && holdsAnything(copy.figures))
    const batches = batchesOf(running)
    const restoreSome = async (batch: readonly CounterCopy[], mark: string) => {
      const keys = batch.map(({ scope, ...window }) => counterKey(organization, scope, window, nowMs))
      const args = [mark, ...batch.flatMap((copy) => restoreArguments(copy, nowMs))]
      const reply = await this.#redis.run(RESTORE, [wholeKey(organization), ...keys], args, { timeoutMs: TIMEOUT_MS })
      return Number(reply)
    }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      let raised = 0
      await eachBounded(batches, async (batch) => {
        const some = await restoreSome(batch, '')
        raised += some
      })
      // The mark comes last, and only where the first ones are still there: else all was lost once more meanwhile.
      if ((await restoreSome(batches[0] ?? [], String(wholeMs))) === 0) return raised
    }
    throw new Error(`the counters of ${organization} are lost again and again`)
  }
}

/** The window that is running at `nowMs`; a rolling one begins with its oldest bucket and has no end. */
export function spanOf({ window, reset }: Pick<CounterName, 'window' | 'reset'>, nowMs: Milliseconds): WindowSpan {
  const bucket = bucketOf({ window, reset })
  if (bucket === 0) return calendarWindow(window, nowMs)
  return { startMs: (Math.floor(nowMs / bucket) - ROLLING_BUCKETS) * bucket, endMs: undefined }
}

const NO_FIGURES: CounterFigures = Object.freeze({ costMicroUsd: 0, inputTokens: 0, outputTokens: 0, requests: 0 })
const NOTHING_COUNTED: CounterState = Object.freeze({ ...NO_FIGURES, marks: {} })
const UNITS: readonly QuotaUnit[] = ['cost', 'input', 'output', 'total']

/** 0: it does not roll. */
function bucketOf({ window, reset }: Pick<CounterName, 'window' | 'reset'>): number {
  return (reset === 'Rolling' ? rollingBucketMs(window) : undefined) ?? 0
}

function holdsAnything({ costMicroUsd, inputTokens, outputTokens }: CounterFigures): boolean {
  return costMicroUsd + inputTokens + outputTokens > 0
}

function isRunning(copy: CounterCopy, nowMs: Milliseconds): boolean {
  return bucketOf(copy) > 0 || calendarWindow(copy.window, nowMs).startMs === copy.startMs
}

function restoreArguments(copy: CounterCopy, nowMs: Milliseconds): string[] {
  const { costMicroUsd, inputTokens, outputTokens, requests } = copy.figures
  const { endMs = 0 } = spanOf(copy, nowMs)
  return [bucketOf(copy), endMs, costMicroUsd, inputTokens, outputTokens, requests, copy.atMs].map(String)
}

function stateOf(reply: unknown): CounterState {
  if (!Array.isArray(reply)) return NOTHING_COUNTED
  const [costMicroUsd = 0, inputTokens = 0, outputTokens = 0, requests = 0] = reply.slice(0, 4).map(amount)
  const marks = Object.fromEntries(
    UNITS.flatMap((unit, index) => {
      const match = /^(\d+):(\d+)$/.exec(String(reply[4 + index] ?? ''))
      return match === null ? [] : [[unit, { limit: Number(match[1]), spent: Number(match[2]) }]]
    }),
  )
  return { costMicroUsd, inputTokens, outputTokens, requests, marks }
}

/** Of a reply: what no honest data plane can have counted is brought to what can be written down. */
function amount(value: unknown): number {
  const number = Number(value)
  return Number.isNaN(number) ? 0 : Math.min(Math.max(0, Math.trunc(number)), Number.MAX_SAFE_INTEGER)
}

/** Batches of one organization each, some at once. */
async function inBatches(
  names: readonly CounterName[],
  work: (batch: readonly CounterName[]) => Promise<void>,
): Promise<void> {
  const groups = Map.groupBy(names, ({ organization }) => organization)
  await eachBounded([...groups.values()].flatMap(batchesOf), work)
}

function batchesOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / WINDOWS_A_CALL) }, (_unused, index) =>
    items.slice(index * WINDOWS_A_CALL, (index + 1) * WINDOWS_A_CALL),
  )
}

async function eachBounded<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += CALLS_AT_ONCE) {
    await Promise.all(items.slice(at, at + CALLS_AT_ONCE).map(work))
  }
}

/** @throws {RangeError} where there is none. */
function atLeastOne(keys: readonly string[]): [string, ...string[]] {
  const [first, ...rest] = keys
  if (first === undefined) throw new RangeError('no counters')
  return [first, ...rest]
}
