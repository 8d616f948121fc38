/** What the demo provider understands of a chat request, whatever format it came in. */
import type { JsonObject, JsonValue } from '../domain/json.ts'

export interface DemoRequest {
  readonly model: string
  readonly stream: boolean
  /** All system text. */
  readonly instructions: string
  /** The last user text. */
  readonly prompt: string
  /** Images, files and the like in the last user message. */
  readonly attachments: number
  /** Set where the conversation ends with tool results: they are what is to be answered. */
  readonly toolResults: readonly string[]
  readonly tools: readonly DemoTool[]
  readonly toolChoice: ToolChoice
  /** Undefined: prose. `schema` undefined: any JSON object. */
  readonly json: { readonly schema: JsonObject | undefined } | undefined
  /** Tokens; undefined: no limit of the client's own. */
  readonly maxTokens: number | undefined
  readonly stop: readonly string[]
  /** How many answers, 1 to MAX_CHOICES. */
  readonly choices: number
  /** Whether the stream is to end with the usage (formats where it is an option). */
  readonly includeUsage: boolean
  /** Everything a model would read, for the input tokens. */
  readonly inputText: string
}

export interface DemoTool {
  readonly name: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'named'; readonly name: string }

export interface DemoAnswer {
  /** The text in the pieces that a stream sends it in; they join to the whole. */
  readonly pieces: readonly string[]
  readonly calls: readonly DemoCall[]
  readonly finish: 'stop' | 'length' | 'tool-calls'
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface DemoCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
}

/** The models on offer. They differ in name only. */
export const DEMO_MODELS: readonly string[] = ['demo-small', 'demo-large']

/** More answers than anyone needs to see in a demo. */
export const MAX_CHOICES = 8

/** A request that the demo provider refuses, or was told to fail; `type` is the OpenAI word for it. */
export class DemoRefusal extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | null

  constructor(status: number, message: string, type = 'invalid_request_error', code: string | null = null) {
    super(message)
    this.name = 'DemoRefusal'
    this.status = status
    this.type = type
    this.code = code
  }
}

/** `value` as a list of objects. @throws {DemoRefusal} where it is something else; absent is an empty list. */
export function objectsOf(value: JsonValue | undefined, field: string): JsonObject[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every(isPlainObject)) return value
  throw new DemoRefusal(400, `'${field}' must be a list of objects`)
}

/** @throws {DemoRefusal} 404 for a model that is not on offer. */
export function knownModel(model: JsonValue | undefined): string {
  if (typeof model === 'string' && DEMO_MODELS.includes(model)) return model
  const shown = typeof model === 'string' ? model.slice(0, 64) : String(model)
  throw new DemoRefusal(
    404,
    `The model '${shown}' does not exist. This demo offers ${DEMO_MODELS.join(', ')}.`,
    'invalid_request_error',
    'model_not_found',
  )
}

/** The limit as a whole number of at least 1. @throws {DemoRefusal} where it is given and is not one. */
export function tokenLimit(value: JsonValue | undefined, field: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value
  throw new DemoRefusal(400, `'${field}' must be a whole number of at least 1`)
}

/** A string or a list of strings as a list; anything else is an empty one. */
export function stringsOf(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function isPlainObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
