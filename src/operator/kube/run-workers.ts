import { KubeError } from './kube-error.ts'
import { errorFields } from './log.ts'
import type { Log } from './log.ts'
import type { Milliseconds } from './timing.ts'
import type { WorkQueue } from './work-queue.ts'

/** Brings what `key` names to where it should be. A number: call again in so many milliseconds, whatever happens before. */
export type Reconcile = (key: string) => Promise<Milliseconds | undefined>

export interface WorkerOptions {
  readonly queue: WorkQueue
  readonly reconcile: Reconcile
  /** How many keys at once. */
  readonly concurrency: number
  /** Names the work in the log. */
  readonly name: string
  readonly log: Log
}

/** Works until the queue is drained. What fails is retried with the queue's back-off; nothing is thrown. */
export async function runWorkers(options: WorkerOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.concurrency }, () => runWorker(options)))
}

async function runWorker(options: WorkerOptions): Promise<void> {
  const { queue } = options
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    await work(key, options)
    queue.done(key)
  }
}

async function work(key: string, { queue, reconcile, name, log }: WorkerOptions): Promise<void> {
  try {
    const againMs = await reconcile(key)
    queue.forget(key)
    if (againMs !== undefined) queue.addAfter(key, againMs)
  } catch (error) {
    const fields = { work: name, object: key, failures: queue.failuresOf(key) + 1, ...errorFields(error) }
    // A conflict only means that the cache was behind: the next round sees the other's write.
    if (error instanceof KubeError && error.isConflict) log.debug(fields, 'reconcile met a conflict')
    else log.warn(fields, 'reconcile failed')
    queue.addRateLimited(key, error instanceof KubeError ? error.retryAfterMs : undefined)
  }
}
