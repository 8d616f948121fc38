/**
 * Work whose end no answer waits for. What a request leaves for the time after its answer (`x-llm-billing: async`) is
 * bounded in number and begun when the answer has been handed to the connection; all is finished before the process ends.
 */
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Now } from './ports.ts'

/** Beyond this, work is begun at once: the queue never holds more than a second or so of requests. */
const MAX_WAITING = 10_000

/** Must not reject. */
export type Work = () => Promise<void>

export class AfterAnswer {
  readonly #now: Now
  readonly #maxWaiting: number
  /** In the order in which it came, and since when. */
  readonly #waiting = new Map<Work, Milliseconds>()
  readonly #underway = new Set<Promise<void>>()
  #turn: NodeJS.Immediate | undefined

  constructor(now: Now, maxWaiting = MAX_WAITING) {
    this.#now = now
    this.#maxWaiting = maxWaiting
  }

  /** Not begun yet. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** How long the oldest work has been waiting; 0: none is. */
  get lagMs(): Milliseconds {
    const [oldest] = this.#waiting.values()
    return oldest === undefined ? 0 : this.#now() - oldest
  }

  run(work: Work): void {
    if (this.#waiting.size >= this.#maxWaiting) return this.begin(work)
    this.#waiting.set(work, this.#now())
    // The check phase comes after the microtasks in which the answer is written.
    this.#turn ??= setImmediate(() => this.#beginAll())
  }

  /** Work that is begun before the answer leaves, which does not wait for its end. */
  begin(work: Work): void {
    const running = work().finally(() => this.#underway.delete(running))
    this.#underway.add(running)
  }

  /** Resolves when all work so far has been done. */
  async drain(): Promise<void> {
    this.#beginAll()
    await Promise.all(this.#underway)
  }

  #beginAll(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    const works = [...this.#waiting.keys()]
    this.#waiting.clear()
    for (const work of works) this.begin(work)
  }
}
