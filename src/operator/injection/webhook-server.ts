/** `POST /inject` over HTTPS, for the API server. Everything that comes in is bounded; the certificate can be exchanged. */
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Secret } from '../../domain/secret.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import { parseReview, renderReview } from './admission-review.ts'
import type { AdmissionRequest } from './admission-review.ts'
import { BodyReader, MAX_BODY_BYTES } from './body-reader.ts'
import type { Injector } from './injector.ts'

/** An API server opens one for each review that it waits for. */
const MAX_CONNECTIONS = 2_048
/** Of reading a request; the API server waits for five seconds or less. */
const REQUEST_TIMEOUT_MS = 10_000
const HEADERS_TIMEOUT_MS = 5_000
/** Of a connection that has not asked anything: it takes the place of one that would. Node's other limits begin with the first byte. */
const SILENCE_TIMEOUT_MS = 5_000
/** Idle connections of API servers: longer than they keep them, so that theirs is the end. */
const KEEPALIVE_MS = 120_000
const CLOSE_TIMEOUT_MS = 2_000
const PATH = '/inject'

export interface WebhookServerOptions {
  /** Undefined: all addresses of the machine. */
  readonly host: string | undefined
  readonly port: number
  /** PEM, with its chain. */
  readonly certificate: string
  readonly privateKey: Secret
  readonly inject: Injector
  readonly log: Log
}

export interface WebhookServer {
  readonly port: number
  /** For new connections; those that are open keep theirs. */
  setCertificate(certificate: string, privateKey: Secret): void
  /** Lets requests under way end. */
  close(): Promise<void>
}

/** @throws where the address cannot be had. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { host, port, certificate, privateKey, log } = options
  const reader = new BodyReader()
  const silent = new WeakMap<Socket, NodeJS.Timeout>()
  const server = createServer(
    { cert: certificate, key: privateKey.reveal(), minVersion: 'TLSv1.2', handshakeTimeout: SILENCE_TIMEOUT_MS },
    (request, response) => {
      clearTimeout(silent.get(request.socket))
      void answer(request, response, options, reader).catch((error: unknown) => {
        log.warn(errorFields(error), 'admission review not answered')
        response.destroy()
      })
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.keepAliveTimeout = KEEPALIVE_MS
  server.on('secureConnection', (socket) => {
    const timer = setTimeout(() => socket.destroy(), SILENCE_TIMEOUT_MS)
    silent.set(socket, timer)
    socket.once('close', () => clearTimeout(timer))
  })
  // A peer that does not speak TLS, or not our authority's: its own log tells.
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host }, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    setCertificate: (cert, key) => server.setSecureContext({ cert, key: key.reveal(), minVersion: 'TLSv1.2' }),
    close: () => close(server),
  }
}

function close(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: WebhookServerOptions,
  reader: BodyReader,
): Promise<void> {
  if ((request.url ?? '').split('?')[0] !== PATH) return refuse(response, 404, 'not found')
  if (request.method !== 'POST') return refuse(response, 405, 'only POST')
  if (!isJson(request)) return refuse(response, 415, 'the content type must be application/json')
  const body = await reader.read(request)
  if (body.type === 'too-large') return refuse(response, 413, `the body is larger than ${MAX_BODY_BYTES} bytes`)
  if (body.type === 'busy') return refuse(response, 503, 'too many requests are being read')
  const review = tryParse(body.text)
  if (typeof review === 'string') return refuse(response, 400, review)
  const decision = await options.inject(review)
  const text = JSON.stringify(renderReview(review.uid, decision))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

function isJson(request: IncomingMessage): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')
}

function tryParse(body: string): AdmissionRequest | string {
  try {
    return parseReview(body)
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}

/** No more is read of a body that is refused. */
function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`)
}
