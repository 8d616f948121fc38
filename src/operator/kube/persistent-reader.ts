/** Reads for which nobody comes back. */
import type { KubeClient } from './kube-api.ts'
import { KubeError } from './kube-error.ts'
import { pause, type Milliseconds, type Timing } from './timing.ts'

/** Calls of which each may find the API server busy. */
const TRIES = 3
const TRY_AGAIN_MS: Milliseconds = 1_000
/** Of all reads together. One that gets no answer takes half a minute, and what comes after the reads has a deadline, too. */
const TRYING_MS: Milliseconds = 20_000

export type Reader = Pick<KubeClient, 'get'>

/** What may be a moment's trouble is asked again, in the first 20 s. */
export function persistentReader({ client, timing }: { readonly client: Reader; readonly timing: Timing }): Reader {
  const until = timing.elapsed() + TRYING_MS
  return {
    async get(...what) {
      for (let left = TRIES - 1; ; left--) {
        try {
          return await client.get(...what)
        } catch (error) {
          if (left === 0 || isAnswer(error) || timing.elapsed() >= until) throw error
          await pause(timing, TRY_AGAIN_MS)
        }
      }
    },
  }
}

/** Whether it will be the same the next time: not there, or not allowed. */
export function isAnswer(error: unknown): boolean {
  return !(error instanceof KubeError) || error.status === 404 || error.status === 403
}
