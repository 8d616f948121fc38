/** Forced JSON: what is asked of the model in words, and the JSON in what it said. */
import type { ResponseFormat } from '../completion/request.ts'
import type { JsonValue } from '../json.ts'
import { jsonValue } from '../json-value.ts'

/** Checks values against one schema. Made by a library behind `JsonSchemas`. */
export interface JsonCheck {
  /** What is wrong, for the model that is to repair it; empty: nothing. At most a few lines. */
  problemsOf(value: JsonValue): string[]
}

/** Port: compiles schemas that clients send. Linear in pattern matching, no remote references. */
export interface JsonSchemas {
  /** Undefined where the schema is none; `reason` says why. */
  compile(schema: JsonValue): JsonCheck | { readonly type: 'invalid-schema'; readonly reason: string }
}

export type JsonReading =
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'invalid'; readonly problems: readonly string[] }

/** What the schema's absence means: any object. */
export const ANY_OBJECT: JsonValue = { type: 'object' }

const FENCED = /^```(?:json|JSON)?[ \t]*\r?\n([\s\S]*?)\r?\n?```$/

/** Longest schema that is repeated to the model in words, characters. */
const MAX_SHOWN_SCHEMA = 16_384

/** Tokens that `jsonInstruction` has at most beside the schema. */
export const JSON_INSTRUCTION_TOKENS = 150

/** For models without a JSON mode of their own, and as a reminder for those that have one. */
export function jsonInstruction(format: ResponseFormat | undefined): string {
  const order = 'Answer with one JSON value and nothing else: no prose before or after it, no code fence.'
  if (format?.type !== 'json-schema') return `${order} The value is an object.`
  const schema = JSON.stringify(format.schema)
  return schema.length > MAX_SHOWN_SCHEMA ? order : `${order} It must be valid against this JSON schema: ${schema}`
}

/** What a model is told whose answer was not what was asked. */
export function repairInstruction(problems: readonly string[]): string {
  return `That answer was not valid: ${problems.join('; ')}. Answer again with the corrected JSON value only.`
}

/**
 * Reads an answer: the text itself, or what stands inside one code fence around all of it. Prose is never searched for
 * JSON: what was meant could only be guessed.
 */
export function readJson(answer: string, check: JsonCheck): JsonReading {
  const trimmed = answer.trim()
  const text = FENCED.exec(trimmed)?.[1]?.trim() ?? trimmed
  let value: JsonValue
  try {
    value = jsonValue(text)
  } catch {
    return { type: 'invalid', problems: ['it is not JSON'] }
  }
  const problems = check.problemsOf(value)
  return problems.length === 0 ? { type: 'json', text } : { type: 'invalid', problems }
}
