/** Stage: the body as a neutral request. Everything that can be wrong with it is a 400 that names the place. */
import type { CompletionRequest } from '../../domain/completion/request.ts'
import type { ClientFormat, RequestHints } from '../../domain/formats/format.ts'
import { withoutMark } from './reading/byte-order-mark.ts'
import { parseRequestDocument } from './reading/parse-document.ts'
import { ownTurn } from './take-turns.ts'

export interface ReadRequest {
  readonly request: CompletionRequest
  /** The bytes that the document was parsed from: sent on as they are when nothing in it changes. */
  readonly bytes: Uint8Array
}

/** A larger request is worked on in turns with others. */
export const SMALL_REQUEST_BYTES = 64 * 1024

/** @param hints what the path says. @throws {GatewayError} 400 `invalid_request_error`, 413 `request_too_large`. */
export async function readRequest(bytes: Uint8Array, format: ClientFormat, hints: RequestHints): Promise<ReadRequest> {
  const document = parseRequestDocument(bytes)
  if (bytes.length > SMALL_REQUEST_BYTES) await ownTurn()
  return { request: format.parseRequest(document, hints), bytes: withoutMark(bytes) }
}
