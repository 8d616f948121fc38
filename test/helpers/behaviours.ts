/**
 * What a fake provider can do with a request: well, badly, or not at all. Each returns a Behaviour for one or more
 * calls. Where a pause is asked for, it is a real one: keep it in the low milliseconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OutgoingHttpHeaders } from 'node:http'
import type { JsonValue } from '../../src/domain/json.ts'
import type { Behaviour, Exchange } from './fake-provider.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }
const SSE_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

export interface Pacing {
  /** Pause before each chunk, the first included. Default 0. */
  readonly pauseMs?: number
  readonly headers?: OutgoingHttpHeaders
}

/** 200 with a JSON body. */
export function ok(document: JsonValue, headers: OutgoingHttpHeaders = {}): Behaviour {
  return status(200, document, headers)
}

/** Any status. A string or bytes body goes out as it is, anything else as JSON. */
export function status(code: number, body: JsonValue | Uint8Array = {}, headers: OutgoingHttpHeaders = {}): Behaviour {
  const payload = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return ({ request, response }) => {
    response.writeHead(code, { ...JSON_HEADERS, ...headers })
    request.bodyBytesSent += Buffer.byteLength(payload)
    response.end(payload)
  }
}

/** 200 with an event stream: each chunk is one write, exactly these bytes. */
export function stream(chunks: readonly (string | Uint8Array)[], pacing: Pacing = {}): Behaviour {
  return async (exchange) => {
    await writeChunks(exchange, chunks, pacing)
    exchange.response.end()
  }
}

/** The whole stream, one byte a write: every split that there is. */
export function streamByteByByte(chunks: readonly (string | Uint8Array)[]): Behaviour {
  const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)))
  return stream(Array.from(bytes, (byte) => Uint8Array.of(byte)))
}

/** A JSON answer whose body trickles, one byte a pause. */
export function slowJson(document: JsonValue, pauseMs: number): Behaviour {
  const bytes = Buffer.from(JSON.stringify(document))
  return async (exchange) => {
    await writeChunks(
      exchange,
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
      { pauseMs, headers: JSON_HEADERS },
    )
    exchange.response.end()
  }
}

/** Waits, then does the other thing. */
export function delayed(pauseMs: number, behaviour: Behaviour): Behaviour {
  return async (exchange) => {
    if (await pause(pauseMs, exchange.stop)) await behaviour(exchange)
  }
}

/** Accepts the request and never answers. */
export function freeze(): Behaviour {
  return ({ stop }) => untilStopped(stop)
}

/** Sends status and headers, then nothing. */
export function freezeAfterHeaders(headers: OutgoingHttpHeaders = SSE_HEADERS): Behaviour {
  return ({ response, stop }) => {
    response.writeHead(200, headers)
    response.flushHeaders()
    return untilStopped(stop)
  }
}

/** Sends the chunks, then neither more nor the end. */
export function stallAfter(chunks: readonly (string | Uint8Array)[], pacing: Pacing = {}): Behaviour {
  return async (exchange) => {
    await writeChunks(exchange, chunks, pacing)
    await untilStopped(exchange.stop)
  }
}

/** Sends the chunks and closes the connection without the body's end: a cut in the middle. */
export function cutAfter(chunks: readonly (string | Uint8Array)[], pacing: Pacing = {}): Behaviour {
  return async (exchange) => {
    await writeChunks(exchange, chunks, pacing)
    await flushed(exchange)
    exchange.socket.destroySoon()
  }
}

/** Resets the connection (RST), before any byte of an answer or after the chunks. */
export function reset(chunks: readonly (string | Uint8Array)[] = [], pacing: Pacing = {}): Behaviour {
  return async (exchange) => {
    if (chunks.length > 0) {
      await writeChunks(exchange, chunks, pacing)
      await flushed(exchange)
    }
    exchange.socket.resetAndDestroy()
  }
}

/** Closes the connection properly without an answer. */
export function hangUp(): Behaviour {
  return ({ socket }) => {
    socket.end()
  }
}

/** 200, announced as JSON, and not JSON. */
export function malformedJson(text = '{"choices":[{"message":'): Behaviour {
  return status(200, text)
}

/** 200 with another content type: a captive portal's page, by default. */
export function wrongContentType(body = '<html>please log in</html>', contentType = 'text/html'): Behaviour {
  return status(200, body, { 'content-type': contentType })
}

export function redirect(location: string, code = 307): Behaviour {
  return status(code, '', { location })
}

/** Raw bytes in the place of an HTTP answer, then the connection is closed. */
export function rawAnswer(bytes: string | Uint8Array): Behaviour {
  return ({ socket }) => {
    socket.end(bytes)
  }
}

/** Repeats the chunk until the client goes, at the client's pace (it waits for the socket to drain). */
export function endless(chunk: string | Uint8Array, pacing: Pacing = {}): Behaviour {
  return async (exchange) => {
    exchange.response.writeHead(200, { ...SSE_HEADERS, ...pacing.headers })
    while (await pause(pacing.pauseMs ?? 0, exchange.stop)) await writeChunk(exchange, chunk)
  }
}

/** The behaviours in a row, one a request; the last one for all that follow. */
export function inTurn(first: Behaviour, ...rest: Behaviour[]): Behaviour {
  const turns = [first, ...rest]
  let calls = 0
  return (exchange) => {
    const behaviour = turns[Math.min(calls, turns.length - 1)] ?? first
    calls += 1
    return behaviour(exchange)
  }
}

async function writeChunks(
  exchange: Exchange,
  chunks: readonly (string | Uint8Array)[],
  pacing: Pacing,
): Promise<void> {
  exchange.response.writeHead(200, { ...SSE_HEADERS, ...pacing.headers })
  exchange.response.flushHeaders()
  for (const chunk of chunks) {
    if (!(await pause(pacing.pauseMs ?? 0, exchange.stop))) return
    await writeChunk(exchange, chunk)
  }
}

/** One write, and the wait for the socket to drain where its buffer is full. */
async function writeChunk({ request, response, stop }: Exchange, chunk: string | Uint8Array): Promise<void> {
  request.bodyBytesSent += Buffer.byteLength(chunk)
  if (response.write(chunk)) return
  await new Promise<void>((resolve) => {
    response.once('drain', resolve)
    stop.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Resolves once everything written so far is with the operating system ('drain' only tells of a full buffer). */
async function flushed({ response, socket, stop }: Exchange): Promise<void> {
  // A response keeps what is written in a turn to the turn's end.
  while ((await pause(0, stop)) && response.writableLength + socket.writableLength > 0);
}

/** False where the exchange ended meanwhile. Yields to the event loop even without a pause, so that writes stay apart. */
async function pause(pauseMs: number, stop: AbortSignal): Promise<boolean> {
  if (stop.aborted) return false
  if (pauseMs <= 0) return new Promise((resolve) => setImmediate(() => resolve(!stop.aborted)))
  return sleep(pauseMs, true, { signal: stop }).catch(() => false)
}

function untilStopped(stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve()
  return new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
}
