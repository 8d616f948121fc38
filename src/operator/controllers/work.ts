/** What the controllers have to do, and who does it: workers of the leader, in three queues. */
import { Backlog } from '../kube/backlog.ts'
import type { Log } from '../kube/log.ts'
import { runWorkers, type Reconcile } from '../kube/run-workers.ts'
import type { Timing } from '../kube/timing.ts'
import { WorkQueue } from '../kube/work-queue.ts'

/** Of each queue: what bounds the work is the API server's latency and the client's rate. */
const WORKERS = 32
const DRAIN_MS = 10_000

export interface WorkOptions {
  readonly timing: Timing
  readonly log: Log
  /** A round of this work has failed; it is tried again. */
  readonly onFailed: (name: string) => void
}

export interface Reconcilers {
  readonly keys: Reconcile
  readonly statuses: Reconcile
  readonly finalizers: Reconcile
}

/** Notes what is to be done. */
export type WorkList = Pick<WorkQueue, 'add'>

export class Work {
  readonly #options: WorkOptions
  readonly #keys: WorkQueue
  readonly #statuses: WorkQueue
  readonly #finalizers: WorkQueue
  readonly #backlog: Backlog
  #workers: Promise<unknown> | undefined

  constructor(options: WorkOptions) {
    const { timing } = options
    this.#options = options
    this.#keys = new WorkQueue({ timing })
    this.#statuses = new WorkQueue({ timing })
    this.#finalizers = new WorkQueue({ timing })
    this.#backlog = new Backlog({ timing, depth: () => this.#keys.depth + this.#statuses.depth })
  }

  /** VirtualKeys that need a round, `namespace/name`. */
  get keys(): WorkList {
    return this.#keys
  }

  /** Resources whose status needs a look, `Kind/namespace/name`. */
  get statuses(): WorkList {
    return this.#statuses
  }

  /** VirtualKeys that lack theirs, `namespace/name`. */
  get finalizers(): WorkList {
    return this.#finalizers
  }

  /** What nobody takes out would hold the names of all that ever was; who begins to lead looks at all that is. */
  whileLeading(list: WorkList): WorkList {
    return { add: (key) => void (this.#workers !== undefined && list.add(key)) }
  }

  /** How many wait, by queue. */
  get depths(): Readonly<Record<string, number>> {
    return { keys: this.#keys.depth, statuses: this.#statuses.depth, finalizers: this.#finalizers.depth }
  }

  /** Begins, as the leader. */
  lead(isLeader: () => boolean, { keys, statuses, finalizers }: Reconcilers): void {
    this.#workers = Promise.all([
      this.#run('virtual key', this.#keys, isLeader, keys),
      this.#run('status', this.#statuses, isLeader, statuses),
      // What a key needs to be in force goes before: of thousands at once, each is in force a third sooner.
      this.#run('finalizer', this.#finalizers, isLeader, async (key) =>
        (await this.#backlog.over()) && isLeader() ? finalizers(key) : undefined,
      ),
    ])
  }

  /** Finishes what is under way and what waits, within ten seconds; what can wait is left to the next leader. */
  async stop(): Promise<void> {
    this.#backlog.stop()
    if (this.#workers === undefined) return
    await Promise.all([this.#keys, this.#statuses, this.#finalizers].map((queue) => queue.drain(DRAIN_MS)))
  }

  #run(name: string, queue: WorkQueue, isLeader: () => boolean, reconcile: Reconcile): Promise<void> {
    const { log, onFailed } = this.#options
    const guarded: Reconcile = async (key) => {
      if (!isLeader()) return undefined
      try {
        return await reconcile(key)
      } catch (error) {
        onFailed(name)
        throw error
      }
    }
    return runWorkers({ queue, reconcile: guarded, concurrency: WORKERS, name, log })
  }
}
