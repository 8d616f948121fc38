/**
 * The data plane's HTTP server: mounts the adapters, turns a request into an `Incoming` and an `Outgoing` into bytes.
 * Transport matters only; what happens to a request is in pipeline/pipeline.ts.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { GatewayError } from '../../domain/errors.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { AdapterRoute, ClientAdapter, RouteHints } from '../adapters/adapter.ts'
import { methodsOf } from '../adapters/offered-methods.ts'
import { ADAPTERS } from '../adapters/registry.ts'
import { BusyPoll } from '../busy-poll.ts'
import type { Incoming } from '../pipeline/exchange.ts'
import { CallCancellation } from '../pipeline/call-cancellation.ts'
import { operationOf } from '../pipeline/operations.ts'
import type { Cancellation } from '../pipeline/ports.ts'
import type { Services } from '../pipeline/services.ts'
import { readBody } from './body.ts'
import { BodyMemory } from './body-shares.ts'
import { ConnectionEnd } from './connection-end.ts'
import { letWait } from './invitation.ts'
import { newRequestId } from './request-id.ts'
import type { RunningAnswers } from './running-answers.ts'
import { breakOff, logStalled, serve } from './serve.ts'
import { notFound, refuseUnrouted, unexpected, unmetExpectation } from './unrouted.ts'

export interface ServerOptions {
  /** Largest body taken, bytes. */
  readonly maxBodyBytes: number
  /** Memory for all bodies under way, bytes. @see body-shares.ts */
  readonly bodyMemoryBytes: number
  /** How long a client may take nothing of its answer; absent: the usual time. @see send-clock.ts */
  readonly sendTimeoutMs?: Milliseconds | undefined
  readonly running: RunningAnswers
}

/** What all routes have in common. */
interface Shared {
  readonly bodies: BodyMemory
  /** For the next request, when an answer has been written. */
  readonly requestPoll: BusyPoll
}

/** @see specification section 8; DESIGN section 4. */
export const DEFAULT_MAX_BODY_BYTES = 10 * 1024 * 1024

/** A request's head and body must have come within this time: slower clients hold memory for nothing. */
const REQUEST_TIMEOUT_MS = 60_000
/** And its head within this. */
const HEADERS_TIMEOUT_MS = 20_000
/** Between two looks for such clients. */
const CHECKING_INTERVAL_MS = 5_000

/** Above the 60 s after which common client pools drop idle connections, so that the client closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000

/** Connections beyond this are closed at once. What their bodies may hold in memory together is body-shares.ts's matter. */
const MAX_CONNECTIONS = 4_096

/** Longest name of a model in a path: `provider/model` with the manifests' bounds. */
const MAX_PATH_PARAMETER = 256

/** Of a route whose path says nothing. */
const NO_HINTS: RouteHints = {}

/** No route has a schema: fastify's compilers, which are loaded where none are given, are not needed. */
const NO_SCHEMAS = { buildValidator: () => noSchema, buildSerializer: () => noSchema }

/** The server with all routes of all adapters; who builds it listens and closes. */
export function buildApp(services: Services, options: ServerOptions): FastifyInstance {
  const connectionEnd = new ConnectionEnd(options.running)
  const app = Fastify({
    logger: false,
    // A request has an id of ours.
    genReqId: () => '',
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // A missing Host is refused below: Node's own answer would be empty.
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      maxHeaderSize: 32 * 1024,
      requireHostHeader: false,
    },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: MAX_PATH_PARAMETER },
    clientErrorHandler: (error, socket) => connectionEnd.onClientError(error, socket),
    schemaController: { compilersFactory: NO_SCHEMAS },
    frameworkErrors: (_error, request, reply) => notFound(request, reply, services),
  })
  app.server.maxConnections = MAX_CONNECTIONS
  app.server.on('connect', (_request, socket) => connectionEnd.onConnect(socket))
  options.running.watch(app.server)
  app.server.on('checkContinue', (request, response) => {
    letWait(request, response)
    app.server.emit('request', request, response)
  })
  app.server.on('checkExpectation', (request, response) => unmetExpectation(request, response, services))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setNotFoundHandler((request, reply) => notFound(request, reply, services))
  app.setErrorHandler((error, request, reply) => unexpected(error, request, reply, services))
  const { maxBodyBytes, bodyMemoryBytes } = options
  const requestPoll = new BusyPoll()
  const bodies = new BodyMemory({ bytes: bodyMemoryBytes, maxBodyBytes, now: services.now })
  for (const adapter of ADAPTERS) {
    for (const route of adapter.routes) mount(app, adapter, route, services, { bodies, requestPoll }, options)
  }
  return app
}

