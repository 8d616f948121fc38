/**
 * OpenAI's embeddings request, the one shape that all servers with embeddings speak.
 * @see https://platform.openai.com/docs/api-reference/embeddings/create
 */
import type { TextVisitor } from '../../completion/text-span.ts'
import { InvalidRequestError } from '../../errors.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { inOwnLetters, MAX_USER_CHARACTERS, optionalInteger, optionalString, wrongType } from '../fields.ts'
import { missingField } from '../missing-field.ts'
import { USER } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'

/** The vendor's own bounds. */
const MAX_INPUTS = 2_048
const MAX_DIMENSIONS = 65_536

export interface EmbeddingsRequest {
  /** The client's document; unknown fields survive. */
  readonly document: JsonObject
  readonly model: string | undefined
  /** How many vectors are asked for. */
  readonly inputs: number
  /** The inputs that are texts. */
  readonly texts: readonly string[]
  /** Tokens of the inputs that are token lists. */
  readonly tokens: number
  readonly encoding: VectorEncoding
  /** Mistral's and Voyage's `output_dtype` asks for bytes or bits instead, which base64 holds as they are. */
  readonly wantsFloats: boolean
}

/** How vectors are written: numbers, or the little-endian 32-bit floats in base64 (what the official SDKs ask for). */
export type VectorEncoding = 'float' | 'base64'

const requireOwnLetters = inOwnLetters('model', 'input', 'dimensions', 'encoding_format', 'output_dtype')

/** @throws {InvalidRequestError} that names the field */
export function parseEmbeddingsRequest(document: JsonObject): EmbeddingsRequest {
  requireOwnLetters(document)
  optionalInteger(document, 'dimensions', { min: 1, max: MAX_DIMENSIONS })
  optionalString(document, 'user')
  if ((document.input ?? null) === null) throw missingField(document, 'input', 'a string or an array')
  const inputs = inputsOf(document.input)
  return {
    document,
    model: parseModel(document),
    inputs: inputs.length,
    texts: inputs.filter((input) => typeof input === 'string'),
    tokens: inputs.reduce<number>((sum, input) => sum + (typeof input === 'string' ? 0 : input.length), 0),
    encoding: parseEncoding(document),
    wantsFloats: (document.output_dtype ?? 'float') === 'float',
  }
}

/** The request for a provider that knows the model as `upstreamName`; the document itself where nothing changes. */
export function renderEmbeddingsRequest({ document }: EmbeddingsRequest, upstreamName: string): JsonObject {
  return document.model === upstreamName ? document : { ...document, model: upstreamName }
}

/** Fields of the request that are visited for what they are, or hold no text. */
const DOCUMENT_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'user',
  'dimensions',
  'encoding_format',
  'output_dtype',
])

/**
 * Visits every text that is embedded, then the end user's id and what the vendor does not know (an `instruction` is put before
 * the texts by some servers), and puts back what the visitor returns. Mutates.
 */
export function visitEmbeddingsText(document: JsonObject, visit: TextVisitor): void {
  const walk = new TextWalk(visit)
  walk.values(document, 'input', USER)
  walk.parameters(document, ['user'], MAX_USER_CHARACTERS)
  walk.extras(document, DOCUMENT_FIELDS, USER)
}

function parseModel(document: JsonObject): string | undefined {
  const model = optionalString(document, 'model')
  if (model === '') throw new InvalidRequestError("Invalid value for 'model': it is empty.", 'model')
  return model
}

function parseEncoding(document: JsonObject): VectorEncoding {
  const encoding = optionalString(document, 'encoding_format') ?? 'float'
  if (encoding === 'float' || encoding === 'base64') return encoding
  throw new InvalidRequestError("Invalid value for 'encoding_format': it must be float or base64.", 'encoding_format')
}

/** A text, texts, tokens, or lists of tokens. */
function inputsOf(input: JsonValue | undefined): readonly (string | readonly number[])[] {
  if (typeof input === 'string') return [nonEmpty(input, 'input')]
  if (!Array.isArray(input)) throw wrongType(input, 'a string or an array', 'input')
  if (input.length === 0) throw new InvalidRequestError("Invalid value for 'input': it is empty.", 'input')
  if (input.length > MAX_INPUTS && !isTokens(input)) {
    throw new InvalidRequestError(`Invalid value for 'input': more than ${MAX_INPUTS} inputs.`, 'input')
  }
  if (isTokens(input)) return [input]
  return input.map((item, index) => {
    if (typeof item === 'string') return nonEmpty(item, `input[${index}]`)
    if (Array.isArray(item) && item.length > 0 && isTokens(item)) return item
    throw wrongType(item, 'a string or an array of tokens', `input[${index}]`)
  })
}

function nonEmpty(text: string, path: string): string {
  if (text !== '') return text
  throw new InvalidRequestError(`Invalid value for '${path}': it is empty.`, path)
}

function isTokens(values: readonly JsonValue[]): values is number[] {
  return values.every((value) => Number.isSafeInteger(value) && Number(value) >= 0)
}
