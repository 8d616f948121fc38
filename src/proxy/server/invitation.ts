/**
 * Clients that wait for a word before they send their body (`Expect: 100-continue`; curl does with one of more than a megabyte): they
 * get it once the body is going to be read, so that who is refused for his head, his key for instance, sends none.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody } from './rest-of-body.ts'

/** Uninvited, and whether their connection would go on. */
const waiting = new WeakMap<IncomingMessage, { readonly response: ServerResponse; readonly keepAlive: boolean }>()

/** A connection with an answer but without a word before it ends: what comes next there may be the body, or another request. */
export function letWait(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return
  waiting.set(request, { response, keepAlive: response.shouldKeepAlive })
  response.shouldKeepAlive = false
}

/** The body is read from now on. */
export function invite(request: IncomingMessage): void {
  const guest = waiting.get(request)
  if (guest === undefined) return
  waiting.delete(request)
  guest.response.shouldKeepAlive = guest.keepAlive
  guest.response.writeContinue()
}