function noSchema(): never {
  throw new Error('a route with a schema needs a compiler')
}

function mount(
  app: FastifyInstance,
  adapter: ClientAdapter,
  route: AdapterRoute,
  services: Services,
  { bodies, requestPoll }: Shared,
  { maxBodyBytes, sendTimeoutMs }: ServerOptions,
): void {
  const take = (request: FastifyRequest, reply: FastifyReply): void => {
    requestPoll.came()
    const query = queryOf(request)
    const hints = route.hints === undefined ? NO_HINTS : route.hints(parametersOf(request), new URLSearchParams(query))
    if (hints === undefined) return notFound(request, reply, services)
    if (!hasOneHost(request.raw)) {
      const error = new GatewayError('invalid_request_error', 'A request has one Host header.', { param: 'host' })
      return refuseUnrouted(error, request, reply, services)
    }
    // From here on the reply is none of the framework's, which would only wait for a promise to do nothing after it.
    reply.hijack()
    const share = bodies.open()
    const signal = clientGone(reply.raw, services.leaving, requestPoll)
    const body = () => readBody(request.raw, maxBodyBytes, share, signal)
    const incoming = incomingOf(request.raw, reply.raw, adapter, query, hints, services, body, signal)
    const answer = operationOf(hints.operation ?? route.operation)(incoming, services)
    void serve(answer, incoming, reply.raw, services, { share, sendTimeoutMs })
  }
  app.route({
    method: [...methodsOf(route)],
    url: route.path,
    // Bodies are read, and their types judged, by the pipeline: the way ends here, before the framework looks for a parser,
    // makes it an async resource, and refuses a type that is none.
    onRequest: take,
    handler: take,
  })
}

function incomingOf(
  request: IncomingMessage,
  response: ServerResponse,
  adapter: ClientAdapter,
  query: string,
  hints: Incoming['hints'],
  services: Services,
  body: Incoming['readBody'],
  signal: CallCancellation,
): Incoming {
  const dateMs = services.wallNow()
  const requestId = newRequestId(dateMs)
  return {
    adapter,
    requestId,
    receivedAtMs: services.now(),
    dateMs,
    rawHeaders: request.rawHeaders,
    query,
    hints,
    readBody: body,
    signal,
    letGo() {
      logStalled(requestId, response.writableLength, services)
      breakOff(response)
      // Without a connection of its own yet, its end is not told by that.
      signal.abort()
    },
  }
}

/**
 * Fires when the connection closes before the answer has been written; and when the process leaves before it has begun, so
 * that it ends as a refusal. A stream that has begun sees to its own end.
 */
function clientGone(response: ServerResponse, leaving: Cancellation, requestPoll: BusyPoll): CallCancellation {
  const gone = new CallCancellation()
  const leave = (): void => {
    if (!response.headersSent) gone.abort()
  }
  leaving.addEventListener('abort', leave)
  // Not `once`, which makes two objects more: a response closes once.
  response.on('close', () => {
    leaving.removeEventListener('abort', leave)
    if (response.writableFinished) requestPoll.asked()
    else gone.abort()
  })
  return gone
}

/** What the path says where its pattern has a name or `*`. */
function parametersOf(request: FastifyRequest): Record<string, string> {
  return (request.params ?? {}) as Record<string, string>
}

function queryOf(request: FastifyRequest): string {
  const url = request.raw.url ?? ''
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
function hasOneHost({ headers, httpVersionMinor, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersionMinor === 0
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1
}
