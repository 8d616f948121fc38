/**
 * Sees that the counters in Redis are whole, and restores them where they are not.
 *
 *   whole --flushed, replaced, an older backup loaded--> lost --restored from the copies--> whole
 *
 * A mark beside each organization's counters says as of when they are whole. Where it is gone, or older than this
 * process has seen it, they were lost; data planes admit nothing without it. The copies are what the leader read last
 * and what the statuses hold: what was spent between the last reading, or else the last status, and the loss is not
 * known. Restoring only ever raises, so that two leaders at once do no harm.
 */
import type { Milliseconds } from '../kube/timing.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import { checkpoints } from './checkpoints.ts'
import type { UsageView } from './checkpoints.ts'
import type { CounterCopy, CounterStore } from './counter-store.ts'

/** Marks come from the clocks of statuses, `now` is Redis's. */
const CLOCK_SLACK_MS = 60 * 60_000

export interface RestorerOptions {
  readonly store: Pick<CounterStore, 'wholeSince' | 'advance' | 'restore'>
  readonly view: UsageView
  readonly log: Log
  /** What was read last of an organization's counters. */
  readonly lastRead: (organization: string) => readonly CounterCopy[]
  /** So many counters of an organization were lost and are there again. */
  readonly onRestored: (organization: string, counters: number) => void
}

export class Restorer {
  readonly #options: RestorerOptions
  /** The newest mark that was seen or set, by organization. */
  readonly #seen = new Map<string, Milliseconds>()
  /** By organization. */
  readonly #restorations = new Map<string, number>()

  constructor(options: RestorerOptions) {
    this.#options = options
  }

  /** How often an organization's counters were found lost: what was read of them while this grew is of no use. */
  restorations(organization: string): number {
    return this.#restorations.get(organization) ?? 0
  }

  /** Those that this process has not looked at yet. */
  unknown(organizations: readonly string[]): readonly string[] {
    return organizations.filter((name) => !this.#seen.has(name))
  }

  /** Restores what is lost. @throws where Redis does not answer. */
  async ensure(organizations: readonly string[], nowMs: Milliseconds): Promise<void> {
    const stored = await this.#options.store.wholeSince(organizations)
    // A mark of the future is nobody's of ours: tenants can write it.
    const marks = new Map([...stored].map(([name, mark]) => [name, isPast(mark, nowMs) ? mark : undefined]))
    this.#forgetFuture(nowMs)
    const unsure = organizations.filter((name) => this.#isUnsure(name, marks.get(name)))
    if (unsure.length === 0) return
    const copies = checkpoints(this.#options.view)
    for (const name of unsure) {
      const held = copies.get(name) ?? []
      const newestMs = held.reduce((newest, { atMs }) => Math.max(newest, notAfter(atMs, nowMs)), 0)
      const mark = marks.get(name)
      if (mark !== undefined && mark >= Math.max(newestMs, this.#seen.get(name) ?? 0)) {
        this.#seen.set(name, mark)
        continue
      }
      this.#restorations.set(name, this.restorations(name) + 1)
      await this.#restore(name, held, newestMs, nowMs).catch((error: unknown) =>
        // Tried again at the next look, and until then nobody is admitted; the others are not to wait for it.
        this.#options.log.warn({ organization: name, ...errorFields(error) }, 'counters not restored'),
      )
    }
  }

  /** A status with this organization's counters as of `atMs` has been written: an older backup would miss them. */
  async advance(organization: string, atMs: Milliseconds): Promise<void> {
    if (atMs <= (this.#seen.get(organization) ?? 0)) return
    try {
      if (await this.#options.store.advance(organization, atMs)) this.#seen.set(organization, atMs)
    } catch (error) {
      // Found to be behind by the next leader, who then restores what is there anyway.
      this.#options.log.debug(errorFields(error), 'mark of whole counters not advanced')
    }
  }

  /** The clock of Redis was ahead: until that time came again every look would find the counters lost. */
  #forgetFuture(nowMs: Milliseconds): void {
    for (const [name, seen] of this.#seen) this.#seen.set(name, notAfter(seen, nowMs))
  }

  #isUnsure(organization: string, mark: Milliseconds | undefined): boolean {
    const seen = this.#seen.get(organization)
    return mark === undefined || seen === undefined || mark < seen
  }

  async #restore(
    organization: string,
    held: readonly CounterCopy[],
    newestMs: Milliseconds,
    nowMs: Milliseconds,
  ): Promise<void> {
    const { store, lastRead, onRestored, log } = this.#options
    const wholeMs = Math.max(newestMs, this.#seen.get(organization) ?? 0)
    const raised = await store.restore(organization, [...held, ...lastRead(organization)], wholeMs, nowMs)
    this.#seen.set(organization, wholeMs)
    if (raised === 0) return
    log.warn({ organization, counters: raised }, 'counters restored')
    onRestored(organization, raised)
  }
}

function notAfter(ms: Milliseconds, nowMs: Milliseconds): Milliseconds {
  return isPast(ms, nowMs) ? ms : nowMs
}

function isPast(mark: Milliseconds | undefined, nowMs: Milliseconds): boolean {
  return mark !== undefined && mark <= nowMs + CLOCK_SLACK_MS
}
