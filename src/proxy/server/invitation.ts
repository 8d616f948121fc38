/**
 * Clients that wait for a word before they send their body (`Expect: 100-continue`; curl does with one of more than a megabyte): they
 * get it once the body is going to be read, so that who is refused for his head, his key for instance, sends none. The connection of an
 * answer without that word ends behind it, as Node sees to: what comes next there may be the body, or another request.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

const uninvited = new WeakMap<IncomingMessage, ServerResponse>()

export function letWait(request: IncomingMessage, response: ServerResponse): void {
  uninvited.set(request, response)
}

export function isWaiting(request: IncomingMessage): boolean {
  return uninvited.has(request)
}

/** The body is read from now on. */
export function invite(request: IncomingMessage): void {
  uninvited.get(request)?.writeContinue()
  uninvited.delete(request)
}
