/**
 * HTTP by hand: any bytes over a socket and the answer as it came. For input that no client library would send.
 */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RawResponse {
  /** 0 where no status line came. */
  readonly status: number
  /** Names in lower case; every value in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  /** Decoded from chunks where it came in chunks. */
  readonly body: string
  /** False where the connection ended (or the time was up) before the answer did. */
  readonly complete: boolean
  /** Whether the server closed the connection. */
  readonly closed: boolean
  /** Everything received. */
  readonly bytes: Buffer
}

export interface RawOptions {
  /** Gives up and returns what has come. Default 20,000. */
  readonly timeoutMs?: number
  /** Pause between the pieces. Default 0. */
  readonly pauseMs?: number
  /** No body is expected (the request was a HEAD). */
  readonly head?: boolean
}

type Bytes = string | Uint8Array

/**
 * Opens a connection to `url`'s host and port, sends the pieces one by one as they are, and reads one answer.
 * Strings are sent as latin1, so that `\xff` is the byte 255. Never throws for what the server does.
 */
export async function sendRaw(
  url: string,
  pieces: Bytes | readonly Bytes[],
  options: RawOptions = {},
): Promise<RawResponse> {
  const connection = openRaw(url)
  try {
    for (const piece of isPiece(pieces) ? [pieces] : pieces) {
      connection.write(piece)
      if (options.pauseMs !== undefined) await sleep(options.pauseMs)
    }
    return await connection.read(options)
  } finally {
    connection.close()
  }
}

/** As a client that reads when it has written all: the first bytes, the others a moment later, then one answer. */
export async function readWhenWritten(client: RawConnection, request: Uint8Array): Promise<RawResponse> {
  client.pause()
  client.write(request.subarray(0, FIRST_BYTES))
  await sleep(BETWEEN_MS)
  client.write(request.subarray(FIRST_BYTES))
  await sleep(BETWEEN_MS)
  client.socket.resume()
  return client.read()
}

/** Holds a head. */
const FIRST_BYTES = 1_000
/** Enough for the server to have answered the head. */
const BETWEEN_MS = 100

/** A request line, headers and body as bytes, with Host, Content-Length and `Connection: close` unless given. */
export function requestBytes(
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[],
  body: Bytes = '',
): Buffer {
  const payload = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body)
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  const implied: [string, string][] = [
    ['Host', '127.0.0.1'],
    ['Connection', 'close'],
  ]
  if (payload.length > 0 && !given.has('transfer-encoding')) implied.push(['Content-Length', String(payload.length)])
  const lines = [...implied.filter(([name]) => !given.has(name.toLowerCase())), ...headers]
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), payload])
}

export interface RawConnection {
  readonly socket: Socket
  write(bytes: Bytes): void
  /** Reads one answer; a second call reads the next one on the same connection. */
  read(options?: RawOptions): Promise<RawResponse>
  /** Stops reading (a slow client); `socket.resume()` goes on. */
  pause(): void
  close(): void
}

/** A connection to hold open: half a request, a slow body, a client that does not read. */
export function openRaw(url: string): RawConnection {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let received: Buffer = Buffer.alloc(0)
  let closed = false
  let changed: () => void = () => {}
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    changed()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
    changed()
  })

  function read(options: RawOptions = {}): Promise<RawResponse> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish(), options.timeoutMs ?? 20_000)
      function finish(parsed = parseResponse(received, { ...options, closed })) {
        clearTimeout(timer)
        changed = () => {}
        received = received.subarray(parsed.consumed)
        resolve(parsed.response)
      }
      changed = () => {
        const parsed = parseResponse(received, { ...options, closed })
        if (parsed.response.complete || closed) finish(parsed)
      }
      changed()
    })
  }

  return {
    socket,
    write: (bytes) => {
      if (!socket.destroyed) socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    },
    read,
    pause: () => {
      socket.pause()
    },
    close: () => {
      socket.destroy()
    },
  }
}

function isPiece(pieces: Bytes | readonly Bytes[]): pieces is Bytes {
  return typeof pieces === 'string' || pieces instanceof Uint8Array
}

interface Parsed {
  readonly response: RawResponse
  /** Bytes that belong to this answer. */
  readonly consumed: number
}

function parseResponse(bytes: Buffer, state: { closed: boolean; head?: boolean }): Parsed {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const { closed } = state
  if (headEnd < 0) {
    return {
      response: { status: 0, headers: new Map(), body: '', complete: false, closed, bytes },
      consumed: bytes.length,
    }
  }
  const lines = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(lines[0] ?? '')?.[1] ?? 0)
  const bodyStart = headEnd + 4
  // Interim answers (100 Continue) come before the real one.
  if (status >= 100 && status < 200) {
    const next = parseResponse(bytes.subarray(bodyStart), state)
    return { ...next, consumed: next.consumed + bodyStart }
  }
  const headers = parseHeaders(lines.slice(1))
  const body = parseBody(bytes.subarray(bodyStart), headers, {
    ...state,
    bodiless: state.head === true || status === 204 || status === 304,
  })
  const consumed = bodyStart + body.consumed
  return {
    response: { status, headers, body: body.text, complete: body.complete, closed, bytes: bytes.subarray(0, consumed) },
    consumed,
  }
}

function parseHeaders(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
  }
  return headers
}

function parseBody(
  bytes: Buffer,
  headers: ReadonlyMap<string, readonly string[]>,
  state: { closed: boolean; bodiless: boolean },
) {
  if (state.bodiless) return { text: '', complete: true, consumed: 0 }
  if (headers.get('transfer-encoding')?.[0] === 'chunked') return parseChunks(bytes)
  const length = headers.get('content-length')?.[0]
  if (length === undefined) return { text: bytes.toString('utf8'), complete: state.closed, consumed: bytes.length }
  const taken = Math.min(Number(length), bytes.length)
  return { text: bytes.toString('utf8', 0, taken), complete: taken === Number(length), consumed: taken }
}

function parseChunks(bytes: Buffer) {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const text = () => Buffer.concat(parts).toString('utf8')
    if (!Number.isFinite(size) || lineEnd + 2 + size + 2 > bytes.length) {
      return { text: text(), complete: false, consumed: bytes.length }
    }
    if (size === 0) return { text: text(), complete: true, consumed: lineEnd + 4 }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
