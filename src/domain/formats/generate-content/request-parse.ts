/**
 * Generate-content request -> neutral request. Checks the types of the fields that the gateway must understand and leaves
 * every other field alone. The model and whether to stream are in the path, which the adapter has read.
 * @see https://ai.google.dev/api/generate-content
 */
import type { CompletionRequest, Reasoning, ResponseFormat, Sampling } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import {
  inOwnLetters,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalString,
  withoutUndefined,
  wrongType,
} from '../fields.ts'
import type { RequestHints } from '../format.ts'
import { parseContents } from './content-parse.ts'
import { MAX_CANDIDATES } from './model-traits.ts'
import { jsonSchemaOf } from './schema.ts'
import { nameIn, requireOneSpelling, spellings } from './spelling.ts'
import { parseToolChoice, parseTools } from './tool-parse.ts'

/** Named by formats that require a name for the schema of an answer. */
const SCHEMA_NAME = 'response'

const requireOwnLetters = inOwnLetters(
  ...['contents', 'systemInstruction', 'generationConfig', 'tools', 'toolConfig', 'cachedContent'].flatMap(spellings),
)
const requireOwnLettersInConfig = inOwnLetters(
  ...['maxOutputTokens', 'candidateCount', 'responseMimeType', 'responseSchema', 'thinkingConfig'].flatMap(spellings),
)

/** Reads a request. @throws {InvalidRequestError} naming the field in the client's spelling. */
export function parseRequest(document: JsonObject, hints: RequestHints): CompletionRequest {
  if (hints.countOnly !== true) return parseDocument(document, hints)
  const wrapped = optionalObject(document, nameIn(document, 'generateContentRequest'))
  // What is counted may be a whole request, inside a field.
  return { ...parseDocument(wrapped ?? document, hints), source: { format: 'generate-content', document } }
}

function parseDocument(document: JsonObject, hints: RequestHints): CompletionRequest {
  requireOwnLetters(document)
  requireOneSpelling(document)
  const configName = nameIn(document, 'generationConfig')
  const config: Config = { fields: optionalObject(document, configName) ?? {}, name: configName }
  requireOwnLettersInConfig(config.fields, configName)
  requireOneSpelling(config.fields, configName)
  return {
    source: { format: 'generate-content', document },
    model: hints.model,
    stream: hints.stream ?? false,
    streamUsage: true,
    ...parseContents(document),
    tools: parseTools(document),
    toolChoice: parseToolChoice(document),
    parallelToolCalls: undefined,
    sampling: parseSampling(config),
    responseFormat: parseResponseFormat(config),
    reasoning: parseReasoning(config),
    user: undefined,
  }
}

interface Config {
  readonly fields: JsonObject
  readonly name: string
}

function parseSampling({ fields, name }: Config): Sampling {
  const number = (field: string) => optionalNumber(fields, nameIn(fields, field), name)
  const count = (field: string, max?: number) =>
    optionalInteger(fields, nameIn(fields, field), max === undefined ? { min: 1 } : { min: 1, max }, name)
  return withoutUndefined({
    maxOutputTokens: count('maxOutputTokens'),
    temperature: number('temperature'),
    topP: number('topP'),
    topK: number('topK'),
    stop: parseStop(fields, name),
    seed: number('seed'),
    frequencyPenalty: number('frequencyPenalty'),
    presencePenalty: number('presencePenalty'),
    choices: count('candidateCount', MAX_CANDIDATES),
  })
}

function parseStop(fields: JsonObject, parent: string): string[] | undefined {
  const field = nameIn(fields, 'stopSequences')
  const stop = fields[field]
  if (stop === undefined || stop === null) return undefined
  if (!Array.isArray(stop)) throw wrongType(stop, 'an array of strings', `${parent}.${field}`)
  return stop.map((sequence, index) => {
    if (typeof sequence !== 'string') throw wrongType(sequence, 'a string', `${parent}.${field}[${index}]`)
    return sequence
  })
}

function parseResponseFormat({ fields, name }: Config): ResponseFormat | undefined {
  const mediaType = optionalString(fields, nameIn(fields, 'responseMimeType'), name)
  if (mediaType === 'text/plain') return { type: 'text' }
  if (mediaType !== 'application/json') return undefined // `text/x.enum`: kept in the document
  const older = optionalObject(fields, nameIn(fields, 'responseSchema'), name)
  const schema = optionalObject(fields, nameIn(fields, 'responseJsonSchema'), name) ?? (older && jsonSchemaOf(older))
  return schema === undefined ? { type: 'json' } : { type: 'json-schema', name: SCHEMA_NAME, schema }
}

const EFFORT_OF: Readonly<Record<string, NonNullable<Reasoning['effort']>>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
}

/** A budget of 0 is no thinking at all, -1 leaves it to the model. */
function parseReasoning({ fields, name }: Config): Reasoning | undefined {
  const thinkingName = nameIn(fields, 'thinkingConfig')
  const thinking = optionalObject(fields, thinkingName, name)
  if (thinking === undefined) return undefined
  const path = `${name}.${thinkingName}`
  const level = optionalString(thinking, nameIn(thinking, 'thinkingLevel'), path)
  const budget = optionalInteger(thinking, nameIn(thinking, 'thinkingBudget'), { min: -1 }, path)
  if (budget === 0) return { effort: 'none' }
  const reasoning = withoutUndefined({
    effort: EFFORT_OF[level?.toUpperCase() ?? ''],
    budgetTokens: budget === -1 ? undefined : budget,
  })
  return Object.keys(reasoning).length === 0 ? undefined : reasoning
}
