/** OpenAI's embeddings answer: checked, its usage read, its vectors in the encoding that was asked for. */
import type { Usage } from '../../completion/result.ts'
import { UpstreamFormatError } from '../../errors.ts'
import { asArray, asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { countOf } from '../usage-counts.ts'
import type { VectorEncoding } from './request.ts'

export interface EmbeddingsResult {
  /** The provider's document; another one where vectors had to be written anew. */
  readonly document: JsonObject
  /** Undefined where the provider counts nothing. */
  readonly usage: Usage | undefined
}

/**
 * Reads an answer to a request for `inputs` vectors. Without `wantsFloats` they stay as they are.
 * @throws {UpstreamFormatError} where it is none, has another number of vectors, or such as nobody can count with: not all
 * of one length, not whole floats, not finite, or beyond a float where one had to be written.
 */
export function parseEmbeddingsResult(
  document: JsonObject,
  inputs: number,
  encoding: VectorEncoding,
  wantsFloats = true,
): EmbeddingsResult {
  const items = asArray(document.data)
  if (items.length !== inputs || !areVectors(items, wantsFloats)) throw noVectors()
  return { document: wantsFloats ? conformed(document, items, encoding) : document, usage: parseUsage(document.usage) }
}

/** One vector of an answer, by its place; undefined where it is none. */
export function vectorAt(document: JsonObject, index: number): Float32Array | undefined {
  const embedding = asObject(asArray(document.data)[index])?.embedding
  if (typeof embedding === 'string') return fromBase64(embedding)
  if (lengthOf(embedding) === 0) return undefined
  return Float32Array.from(asArray(embedding), Number)
}

function noVectors(): UpstreamFormatError {
  return new UpstreamFormatError('The provider sent an answer without the vectors that were asked for.')
}

/** Kept, others would be given for hours: vectors that nobody can compare. */
function areVectors(items: readonly JsonValue[], wantsFloats: boolean): boolean {
  const lengthIn = (item: JsonValue | undefined) => (isJsonObject(item) ? lengthOf(item.embedding, wantsFloats) : 0)
  const length = lengthIn(items[0])
  return length > 0 && items.every((item) => lengthIn(item) === length)
}

/** How many numbers it has, or where base64 holds no floats, signs; 0 where it is no vector. */
function lengthOf(value: JsonValue | undefined, wantsFloats = true): number {
  if (typeof value === 'string' && !wantsFloats) return value.length
  if (typeof value === 'string') return hasFiniteFloats(value) ? floatsOf(value) : 0
  return Array.isArray(value) && value.every(isFiniteNumber) ? value.length : 0
}

/** `1e400` is read as infinity. */
function isFiniteNumber(value: JsonValue): boolean {
  return Number.isFinite(value)
}

/** How many floats base64 of this length has; 0 where they are not whole. */
function floatsOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  const floats = ((base64.length / 4) * 3 - padding) / BYTES_PER_FLOAT
  return base64.length % 4 === 0 && Number.isInteger(floats) ? floats : 0
}

/** NaN and the infinities have every bit of the exponent set. Nothing else is looked at: there may be 34 MiB of it. */
function hasFiniteFloats(base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64')
  for (let last = BYTES_PER_FLOAT - 1; last < bytes.length; last += BYTES_PER_FLOAT) {
    if (((bytes[last] ?? 0) & 0x7f) === 0x7f && (bytes[last - 1] ?? 0) >= 0x80) return false
  }
  return true
}

/** Several servers ignore `encoding_format`; the official SDKs then read nonsense. */
function conformed(document: JsonObject, items: readonly JsonValue[], encoding: VectorEncoding): JsonObject {
  const wanted = encoding === 'base64' ? 'string' : 'object'
  if (items.every((item) => typeof asObject(item)?.embedding === wanted)) return document
  const data = items.map((item) => {
    const entry = asObject(item) ?? {}
    return { ...entry, embedding: reencoded(entry.embedding, encoding) }
  })
  return { ...document, data }
}

/** @throws {UpstreamFormatError} */
function reencoded(value: JsonValue | undefined, encoding: VectorEncoding): JsonValue {
  if (encoding === 'base64') return typeof value === 'string' ? value : base64Of(asArray(value))
  return typeof value === 'string' ? numbersOf(value) : asArray(value)
}

/** A double beyond a float would be written as infinity. */
function base64Of(numbers: readonly JsonValue[]): string {
  const vector = Float32Array.from(numbers, Number)
  if (!vector.every(Number.isFinite)) throw noVectors()
  return toBase64(vector)
}

function numbersOf(base64: string): JsonValue {
  const vector = fromBase64(base64)
  if (vector === undefined) throw noVectors()
  return [...vector]
}

const BYTES_PER_FLOAT = 4
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const NO_BYTES = Buffer.alloc(0)

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * BYTES_PER_FLOAT)
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * BYTES_PER_FLOAT))
  return bytes.toString('base64')
}

function fromBase64(text: string): Float32Array | undefined {
  // What is none of it is passed over.
  const bytes = BASE64.test(text) ? Buffer.from(text, 'base64') : NO_BYTES
  if (bytes.length === 0 || bytes.length % BYTES_PER_FLOAT !== 0) return undefined
  const vector = new Float32Array(bytes.length / BYTES_PER_FLOAT)
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(index * BYTES_PER_FLOAT)
  return vector
}

/** Undefined where nothing is counted: several servers always say 0, and no text has no tokens. */
function parseUsage(value: JsonValue | undefined): Usage | undefined {
  const usage = asObject(value)
  const input = countOf(usage?.prompt_tokens) || countOf(usage?.total_tokens)
  if (usage === undefined || input === 0) return undefined
  return { input, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, raw: usage }
}
