/** Reads which circuit breakers sidecars report as open. Cheap where none is: one look an owner. */
import { circuitsKey } from '../../domain/snapshot/shard-store.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import type { Cancel, Milliseconds, Timing } from '../kube/timing.ts'
import { acknowledgedRevisions } from '../publish/acknowledgements.ts'
import { loadScript } from '../publish/lua-script.ts'
import { hashReply } from '../publish/redis-port.ts'
import type { PublishRedis } from '../publish/redis-port.ts'
import type { CircuitReport } from './provider-health.ts'

const POLL_MS = 5_000
const OWNERS_AT_ONCE = 32
const TIMEOUT_MS = 2_000
/** More reports of one owner than these are no sidecars': its login can write anything there. */
const MAX_REPORTS = 10_000
/** Of one report with its instance's name, in bytes: some hundred providers. */
const MAX_REPORT = 16 * 1024
/** Of all reports of one owner, in bytes: ten thousand sidecars that have given up on ten providers. */
const MAX_TOTAL = 8 * 1024 * 1024

const READ_REPORTS = loadScript(new URL('read-circuits.lua', import.meta.url))

export interface CircuitPollOptions {
  readonly redis: PublishRedis
  readonly timing: Timing
  readonly log: Log
  /** Those with virtual keys; undefined: not known yet. */
  readonly owners: () => readonly string[] | undefined
  readonly onReport: (circuits: ReadonlyMap<string, CircuitReport>) => void
}

export class CircuitPoll {
  readonly #options: CircuitPollOptions
  #isLeader: (() => boolean) | undefined
  #cancel: Cancel | undefined
  #stopped = false

  constructor(options: CircuitPollOptions) {
    this.#options = options
  }

  lead(isLeader: () => boolean): void {
    this.#isLeader = isLeader
    this.#schedule(0)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  #schedule(afterMs: Milliseconds): void {
    if (this.#stopped) return
    const poll = () => void this.#poll().finally(() => this.#schedule(POLL_MS))
    this.#cancel = this.#options.timing.after(afterMs, poll)
  }

  /** Never rejects: what was reported before holds until it can be read again. */
  async #poll(): Promise<void> {
    const { owners, onReport, log } = this.#options
    if (this.#isLeader?.() !== true) return
    try {
      const all = owners()
      if (all === undefined) return
      const totals = new Map<string, { open: number; sidecars: number }>()
      for (let at = 0; at < all.length; at += OWNERS_AT_ONCE) {
        const found = await Promise.all(all.slice(at, at + OWNERS_AT_ONCE).map((owner) => this.#reportOf(owner)))
        for (const report of found) add(totals, report)
      }
      onReport(totals)
    } catch (error) {
      log.debug(errorFields(error), 'reports of circuit breakers not read')
    }
  }

  /** By provider. Reports of sidecars that have gone do not count, and are taken out. */
  async #reportOf(owner: string): Promise<ReadonlyMap<string, CircuitReport>> {
    const { redis } = this.#options
    const key = circuitsKey(owner)
    const bounds = [MAX_REPORTS, MAX_REPORT, MAX_TOTAL].map(String)
    const stored = [...hashReply(await redis.run(READ_REPORTS, [key], bounds, { timeoutMs: TIMEOUT_MS }))]
    if (stored.length === 0) return new Map()
    const alive = await acknowledgedRevisions(redis, owner)
    const gone = stored.flatMap(([instance]) => (alive.has(instance) ? [] : [instance]))
    if (gone.length > 0) await redis.send(key, ['HDEL', key, ...gone], { timeoutMs: TIMEOUT_MS })
    const open = stored.filter(([instance]) => alive.has(instance)).flatMap(([, text]) => [...new Set(text.split(' '))])
    const counts = Map.groupBy(open, (provider) => provider)
    return new Map([...counts].map(([provider, all]) => [provider, { open: all.length, sidecars: alive.size }]))
  }
}

function add(
  totals: Map<string, { open: number; sidecars: number }>,
  report: ReadonlyMap<string, CircuitReport>,
): void {
  for (const [provider, { open, sidecars }] of report) {
    const total = totals.get(provider) ?? { open: 0, sidecars: 0 }
    totals.set(provider, { open: total.open + open, sidecars: total.sidecars + sidecars })
  }
}
