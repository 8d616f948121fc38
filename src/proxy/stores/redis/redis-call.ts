/** One call on one opened connection, and how long it is waited for. */
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { RedisUnavailableError } from './redis-errors.ts'
import type { RedisWire } from './redis-wire.ts'

/** A call waits so many times its bound as long as Redis answers others meanwhile. */
const BUSY_ROUNDS = 5

/** One opened wire and what it owes. */
export interface Generation {
  readonly wire: RedisWire
  /** Calls sent and not answered, given up or not. */
  inFlight: number
  /** Calls that have ended, however. */
  replies: number
  stallTimer: NodeJS.Timeout | undefined
}

export interface Call {
  readonly answered: boolean
}

export interface ReplyEvents {
  /** The caller has been told that there is no answer; one may still come. */
  givenUp(call: Call, generation: Generation): void
  /** What the caller is to be told of an error. */
  failed(error: unknown, generation: Generation): unknown
}

export function newGeneration(wire: RedisWire): Generation {
  return { wire, inFlight: 0, replies: 0, stallTimer: undefined }
}

/** Ends a wire and all calls on it. */
export function retire(generation: Generation): void {
  clearTimeout(generation.stallTimer)
  generation.wire.destroy()
}

/** The reply in time or a refusal; a reply that comes later only settles what the connection owes. */
export function awaitReply(
  reply: Promise<unknown>,
  generation: Generation,
  timeoutMs: Milliseconds,
  events: ReplyEvents,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = { answered: false }
    let timer: NodeJS.Timeout | undefined
    const wait = (round: number) => {
      const before = generation.replies
      const late = () => {
        if (call.answered) return
        // Replies come in order: a Redis that answers what was asked before is busy, not frozen.
        if (generation.replies !== before && round < BUSY_ROUNDS) return wait(round + 1)
        events.givenUp(call, generation)
        reject(new RedisUnavailableError(`no answer of Redis within ${timeoutMs * round} ms`, true))
      }
      // What has arrived while this process was busy is read before the check phase: it is not Redis that was late.
      timer = setTimeout(() => setImmediate(late), timeoutMs)
    }
    wait(1)
    const answer = () => {
      call.answered = true
      generation.inFlight--
      generation.replies++
      clearTimeout(timer)
    }
    reply.then(
      (value) => {
        answer()
        return resolve(value)
      },
      (error: unknown) => {
        answer()
        reject(events.failed(error, generation))
      },
    )
  })
}
