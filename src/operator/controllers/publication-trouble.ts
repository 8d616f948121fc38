/** Whether publishing has failed for so long that statuses should say so; a shorter failure would only make them flap. */
import type { Milliseconds, Timing } from '../kube/timing.ts'
import type { Build } from './build.ts'
import { changedResources } from './build-changes.ts'
import type { Problem } from './status.ts'

const PATIENCE_MS = 5_000
/** Of two causes in turn, each resource's status would be written with each attempt. */
const SAME_CAUSE_MS = 300_000
/** A little later, so that the patience is over then. */
const TELL_AFTER_MS = 6_000

export class PublicationTrouble {
  readonly #timing: Timing
  readonly #build: () => Build | undefined
  readonly #onLasting: (resources: readonly string[]) => void
  #since: Milliseconds | undefined
  #problem: Problem | undefined
  /** When that became the one that is told. */
  #problemSince: Milliseconds = 0
  /** What was told of last. */
  #told: Build | undefined

  /**
   * `onLasting`: it has become worth telling, of all resources; and of those that have changed with each failure after
   * that, for building goes on. `build`: the latest.
   */
  constructor(timing: Timing, build: () => Build | undefined, onLasting: (resources: readonly string[]) => void) {
    this.#timing = timing
    this.#build = build
    this.#onLasting = onLasting
  }

  /** What it is; undefined where there is none, or none that has lasted. */
  get lasting(): Problem | undefined {
    return this.#since !== undefined && this.#timing.elapsed() - this.#since > PATIENCE_MS ? this.#problem : undefined
  }

  succeeded(): void {
    this.#since = undefined
    this.#told = undefined
  }

  failed(problem: Problem): void {
    this.#take(problem)
    this.#tell()
    if (this.#since !== undefined) return
    this.#since = this.#timing.elapsed()
    this.#timing.after(TELL_AFTER_MS, () => this.#tell())
  }

  #take(problem: Problem): void {
    const now = this.#timing.elapsed()
    const isTold = this.lasting !== undefined
    if (isTold && (problem.message === this.#problem?.message || now - this.#problemSince < SAME_CAUSE_MS)) return
    this.#problem = problem
    this.#problemSince = now
    if (isTold) this.#told = undefined
  }

  #tell(): void {
    const build = this.#build()
    if (this.lasting === undefined || build === undefined) return
    this.#onLasting(changedResources(this.#told, build))
    this.#told = build
  }
}
