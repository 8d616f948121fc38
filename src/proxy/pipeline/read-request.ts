/** Stage 3: the body as a neutral request. Everything that can be wrong with it is a 400 that names the place. */
import { GatewayError, InvalidRequestError } from '../../domain/errors.ts'
import type { CompletionRequest } from '../../domain/completion/request.ts'
import type { Format } from '../../domain/formats/format.ts'
import { isJsonObject, type JsonObject } from '../../domain/json.ts'
import type { Incoming } from './exchange.ts'

export interface ReadRequest {
  readonly request: CompletionRequest
  /** The bytes that the document was parsed from: sent on as they are when nothing in it changes. */
  readonly bytes: Uint8Array
}

/** Deeper documents are no chat requests; recursive code (JSON.stringify too) must not meet them. */
const MAX_DEPTH = 128

/** The name itself, or an escaped ASCII letter, which no encoder writes and which could spell it. */
const MAY_NAME_PROTOTYPE = /__proto__|\\u00[4-7]/

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** @throws {GatewayError} 400 `invalid_request_error`, or what `readBody` throws. */
export async function readRequest(incoming: Incoming, format: Format): Promise<ReadRequest> {
  const bytes = await incoming.readBody()
  const document = parseRequestDocument(bytes)
  return { request: format.parseRequest(document, incoming.hints), bytes }
}

/**
 * A client's document. A field that stands twice in one object is refused: the guardrails would read the last, a
 * provider perhaps the first. @throws {InvalidRequestError}
 */
export function parseRequestDocument(bytes: Uint8Array): JsonObject {
  const fields = scanStructure(bytes)
  const document = parseObject(bytes)
  if (countFields(document) !== fields) throw new InvalidRequestError('A field stands twice in the same object.')
  return document
}

/** A JSON object from bytes. @throws {InvalidRequestError} */
export function parseDocument(bytes: Uint8Array): JsonObject {
  scanStructure(bytes)
  return parseObject(bytes)
}

function parseObject(bytes: Uint8Array): JsonObject {
  const value = parseJson(decodeUtf8(bytes))
  if (!isJsonObject(value)) throw new InvalidRequestError('The body must be a JSON object.')
  return value
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw new GatewayError('invalid_request_error', 'The body is not valid UTF-8.', { cause })
  }
}

function parseJson(text: string): unknown {
  if (text.length === 0) throw new InvalidRequestError('The body is empty; a JSON object is expected.')
  try {
    return MAY_NAME_PROTOTYPE.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text)
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('invalid_request_error', 'The body is not valid JSON.', { cause })
  }
}

/** `JSON.parse` makes `__proto__` an own field; copied carelessly later it would become a prototype. */
function refusePrototype(this: unknown, field: string, value: unknown): unknown {
  if (field === '__proto__') throw new InvalidRequestError('The field name `__proto__` is not allowed.')
  return value
}

/**
 * Counts nesting on the bytes, before anything is built, and the fields: colons outside strings.
 * @throws {InvalidRequestError} where the nesting is too deep
 */
function scanStructure(bytes: Uint8Array): number {
  let depth = 0
  let fields = 0
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === 0x22) inString = !inString
    else if (byte === 0x5c && inString) index++
    else if (inString) continue
    else if (byte === 0x3a) fields++
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_DEPTH) throw new InvalidRequestError(`The body is nested deeper than ${MAX_DEPTH} levels.`)
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return fields
}

/** Fields of all objects in a document, whose depth is bounded. */
function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let fields = 0
  if (Array.isArray(value)) for (const item of value) fields += countFields(item)
  else {
    for (const item of Object.values(value)) fields += 1 + countFields(item)
  }
  return fields
}
