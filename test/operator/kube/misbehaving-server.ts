/** An HTTP server that speaks as much of the Kubernetes API as a client of one resource needs, and misbehaves on demand. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isJsonObject } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

/** What happens to the next request of a kind instead of an answer. */
export type Fault =
  | { readonly type: 'status'; readonly code: number; readonly retryAfter?: number }
  /** Takes the request and never answers. */
  | { readonly type: 'hang' }
  /** Closes the connection. */
  | { readonly type: 'reset' }
  /** Answers with something that is not what the API says. */
  | { readonly type: 'malformed' }
  /** Watches only: opens, then tells nothing although there is something to tell. */
  | { readonly type: 'silent' }
  /** Watches only: opens and ends at once. */
  | { readonly type: 'end' }
  /** Watches only: an ERROR event. */
  | { readonly type: 'error-event'; readonly code: number }
  /** Watches only: half an event, then the connection breaks. */
  | { readonly type: 'cut' }

export interface SeenRequest {
  readonly kind: 'list' | 'watch' | 'other'
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface HistoryEntry {
  readonly version: number
  readonly line: string
}

export class MisbehavingServer {
  readonly requests: SeenRequest[] = []
  /** Consumed one a request. */
  readonly faults: { list: Fault[]; watch: Fault[]; other: Fault[] } = { list: [], watch: [], other: [] }
  /** As `faults`, for every request while set. */
  broken: Fault | undefined
  /** As `broken`, for watches only. */
  brokenWatches: Fault | undefined
  /** Answers what is neither list nor watch. */
  answer: (request: SeenRequest) => { readonly code: number; readonly body: unknown } = () => ({ code: 404, body: {} })
  pageSize = 500
  readonly #objects = new Map<string, JsonObject>()
  readonly #watchers = new Set<ServerResponse>()
  #history: HistoryEntry[] = []
  #version = 100
  #oldest = 100
  readonly #server = createServer((request, response) => void this.#handle(request, response))

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address: AddressInfo | string | null = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return `http://127.0.0.1:${address.port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  put(name: string, value = ''): void {
    const type = this.#objects.has(name) ? 'MODIFIED' : 'ADDED'
    this.#version += 1
    const metadata = {
      namespace: 'n',
      name,
      uid: `uid-${name}`,
      resourceVersion: `${this.#version}`,
      managedFields: [{ manager: 'kubectl' }],
    }
    const object = { apiVersion: 'tollgate.dev/v1alpha1', kind: 'VirtualKey', metadata, spec: { value } }
    this.#objects.set(name, object)
    this.#tell(type, object)
  }

  remove(name: string): void {
    const object = this.#objects.get(name)
    if (object === undefined || !isJsonObject(object['metadata'])) return
    this.#version += 1
    this.#objects.delete(name)
    this.#tell('DELETED', { ...object, metadata: { ...object['metadata'], resourceVersion: `${this.#version}` } })
  }

  /** Forgets history, as etcd's compaction: watches from before are answered with 410. */
  compact(): void {
    this.#history = []
    this.#oldest = this.#version
  }

  /** Something of another resource changed. */
  tick(): void {
    this.#version += 1
  }

  bookmark(): void {
    const object = { kind: 'VirtualKey', metadata: { resourceVersion: `${this.#version}` } }
    for (const watcher of this.#watchers) watcher.write(eventLine('BOOKMARK', object))
  }

  /** Writes raw text into all open watches. */
  write(text: string): void {
    for (const watcher of this.#watchers) watcher.write(text)
  }

  /** Ends all watches as the server's own time limit does. */
  endWatches(): void {
    for (const watcher of this.#watchers) watcher.end()
    this.#watchers.clear()
  }

  /** Breaks all connections. */
  disconnect(): void {
    this.#watchers.clear()
    this.#server.closeAllConnections()
  }

  /** Names and versions of all objects. */
  get state(): Record<string, unknown> {
    return Object.fromEntries([...this.#objects].map(([name, { spec }]) => [name, spec]))
  }

  get openWatches(): number {
    return this.#watchers.size
  }

  count(kind: SeenRequest['kind']): number {
    return this.requests.filter((request) => request.kind === kind).length
  }

  #tell(type: string, object: JsonObject): void {
    const line = eventLine(type, object)
    this.#history.push({ version: this.#version, line })
    for (const watcher of this.#watchers) watcher.write(line)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://server')
    const isCollection = request.method === 'GET' && url.pathname.endsWith('/virtualkeys')
    const kind = !isCollection ? 'other' : url.searchParams.has('watch') ? 'watch' : 'list'
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    const seen: SeenRequest = { kind, method: request.method ?? '', url, headers: request.headers, body }
    this.requests.push(seen)
    const fault = this.faults[kind].shift() ?? this.broken ?? (kind === 'watch' ? this.brokenWatches : undefined)
    if (fault !== undefined && this.#misbehave(fault, response)) return
    if (kind === 'list') return this.#list(url, response)
    if (kind === 'watch') return this.#watch(url, response)
    const { code, body: answer } = this.answer(seen)
    reply(response, code, answer)
  }

  #misbehave(fault: Fault, response: ServerResponse): boolean {
    switch (fault.type) {
      case 'status':
        if (fault.retryAfter !== undefined) response.setHeader('retry-after', `${fault.retryAfter}`)
        reply(response, fault.code, status(fault.code))
        return true
      case 'hang':
        return true
      case 'reset':
        response.socket?.destroy()
        return true
      case 'malformed':
        response.end('{"items": [{"metadata": {"name"\n')
        return true
      case 'silent':
        response.writeHead(200).flushHeaders()
        return true
      case 'end':
        response.writeHead(200).end()
        return true
      case 'error-event':
        response.end(eventLine('ERROR', status(fault.code)))
        return true
      case 'cut':
        response.write('{"type": "ADDED", "object": {"meta', () => response.socket?.destroy())
        return true
      default:
        return fault satisfies never
    }
  }

  #list(url: URL, response: ServerResponse): void {
    const [start = '0', at = `${this.#version}`] = (url.searchParams.get('continue') ?? '')
      .split('@')
      .filter((part) => part !== '')
    if (Number(at) < this.#oldest) return reply(response, 410, status(410))
    const all = [...this.#objects.values()]
    const end = Number(start) + Math.min(this.pageSize, Number(url.searchParams.get('limit')))
    const items = all.slice(Number(start), end)
    const metadata = { resourceVersion: at, ...(end < all.length ? { continue: `${end}@${at}` } : {}) }
    reply(response, 200, { kind: 'VirtualKeyList', metadata, items })
  }

  #watch(url: URL, response: ServerResponse): void {
    const from = Number(url.searchParams.get('resourceVersion'))
    if (from < this.#oldest) return reply(response, 410, status(410))
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    for (const { version, line } of this.#history) if (version > from) response.write(line)
    this.#watchers.add(response)
    response.once('close', () => this.#watchers.delete(response))
  }
}

export function status(code: number): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    message: `fault ${code}`,
    reason: code === 410 ? 'Expired' : 'Fault',
  }
}

function eventLine(type: string, object: JsonObject): string {
  return `${JSON.stringify({ type, object })}\n`
}

function reply(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
