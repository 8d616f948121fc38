/** What the log has been told of lately, so that it does not say the same of each request. */
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Now } from './ports.ts'

export class ToldLately {
  readonly #now: Now
  readonly #repeatMs: Milliseconds
  readonly #mostNames: number
  /** When each was last told of, the oldest first. */
  readonly #told = new Map<string, Milliseconds>()

  /**
   * @param repeatMs what goes on is told of again after so long
   * @param mostNames of more at a time the first may be told of again earlier
   */
  constructor(now: Now, repeatMs: Milliseconds, mostNames: number) {
    this.#now = now
    this.#repeatMs = repeatMs
    this.#mostNames = mostNames
  }

  /** Whether it is; if not, it is from now on. */
  has(name: string): boolean {
    const nowMs = this.#now()
    const toldMs = this.#told.get(name)
    if (toldMs !== undefined && nowMs - toldMs < this.#repeatMs) return true
    this.#told.delete(name)
    this.#told.set(name, nowMs)
    const [oldest] = this.#told.keys()
    if (this.#told.size > this.#mostNames && oldest !== undefined) this.#told.delete(oldest)
    return false
  }
}
