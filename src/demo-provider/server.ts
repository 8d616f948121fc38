/**
 * demo-provider: a small local server that speaks the vendors' chat formats and answers from the request, so that
 * masking, failover and quotas can be seen without a vendor's key. A demo: no model, no memory, any key is accepted.
 *
 *     POST /v1/chat/completions, GET /v1/models                                 OpenAI
 *     POST /v1/messages, /v1/messages/count_tokens, GET /v1/models              Anthropic (by its anthropic-version header)
 *     POST /v1beta/models/{model}:generateContent, :streamGenerateContent, :countTokens, GET /v1beta/models       Gemini
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject } from '../domain/json.ts'
import type { JsonObject } from '../domain/json.ts'
import { answer, approximateTokens } from './answer.ts'
import { chatCompletions } from './chat-completions.ts'
import type { DemoFormat, PathHints } from './demo-format.ts'
import { DemoRefusal } from './demo-request.ts'
import type { DemoRequest } from './demo-request.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import { anthropicModels, geminiModels, openaiModels } from './models.ts'

/** Largest request body, bytes: above the gateway's own default of 10 MiB. */
const MAX_BODY_BYTES = 16 * 1024 * 1024
/** More than a laptop's demo needs; beyond it connections are refused. */
const MAX_CONNECTIONS = 2_000
/** Between two pieces of a stream: slow enough to be seen. */
const DEFAULT_PIECE_DELAY_MS = 15
/** A long answer is not sent slower for being long: beyond this many pieces, several go at once. */
const MAX_DELAYS = 200

export interface DemoProviderOptions {
  /** 0 takes any free port. */
  readonly port: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Says who answers, e.g. `demo-a`. */
  readonly name: string
  /** Every n-th call for an answer fails with a 500. Absent: none. */
  readonly failEvery?: number
  /** Pause before each piece of a stream. Default 15. */
  readonly pieceDelayMs?: number
}

export interface DemoProvider {
  /** `http://127.0.0.1:PORT`; OpenAI clients add `/v1`. */
  readonly url: string
  /** Stops accepting and ends every connection. */
  close(): Promise<void>
}

/** @throws where the port is taken or not allowed, the operating system's error. */
export async function startDemoProvider(options: DemoProviderOptions): Promise<DemoProvider> {
  const host = options.host ?? '127.0.0.1'
  const calls = { count: 0 }
  const server = createServer({ requestTimeout: 60_000 }, (request, response) => {
    serve(request, response, options, calls).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Route {
  readonly format: DemoFormat
  readonly operation: 'answer' | 'count' | 'models'
  readonly path: PathHints
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  options: DemoProviderOptions,
  calls: { count: number },
): Promise<void> {
  const route = routeOf(message)
  const format = route?.format ?? chatCompletions
  try {
    if (route === undefined)
      throw new DemoRefusal(404, `demo-provider has no ${message.method} ${message.url?.slice(0, 128)}`)
    if (route.operation === 'models') return sendJson(response, 200, modelsFor(format))
    const request = format.read(await readDocument(message), route.path)
    if (route.operation === 'count') return sendJson(response, 200, countFor(format, request))
    failInTurn(options, calls)
    await sendAnswer(response, format, request, options)
  } catch (error) {
    const refusal = error instanceof DemoRefusal ? error : new DemoRefusal(500, 'demo-provider failed', 'server_error')
    sendJson(response, refusal.status, format.error(refusal))
  }
}

/** @throws {DemoRefusal} 500 on every n-th call. */
function failInTurn({ failEvery, name }: DemoProviderOptions, calls: { count: number }): void {
  calls.count += 1
  if (failEvery === undefined || calls.count % failEvery !== 0) return
  throw new DemoRefusal(
    500,
    `demo-provider ${name} fails every ${failEvery}th call; this was call ${calls.count}`,
    'server_error',
    'demo_failure',
  )
}

async function sendAnswer(
  response: ServerResponse,
  format: DemoFormat,
  request: DemoRequest,
  options: DemoProviderOptions,
): Promise<void> {
  const answers = Array.from({ length: request.choices }, () =>
    answer(request, options.name, () => `call_${randomUUID()}`),
  )
  const context = { request, id: randomUUID(), createdSeconds: Math.floor(Date.now() / 1_000) }
  if (!request.stream) return sendJson(response, 200, format.render(answers, context))
  const events = format.events(answers, context)
  const batch = Math.max(1, Math.ceil(events.length / MAX_DELAYS))
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (let at = 0; at < events.length && !response.destroyed; at += batch) {
    await sleep(options.pieceDelayMs ?? DEFAULT_PIECE_DELAY_MS)
    response.write(events.slice(at, at + batch).join(''))
  }
  response.end()
}

function sendJson(response: ServerResponse, status: number, document: JsonObject): void {
  if (response.headersSent || response.destroyed) return
  // A body that was not read to its end must not be taken for the next request.
  if (status === 413) response.setHeader('connection', 'close')
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(document))
}

const GEMINI_PATH = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/

function routeOf(message: IncomingMessage): Route | undefined {
  const path = message.url?.split('?', 1)[0] ?? ''
  const none = { model: undefined, stream: false }
  const isAnthropic = message.headers['anthropic-version'] !== undefined
  if (message.method === 'GET') {
    if (path === '/v1beta/models') return { format: generateContent, operation: 'models', path: none }
    return path === '/v1/models'
      ? { format: isAnthropic ? messages : chatCompletions, operation: 'models', path: none }
      : undefined
  }
  if (message.method !== 'POST') return undefined
  if (path === '/v1/chat/completions') return { format: chatCompletions, operation: 'answer', path: none }
  if (path === '/v1/messages') return { format: messages, operation: 'answer', path: none }
  if (path === '/v1/messages/count_tokens') return { format: messages, operation: 'count', path: none }
  const [, model, verb] = GEMINI_PATH.exec(path) ?? []
  if (verb === undefined) return undefined
  const operation = verb === 'countTokens' ? 'count' : 'answer'
  return { format: generateContent, operation, path: { model, stream: verb === 'streamGenerateContent' } }
}

function modelsFor(format: DemoFormat): JsonObject {
  if (format === messages) return anthropicModels()
  return format === generateContent ? geminiModels() : openaiModels()
}

function countFor(format: DemoFormat, request: DemoRequest): JsonObject {
  const tokens = approximateTokens(request.inputText)
  return format === messages ? { input_tokens: tokens } : { totalTokens: tokens }
}

async function readDocument(message: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) throw new DemoRefusal(413, `the body is larger than ${MAX_BODY_BYTES} bytes`)
    chunks.push(part)
  }
  const document = parseJson(Buffer.concat(chunks).toString('utf8'))
  if (!isJsonObject(document)) throw new DemoRefusal(400, 'the body must be a JSON object')
  return document
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
