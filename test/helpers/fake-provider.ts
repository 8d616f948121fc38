/**
 * A provider that does what a test tells it to: a real HTTP server on 127.0.0.1, port 0.
 *
 *     const provider = await startFakeProvider()
 *     t.teardown(() => provider.close())
 *     provider.enqueue(status(500), ok(chatCompletion('hello')))      // first call, second call
 *     provider.otherwise(ok(chatCompletion('again')), { model: 'm' }) // every later call for that model
 *
 * A request takes the first queued behaviour whose `match` fits, else the last `otherwise` that fits; one that nobody
 * planned for is answered with 599 and shows in `unplanned`. Behaviours are in behaviours.ts.
 */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { isJsonObject } from '../../src/domain/json.ts'
import type { JsonObject } from '../../src/domain/json.ts'

export interface FakeProvider {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string
  readonly port: number
  /** In order of arrival; a request is listed once its body has been read. */
  readonly requests: readonly RecordedRequest[]
  /** Requests that no behaviour was planned for. */
  readonly unplanned: readonly RecordedRequest[]
  /** Connections open right now. */
  openConnections(): number
  /** Each behaviour answers one request. */
  enqueue(...behaviours: Behaviour[]): void
  /** Like `enqueue`, for requests that fit only. */
  enqueueFor(match: RequestMatch, ...behaviours: Behaviour[]): void
  /** Answers every request that no queued behaviour takes; a later one wins over an earlier one. */
  otherwise(behaviour: Behaviour, match?: RequestMatch): void
  /** Resolves with the first `count` requests once that many have come; rejects after `timeoutMs`. */
  received(count: number, timeoutMs?: number): Promise<readonly RecordedRequest[]>
  /** Kills every socket and ends every running behaviour. Safe to call twice. */
  close(): Promise<void>
}

/** What to do with one request. `stop` fires when the client has gone or the provider is closed. */
export type Behaviour = (exchange: Exchange) => Promise<void> | void

export interface Exchange {
  readonly request: RecordedRequest
  readonly response: ServerResponse
  readonly socket: Socket
  readonly stop: AbortSignal
}

/** Absent fields fit everything. `path` is compared without the query. */
export interface RequestMatch {
  readonly path?: string | RegExp
  readonly model?: string
}

export interface RecordedRequest {
  readonly method: string
  /** With the query. */
  readonly url: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: string
  /** The body as a JSON object; undefined where it is not one. */
  readonly json: JsonObject | undefined
  /** The body's `model`, or the one in a Gemini path. */
  readonly model: string | undefined
  /** How the exchange ended: the answer went out whole, or the connection closed before. */
  readonly ended: Promise<'answered' | 'closed-early'>
  /** Bytes of body handed to the socket so far; grows while a stream runs. */
  bodyBytesSent: number
}

export async function startFakeProvider(): Promise<FakeProvider> {
  const plan = createPlan()
  const requests: RecordedRequest[] = []
  const unplanned: RecordedRequest[] = []
  const arrivals = new Set<() => void>()
  const sockets = new Set<Socket>()
  const closing = new AbortController()

  const server = createServer({ keepAliveTimeout: 30_000 }, (message, response) => {
    serve(message, response).catch(() => message.socket.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { signal, ended } = watchExchange(response, closing.signal)
    const request = await recordRequest(message, ended)
    requests.push(request)
    for (const arrived of arrivals) arrived()
    const behaviour = plan.take(request)
    if (behaviour === undefined) unplanned.push(request)
    await (behaviour ?? answerUnplanned)({ request, response, socket: message.socket, stop: signal })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const port = portOf(server.address())

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    unplanned,
    openConnections: () => sockets.size,
    enqueue: (...behaviours) => plan.enqueue({}, behaviours),
    enqueueFor: (match, ...behaviours) => plan.enqueue(match, behaviours),
    otherwise: (behaviour, match = {}) => plan.otherwise(match, behaviour),
    received: (count, timeoutMs = 20_000) =>
      waitUntil(arrivals, () => requests.length >= count, timeoutMs).then(
        () => requests.slice(0, count),
        () => Promise.reject(new Error(`waited for ${count} requests, ${requests.length} came`)),
      ),
    close: () => {
      closing.abort()
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

interface Plan {
  enqueue(match: RequestMatch, behaviours: readonly Behaviour[]): void
  otherwise(match: RequestMatch, behaviour: Behaviour): void
  take(request: RecordedRequest): Behaviour | undefined
}

function createPlan(): Plan {
  const queue: { match: RequestMatch; behaviour: Behaviour }[] = []
  const standing: { match: RequestMatch; behaviour: Behaviour }[] = []
  return {
    enqueue: (match, behaviours) => {
      for (const behaviour of behaviours) queue.push({ match, behaviour })
    },
    otherwise: (match, behaviour) => {
      standing.unshift({ match, behaviour })
    },
    take: (request) => {
      const index = queue.findIndex(({ match }) => fits(match, request))
      if (index >= 0) return queue.splice(index, 1)[0]?.behaviour
      return standing.find(({ match }) => fits(match, request))?.behaviour
    },
  }
}

function fits(match: RequestMatch, request: RecordedRequest): boolean {
  if (match.model !== undefined && match.model !== request.model) return false
  if (match.path === undefined) return true
  return typeof match.path === 'string' ? match.path === request.path : match.path.test(request.path)
}

function answerUnplanned({ request, response }: Exchange): void {
  response.writeHead(599, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({ error: { message: `the test planned no answer for ${request.method} ${request.path}` } }),
  )
}

/** Joins "the client has gone" and "the provider is closed" to one signal. */
function watchExchange(response: ServerResponse, closing: AbortSignal) {
  const gone = new AbortController()
  const ended = new Promise<'answered' | 'closed-early'>((resolve) => {
    response.once('close', () => {
      gone.abort()
      resolve(response.writableFinished ? 'answered' : 'closed-early')
    })
  })
  return { signal: AbortSignal.any([gone.signal, closing]), ended }
}

async function recordRequest(message: IncomingMessage, ended: RecordedRequest['ended']): Promise<RecordedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(Buffer.from(chunk))
  const body = Buffer.concat(chunks).toString('utf8')
  const json = parseObject(body)
  const url = message.url ?? '/'
  const path = url.split('?', 1)[0] ?? url
  const model = typeof json?.['model'] === 'string' ? json['model'] : /\/models\/([^/:]+):/.exec(path)?.[1]
  const { headers, rawHeaders, method = '' } = message
  return { method, url, path, headers, rawHeaders, body, json, model, ended, bodyBytesSent: 0 }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function waitUntil(arrivals: Set<() => void>, condition: () => boolean, timeoutMs: number): Promise<void> {
  if (condition()) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(reject), timeoutMs)
    const check = () => {
      if (condition()) settle(resolve)
    }
    function settle(done: () => void) {
      clearTimeout(timer)
      arrivals.delete(check)
      done()
    }
    arrivals.add(check)
  })
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port')
  return address.port
}
