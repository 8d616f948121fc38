/** Requests that wait for the end of an outage that has just begun: most are a moment's. */
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'

export class Patience {
  readonly #waiting = new Set<() => void>()
  readonly #max: number

  /** @param max how many may wait at a time */
  constructor(max: number) {
    this.#max = max
  }

  /** True where the outage ended in time; false after `ms`, or at once where too many wait. */
  wait(ms: Milliseconds): Promise<boolean> {
    if (this.#waiting.size >= this.#max) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (isOver: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(over)
        resolve(isOver)
      }
      const over = () => end(true)
      const timer = setTimeout(() => end(false), ms)
      this.#waiting.add(over)
    })
  }

  /** The outage is over. */
  end(): void {
    for (const over of this.#waiting) over()
  }
}
