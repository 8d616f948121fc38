/**
 * A JSON object from the bytes of a body, a client's or a provider's: its nesting, values and fields are counted on the text,
 * before anything is built. What is wrong with a client's is told with its place.
 */
import { GatewayError, InvalidRequestError } from '../../../domain/errors.ts'
import { grammarFault } from '../../../domain/json-grammar.ts'
import { keepDigits } from '../../../domain/json-parse.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json.ts'
import { endOfString, MAX_JSON_DEPTH } from '../../../domain/json-text.ts'
import { jsonValue, TooManyNamesError } from '../../../domain/json-value.ts'
import { fieldTwice } from './field-twice.ts'

/**
 * Values of a document: objects, arrays and what is in them. Each costs half a microsecond or more in the steps that are
 * not taken in turns; a long conversation whose tool results are JSON has some 100,000, and the largest request of
 * OpenAI's embeddings, whose tokens are values, 300,000.
 * @see https://platform.openai.com/docs/api-reference/embeddings/create
 */
const MAX_VALUES = 500_000

/**
 * Fields of one object. One with more takes the engine some microseconds a field; OpenAI takes 5,000 properties in all
 * schemas of a request.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
const MAX_FIELDS = 150_000

/** Fields of all objects together: each object whose names come in an order of its own costs the engine a shape a field. */
const MAX_ALL_FIELDS = 350_000

/** An escaped ASCII letter, which no encoder writes and which could spell `__proto__`. */
const ESCAPED_LETTER = /\\u00[4-7]/

/** Characters of a text whose fault is looked for: ten milliseconds or so. */
const MAX_LOCATED = 100_000

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * A client's document. A field that stands twice in one object is refused: the guardrails would read the last, a
 * provider perhaps the first. @throws {GatewayError} 400 `invalid_request_error`, 413 `request_too_large`.
 */
export function parseRequestDocument(bytes: Uint8Array): JsonObject {
  const text = decodeUtf8(bytes)
  const { fields, mayHoldLongNumbers } = scanStructure(text, true)
  const document = parseObject(text)
  if (countFields(document) !== fields) throw standsTwice(text)
  if (mayHoldLongNumbers) keepDigits(document, text)
  return document
}

function standsTwice(text: string): InvalidRequestError {
  const path = fieldTwice(text)
  return new InvalidRequestError(`The field '${path}' stands twice in the same object.`, path)
}

/** A JSON object from bytes; a provider's may hold any number of values. @throws {InvalidRequestError} */
export function parseDocument(bytes: Uint8Array): JsonObject {
  const text = decodeUtf8(bytes)
  scanStructure(text, false)
  return parseObject(text)
}

/** The same with the digits of all its numbers, which are written again: vectors, which are counted with, need them not. */
export function parseExactDocument(bytes: Uint8Array): JsonObject {
  const text = decodeUtf8(bytes)
  const { mayHoldLongNumbers } = scanStructure(text, false)
  const document = parseObject(text)
  if (mayHoldLongNumbers) keepDigits(document, text)
  return document
}

