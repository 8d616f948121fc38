/**
 * Names to addresses, one question at a time for each name.
 *
 * The system's resolver holds a thread until it has answered, ten seconds and more where a name server is dead, and Node
 * lends it two. If each new connection asked by itself, a burst of requests to one such provider would keep the names of
 * all others waiting for minutes, those of its backups too. Nothing is remembered: who asks after the answer asks anew.
 */
import { lookup as resolve } from 'node:dns'
import type { LookupAddress, LookupAllOptions } from 'node:dns'

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
