/**
 * The demo's "model": answers from the request itself, so that what the gateway did to the request can be seen. In order:
 *
 * 1. the prompt says "fail with 503": that error;
 * 2. tool results came: says what they were;
 * 3. the prompt names a tool (or the client forces one): calls it with arguments found in the prompt;
 * 4. JSON is asked for: a small document that fulfils the schema;
 * 5. otherwise: "demo-provider <name> here. You said: <prompt>".
 *
 * `max_tokens` and stop sequences cut the text, whose pieces count as one token each.
 */
import { asObject } from '../domain/json.ts'
import type { JsonObject, JsonValue } from '../domain/json.ts'
import { argumentsFromPrompt, sampleOf } from './schema-sample.ts'
import { DemoRefusal } from './demo-request.ts'
import type { DemoAnswer, DemoCall, DemoRequest, DemoTool } from './demo-request.ts'

/** Characters of the prompt that are said back: enough to see masking, small enough to read. */
const MAX_ECHO = 4_000
/** Tools called at once. */
const MAX_CALLS = 4
const FAIL_ORDER = /\bfail with ([45]\d\d)\b/i

/** @throws {DemoRefusal} where the prompt asks for a failure. `newId` gives the calls' ids. */
export function answer(request: DemoRequest, name: string, newId: () => string): DemoAnswer {
  const order = FAIL_ORDER.exec(request.prompt.slice(0, MAX_ECHO))
  if (order !== null && request.toolResults.length === 0) {
    throw new DemoRefusal(
      Number(order[1]),
      `demo-provider ${name} fails, as the prompt asked`,
      'server_error',
      'asked_to_fail',
    )
  }
  const inputTokens = approximateTokens(request.inputText)
  const calls = chooseCalls(request, newId)
  if (calls.length > 0) {
    const outputTokens = calls.reduce(
      (sum, call) => sum + approximateTokens(call.name + JSON.stringify(call.arguments)),
      0,
    )
    return { pieces: [], calls, finish: 'tool-calls', inputTokens, outputTokens }
  }
  return { ...cut(textAnswer(request, name), request), calls: [], inputTokens }
}

/** Tokens of a text that is only counted: the usual rule of four characters each. */
export function approximateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

/** The text in pieces that join to it. Linear in its length. */
function tokensOf(text: string): string[] {
  return text.match(/\s*\S{1,6}|\s+$/g) ?? []
}

function textAnswer(request: DemoRequest, name: string): string {
  const echo = request.prompt.slice(0, MAX_ECHO)
  if (request.toolResults.length > 0) {
    return `demo-provider ${name} here. The tool answered: ${request.toolResults.join(' / ').slice(0, MAX_ECHO)}`
  }
  const json = request.json ?? jsonAskedInWords(request.instructions)
  if (json !== undefined) {
    const document =
      json.schema === undefined ? { echo, provider: `demo-provider ${name}` } : sampleOf(json.schema, echo)
    return JSON.stringify(document)
  }
  const attachments =
    request.attachments > 0 ? ` (and ${request.attachments} attachment${request.attachments > 1 ? 's' : ''})` : ''
  return `demo-provider ${name} here. You said: ${echo}${attachments}`
}

function cut(text: string, request: DemoRequest): Pick<DemoAnswer, 'pieces' | 'finish' | 'outputTokens'> {
  const stops = request.stop.map((stop) => (stop === '' ? -1 : text.indexOf(stop))).filter((index) => index >= 0)
  const pieces = tokensOf(stops.length > 0 ? text.slice(0, Math.min(...stops)) : text)
  const limit = request.maxTokens ?? pieces.length
  const finish = pieces.length > limit ? 'length' : 'stop'
  return { pieces: pieces.slice(0, limit), finish, outputTokens: Math.min(pieces.length, limit) }
}

function chooseCalls(request: DemoRequest, newId: () => string): DemoCall[] {
  const { toolChoice, tools, prompt } = request
  if (toolChoice.type === 'none' || request.toolResults.length > 0) return []
  const chosen = chooseTools(request)
  return chosen.slice(0, MAX_CALLS).map((tool) => ({
    id: newId(),
    name: tool.name,
    arguments: argumentsFromPrompt(tool.parameters, withoutNames(prompt.slice(0, MAX_ECHO), tools)),
  }))
}

function chooseTools({ toolChoice, tools, prompt }: DemoRequest): readonly DemoTool[] {
  if (toolChoice.type === 'named') return tools.filter((tool) => tool.name === toolChoice.name)
  const spoken = normalize(prompt.slice(0, MAX_ECHO))
  const named = tools.filter((tool) => spoken.includes(normalize(tool.name)))
  return named.length === 0 && toolChoice.type === 'required' ? tools.slice(0, 1) : named
}

/** `get_weather`, `get-weather` and "get weather" are one. */
function normalize(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[\s_\-.,:;!?'"`()]+/g, ' ')
    .trim()} `
}

/** A tool's name is no argument. */
function withoutNames(prompt: string, tools: readonly DemoTool[]): string {
  return tools.reduce((text, tool) => (tool.name === '' ? text : text.replaceAll(tool.name, ' ')), prompt)
}

/**
 * A gateway may put "answer with JSON only" and a schema into the system text for providers without a JSON mode: the demo
 * does what a good model would do. The schema is whatever JSON object the text contains.
 */
function jsonAskedInWords(instructions: string): { schema: JsonObject | undefined } | undefined {
  if (!/\bJSON\b/.test(instructions)) return undefined
  const start = instructions.indexOf('{')
  const end = instructions.lastIndexOf('}')
  return { schema: start < 0 || end < start ? undefined : parseSchema(instructions.slice(start, end + 1)) }
}

function parseSchema(text: string): JsonObject | undefined {
  try {
    const document: JsonValue = JSON.parse(text)
    const schema = asObject(document)
    return schema?.['type'] === undefined && schema?.['properties'] === undefined ? undefined : schema
  } catch {
    return undefined
  }
}