/** A byte order mark is passed over. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw new GatewayError('invalid_request_error', 'The body is not valid UTF-8.', { cause })
  }
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text)
  if (!isJsonObject(value)) throw new InvalidRequestError('The body must be a JSON object.')
  if (mayNamePrototype(text)) refusePrototype(value)
  return value
}

function parseJson(text: string): unknown {
  if (text.length === 0) throw new InvalidRequestError('The body is empty; a JSON object is expected.')
  try {
    return jsonValue(text)
  } catch (cause) {
    if (cause instanceof TooManyNamesError) throw tooLarge(cause.message)
    throw new GatewayError('invalid_request_error', `The body is not valid JSON${faultOf(text)}.`, { cause })
  }
}

/** Where it stands; the engine tells that of some faults only, and quotes the text, which may hold personal data. */
function faultOf(text: string): string {
  const fault = text.length > MAX_LOCATED ? undefined : grammarFault(text)
  if (fault === undefined) return ''
  if (fault === text.length) return ': it ends too early'
  const before = text.slice(0, fault).split('\n')
  return `: see line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

/** Fixed texts are searched for first: that is many times faster, and most documents hold no backslash. */
function mayNamePrototype(text: string): boolean {
  return text.includes('__proto__') || (text.includes('\\') && ESCAPED_LETTER.test(text))
}

/**
 * `JSON.parse` makes `__proto__` an own field; copied carelessly later it would become a prototype. A reviver would see
 * it too, at thirty times the cost: seconds for a document of millions of values, which any client can send.
 */
function refusePrototype(value: JsonObject | JsonValue[]): void {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) refusePrototype(item)
    return
  }
  for (const name in value) {
    if (name === '__proto__') throw new InvalidRequestError('The field name `__proto__` is not allowed.')
    const item = value[name]
    if (typeof item === 'object' && item !== null) refusePrototype(item)
  }
}

/** Fields of the open objects, by depth. One for all documents: nothing waits while one is scanned. */
const fieldsAt = new Uint32Array(MAX_JSON_DEPTH + 1)

/** Shorter numbers lose no digits, but for exponents. What is as long may also be white space. @see keepDigits */
const LONG_NUMBER = 16

interface Structure {
  readonly fields: number
  /** Whether one of its numbers could lose digits: false for nearly all documents, at no search of their strings. */
  readonly mayHoldLongNumbers: boolean
}

/**
 * Counts nesting and values on the text, before anything is built, and the fields: colons outside strings.
 * @param isRequest a provider's answer may hold any number of values
 * @throws {GatewayError} where the nesting is too deep or there are too many values
 */
function scanStructure(text: string, isRequest: boolean): Structure {
  let mayHoldLongNumbers = false
  let start = 0 // of what is neither string nor structure
  let depth = 0
  let fields = 0
  let values = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index)
        start = index
        break
      case 0x45: // E
      case 0x65: // e
        if (endsInDigit(text, index)) mayHoldLongNumbers = true
        break
      case 0x3a: // :
        start = index
        fields++
        fieldsAt[depth] = (fieldsAt[depth] ?? 0) + 1
        if (isRequest && (fieldsAt[depth] ?? 0) > MAX_FIELDS)
          throw tooLarge(`an object of more than ${MAX_FIELDS} fields`)
        break
      case 0x2c: // ,
        if (index - start > LONG_NUMBER) mayHoldLongNumbers = true
        start = index
        if (++values > MAX_VALUES && isRequest) throw tooLarge(`more than ${MAX_VALUES} JSON values`)
        break
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > MAX_JSON_DEPTH)
          throw new InvalidRequestError(`The body is nested deeper than ${MAX_JSON_DEPTH} levels.`)
        fieldsAt[depth] = 0
        start = index
        if (++values > MAX_VALUES && isRequest) throw tooLarge(`more than ${MAX_VALUES} JSON values`)
        break
      case 0x7d: // }
      case 0x5d: // ]
        if (index - start > LONG_NUMBER) mayHoldLongNumbers = true
        start = index
        depth--
    }
  }
  if (isRequest && fields > MAX_ALL_FIELDS) throw tooLarge(`more than ${MAX_ALL_FIELDS} fields`)
  return { fields, mayHoldLongNumbers }
}

/** Of letters outside strings, that of an exponent only follows a digit. */
function endsInDigit(text: string, end: number): boolean {
  const code = text.charCodeAt(end - 1)
  return code >= 0x30 && code <= 0x39
}

function tooLarge(held: string): GatewayError {
  return new GatewayError('request_too_large', `The body holds ${held}.`)
}

/** Fields of all objects in a document, whose depth is bounded. */
function countFields(value: JsonObject | JsonValue[]): number {
  let fields = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) fields += countFields(item)
    return fields
  }
  for (const name in value) {
    fields++
    const item = value[name]
    if (typeof item === 'object' && item !== null) fields += countFields(item)
  }
  return fields
}
