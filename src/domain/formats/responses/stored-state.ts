/**
 * What of a request refers to something that the vendor keeps between requests. The gateway keeps nothing: left out in
 * silence, the model would answer without what was said before.
 */
import { InvalidRequestError } from '../../errors.ts'
import type { JsonObject } from '../../json.ts'

/** Fields of the request, with what to do instead. */
const REFUSED = [
  ['previous_response_id', "send the whole conversation in 'input'"],
  ['conversation', "send the whole conversation in 'input'"],
  ['prompt', "send its text in 'instructions' or 'input'"],
  ['background', 'wait for the answer, or stream it'],
] as const

/** @throws {InvalidRequestError} */
export function refuseStoredState(document: JsonObject): void {
  for (const [field, instead] of REFUSED) {
    const value = document[field]
    if (value === undefined || value === null || value === false) continue
    throw new InvalidRequestError(`'${field}' is not supported, as the gateway keeps no responses: ${instead}.`, field)
  }
}

/** An item in the place of one that the vendor keeps. @param path of the item */
export function keptItem(path: string): InvalidRequestError {
  const message = `'${path}' refers to an item of an earlier response, and the gateway keeps none: send the item itself (with 'store: false' the SDKs do).`
  return new InvalidRequestError(message, path)
}
