/** Which headers may be sent to a provider beside those that the gateway sets, of manifests and of clients alike; and what may be a key in one. */

/** They speak about one connection, not about the message. @see RFC 9110 section 7.6.1 */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Set by the transport alone: framing, routing, encoding. */
const RESERVED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'expect',
  '__proto__',
])

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const CREDENTIAL = /^[\x20-\x7e]+$/

/** Why a header is not sent: it is the gateway's own, or no header can be called so or hold that. Undefined: it may be. */
export function headerFault(lowerName: string, value: string): 'reserved' | 'name' | 'value' | undefined {
  if (RESERVED.has(lowerName)) return 'reserved'
  if (!HEADER_NAME.test(lowerName)) return 'name'
  return HEADER_VALUE.test(value) ? undefined : 'value'
}

/** Whether a header can carry the text, without blanks around it, as a provider's key: every family sends its key in one. */
export function fitsHeader(credential: string): boolean {
  return CREDENTIAL.test(credential)
}
