/**
 * Names to addresses, one question at a time for each name.
 *
 * The system's resolver holds a thread until it has answered, ten seconds and more where a name server is dead, and Node
 * lends it half of its own (main.ts). If each new connection asked by itself, a burst of requests to one such provider would keep the names of
 * all others waiting for minutes, those of its backups too. Nothing is remembered: who asks after the answer asks anew.
 */
import { lookup as resolve } from 'node:dns'
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'

export type AddressesOf = (name: string, options: LookupAllOptions, callback: Answered) => void
type Answered = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** As `dns.lookup`; whoever asks the same while a question is on its way gets its answer. */
export const lookUpAll: AddressesOf = askedOnce(resolve)

export function askedOnce(ask: AddressesOf): AddressesOf {
  const underWay = new Map<string, Answered[]>()
  return (name, options, callback) => {
    const question = JSON.stringify([name, options])
    const waiting = underWay.get(question)
    if (waiting !== undefined) return void waiting.push(callback)
    const callbacks = [callback]
    underWay.set(question, callbacks)
    ask(name, options, (error, addresses) => {
      underWay.delete(question)
      for (const answered of callbacks) answered(error, addresses)
    })
  }
}

/** Node takes no less, and nobody waits longer for one that others may stand in for. */
const [LEAST_MS, MOST_MS] = [10, 10_000]

/**
 * How long one of several addresses of a name is tried before it is given up for the next, within a connect clock of
 * `connectMs`; the last one has what is left. Node's own quarter of a second is less than a round trip to another continent
 * through a VPN: each address would be given up just before it answers, and where the last one is dead nobody gets through.
 */
export function oneAddressMs(connectMs: Milliseconds): Milliseconds {
  return Math.min(Math.max(LEAST_MS, Math.ceil(connectMs / 10)), MOST_MS)
}
