/** Long work of one request, in turns with all others of the process. */
import { GatewayError } from '../../domain/errors.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Steps } from '../../domain/steps.ts'
import type { Cancellation } from './ports.ts'

/** How long a turn is at least: between two, what has come meanwhile is served. */
const TURN_MS = 10

/** Who waits for a turn, first come, first served. */
const waiting: (() => void)[] = []

/**
 * Takes the steps, a turn's worth at a time; the first turn at once, so that little work never waits for much.
 * @param now milliseconds
 * @param client whose going ends the work
 * @returns what the steps end with
 * @throws {GatewayError} `client_closed_request`, and whatever a step throws
 */
export async function takeTurns<Result>(
  steps: Steps<Result>,
  now: () => Milliseconds,
  client: Cancellation,
): Promise<Result> {
  for (;;) {
    const until = now() + TURN_MS
    do {
      const step = steps.next()
      if (step.done === true) return step.value
    } while (now() < until)
    await turnFor(client)
  }
}

/**
 * Resolves when a piece of long work may be done: between two looks of the event loop at what has come there is one such
 * piece, however many large requests wait.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn)
  })
}

/** @throws {GatewayError} where the client has gone meanwhile: those behind it do not wait for what nobody reads */
export async function turnFor(client: Cancellation): Promise<void> {
  await ownTurn()
  refuseGone(client)
}

/** @throws {GatewayError} `client_closed_request` where the client has gone */
export function refuseGone(client: Cancellation): void {
  if (client.aborted) throw new GatewayError('client_closed_request', 'The client closed the request.')
}

function giveTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(giveTurn)
}
