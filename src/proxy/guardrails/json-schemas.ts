/** Schemas of clients on ajv. Compiled checks are kept, since applications send the same few again and again. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { GatewayError, InvalidRequestError } from '../../domain/errors.ts'
import type { JsonValue } from '../../domain/json.ts'
import { jsonValue } from '../../domain/json-value.ts'
import type { JsonCheck, JsonSchemas } from '../../domain/guardrails/json-shape.ts'
import { runBounded } from './bounded-run.ts'

const MAX_SCHEMAS = 64

/** Larger ones take longer to compile than an answer takes to come: some 0.3 ms an object, and nothing else runs meanwhile. */
const MAX_SCHEMA_CHARACTERS = 128 * 1024
const MAX_SCHEMA_OBJECTS = 2_000

/** Nothing else runs meanwhile. Above what is needed within these bounds: a check takes less than a millisecond. */
const MAX_COMPILE_MS = 1_000
const MAX_CHECK_MS = 500

/** How long a schema that was not compiled in time is refused without another try: the machine may have been busy. */
const TRY_AGAIN_MS = 60_000

/** Told to the model; more would not help it. */
const MAX_PROBLEMS = 5
/** Characters of a path, and of what is wrong there: a pattern is a part of it. */
const MAX_WORDS = 1_000

const TOO_SLOW = { type: 'invalid-schema', reason: endless('compile') } as const

/** `pattern` runs on RE2, so that no schema can make a match slow; what RE2 does not know is an invalid schema. */
const linearPattern = Object.assign((pattern: string) => re2(pattern), { code: 'linearPattern' })

export function createJsonSchemas(): JsonSchemas {
  const known = new LRUCache<string, ReturnType<JsonSchemas['compile']>>({ max: MAX_SCHEMAS })
  return {
    compile(schema) {
      const text = JSON.stringify(schema)
      if (text.length > MAX_SCHEMA_CHARACTERS) {
        return { type: 'invalid-schema', reason: `it is longer than ${MAX_SCHEMA_CHARACTERS} characters` }
      }
      const found = known.get(text)
      if (found !== undefined) return found
      const compiled = compile(jsonValue(text)) // its numbers are counted with: none may be kept as a text
      known.set(text, compiled ?? TOO_SLOW, compiled === undefined ? { ttl: TRY_AGAIN_MS } : {})
      return compiled ?? TOO_SLOW
    },
  }
}

/** Undefined where it takes too long. */
function compile(schema: JsonValue): ReturnType<JsonSchemas['compile']> | undefined {
  if (countObjects(schema) > MAX_SCHEMA_OBJECTS) {
    return { type: 'invalid-schema', reason: `it holds more than ${MAX_SCHEMA_OBJECTS} objects` }
  }
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    return { type: 'invalid-schema', reason: 'it is neither an object nor a boolean' }
  }
  try {
    return runBounded(MAX_COMPILE_MS, () => checkOf(schema))?.result
  } catch (error) {
    if (error instanceof GatewayError) throw error
    return {
      type: 'invalid-schema',
      reason: error instanceof Error ? error.message.slice(0, 300) : 'it cannot be read',
    }
  }
}

/** Objects of a document, whose depth is bounded. */
function countObjects(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0
  let objects = Array.isArray(value) ? 0 : 1
  for (const item of Object.values(value)) objects += countObjects(item)
  return objects
}

function endless(what: string): string {
  return `it takes too long to ${what}, or refers to itself without end`
}

function checkOf(schema: object | boolean): JsonCheck {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    validateFormats: true,
    code: { regExp: linearPattern },
    // It would warn of unknown formats in the client's own words.
    logger: false,
  })
  formats.default(ajv, { mode: 'fast' })
  const validate = ajv.compile(typeof schema === 'boolean' ? schema : plainSchema(schema))
  return {
    problemsOf(value) {
      const checked = runBounded(MAX_CHECK_MS, () => validate(value))
      if (checked === undefined) throw unusable(endless('check'))
      if (checked.result) return []
      return (validate.errors ?? [])
        .slice(0, MAX_PROBLEMS)
        .map(
          ({ instancePath, message }) =>
            `${shortOr('a value', instancePath || 'the value')} ${shortOr('is wrong', message)}`,
        )
    },
  }
}

/** Nothing is cut: half of a value that is to be hidden would not be found again. */
function shortOr(instead: string, words = instead): string {
  return words.length > MAX_WORDS ? instead : words
}

function unusable(reason: string): InvalidRequestError {
  return new InvalidRequestError(`The schema of the answer cannot be used: ${reason}`, 'response_format')
}

/**
 * A `$schema` of another draft would be refused as unknown; its words mean the same here for what models are given.
 * `$async` is ajv's own word: the check would become a promise, which is true whatever it holds and rejects unheard.
 */
function plainSchema(schema: object): object {
  const {
    $schema: _dialect,
    $async: _async,
    ...rest
  } = schema as {
    readonly $schema?: unknown
    readonly $async?: unknown
  }
  return rest
}

function re2(pattern: string) {
  const compiled = RE2JS.compile(pattern)
  // ajv keeps compiled patterns by their text: two without one would be taken for the same.
  return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
}
