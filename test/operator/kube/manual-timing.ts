import type { Cancel, Milliseconds, Timing } from '../../../src/operator/kube/timing.ts'

interface Scheduled {
  readonly dueAt: Milliseconds
  readonly callback: () => void
}

/** A clock that a test moves; timers run in order of their time, each followed by everything that promises then do. */
export class ManualTiming implements Timing {
  #at = 0
  readonly #timers = new Set<Scheduled>()
  /** Of `random`; 0 unless set. */
  chance = 0
  /** Milliseconds since the epoch at the start. */
  readonly #origin: Milliseconds

  constructor(origin: Milliseconds = Date.UTC(2026, 0, 15, 12)) {
    this.#origin = origin
  }

  now(): Milliseconds {
    return this.#origin + this.#at
  }

  elapsed(): Milliseconds {
    return this.#at
  }

  after(delayMs: Milliseconds, callback: () => void): Cancel {
    const timer = { dueAt: this.#at + Math.max(0, delayMs), callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  random(): number {
    return this.chance
  }

  get timers(): number {
    return this.#timers.size
  }

  async advance(ms: Milliseconds): Promise<void> {
    const end = this.#at + ms
    await settle()
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next)
      this.#at = Math.max(this.#at, next.dueAt)
      next.callback()
      await settle()
    }
    this.#at = end
  }

  /** Time passes without any timer: the process was stopped. */
  freeze(ms: Milliseconds): void {
    this.#at += ms
  }

  #next(end: Milliseconds): Scheduled | undefined {
    const due = [...this.#timers].filter(({ dueAt }) => dueAt <= end)
    return due.toSorted((a, b) => a.dueAt - b.dueAt)[0]
  }
}

/** Lets promises that wait for nothing but each other finish. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** The machine's clock made `factor` times faster, for code with long waits on real connections. */
export function fasterTiming(factor: number): Timing {
  const start = Date.now()
  return {
    now: () => start + performance.now() * factor,
    elapsed: () => performance.now() * factor,
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, Math.max(0, delayMs / factor))
      return () => clearTimeout(timer)
    },
    random: () => Math.random(),
  }
}
