/** Writing an answer to the client's socket, as fast as the client reads and no faster. */
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Outgoing } from '../pipeline/exchange.ts'
import { pullAlone, pullFrom, type Pullable, type Taker } from '../pipeline/pull.ts'
import { SendClock, type SendOptions } from './send-clock.ts'

interface Sending extends SendOptions {
  /** Before which the connection must not end. @see rest-of-body.ts */
  readonly rest?: Promise<void> | undefined
}

/**
 * Resolves when the answer is written or the client has gone; undefined: at once. A client that takes nothing of it has
 * gone, too. Never throws.
 */
export function send(response: ServerResponse, outgoing: Outgoing, options: Sending = {}): Promise<void> | undefined {
  if (outgoing.type === 'stream') return response.destroyed ? drop(outgoing) : sendStream(response, outgoing, options)
  if (!response.destroyed) sendWhole(response, outgoing, options)
  else outgoing.release?.()
  return undefined
}

function sendStream(
  response: ServerResponse,
  outgoing: Extract<Outgoing, { type: 'stream' }>,
  options: SendOptions,
): Promise<void> {
  response.writeHead(outgoing.status, outgoing.headers)
  return new Promise((resolve, reject) => {
    new StreamWriter(response, options, pullFrom(outgoing.chunks), resolve, reject).pull()
  })
}

/** Pulls a chunk, writes it, and pulls the next when the connection takes more. */
class StreamWriter implements Taker<string> {
  readonly #response: ServerResponse
  readonly #options: SendOptions
  readonly #chunks: Pullable<string>
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  #isFirst = true
  /** Made when the client is slower than the provider for the first time. */
  #clock: SendClock | undefined

  constructor(
    response: ServerResponse,
    options: SendOptions,
    chunks: Pullable<string>,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#response = response
    this.#options = options
    this.#chunks = chunks
    this.#resolve = resolve
    this.#reject = reject
  }

  pull(): void {
    pullAlone(this.#chunks, this)
  }

  take(chunk: string): void {
    // The rest is not wanted.
    if (this.#response.destroyed) return void this.#chunks.return().then(this.#resolve, this.#reject)
    const full = this.#isFirst ? writeWithHead(this.#response, chunk) : writeChunk(this.#response, chunk)
    this.#isFirst &&= chunk === ''
    if (full === undefined) this.pull()
    else void this.#drained(full)
  }

  end(): void {
    this.#response.end()
    if (this.#response.writableLength > 0) this.#ownClock().start()
    this.#resolve()
  }

  async #drained(full: Writable): Promise<void> {
    const clock = this.#ownClock()
    clock.start()
    await drained(full, this.#response)
    clock.stop()
    this.pull()
  }

  #ownClock(): SendClock {
    return (this.#clock ??= new SendClock(this.#response, this.#options))
  }

  /** Of the answer's framing, or of its end: what is behind it must end all the same. */
  fail(failure: unknown): void {
    const failed = () => this.#reject(failure)
    this.#chunks.return().then(failed, failed)
  }
}

/** Answers up to this size leave in one piece with their head; larger ones are not worth copying. */
const ONE_PIECE_BYTES = 16 * 1024

/** Node puts a string behind the head, bytes into a write of their own: for a small answer a string is cheaper. */
function sendWhole(
  response: ServerResponse,
  { status, headers, body, release }: Extract<Outgoing, { type: 'whole' }>,
  options: Sending,
): void {
  const { rest } = options
  if (release !== undefined) response.on('close', release)
  const bytes = Buffer.byteLength(body)
  headers['content-length'] = String(bytes)
  response.writeHead(status, headers)
  if (rest !== undefined) {
    response.write(body)
    void rest.then(() => response.end())
  } else if (typeof body === 'string' || bytes > ONE_PIECE_BYTES) response.end(body)
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1')
  if (response.writableLength > 0) new SendClock(response, options).start()
}

function writeWithHead(response: ServerResponse, chunk: string): Writable | undefined {
  return response.write(chunk) ? undefined : response
}

/**
 * One chunk in one piece: `response.write` makes four of it (length, line end, bytes, line end), which costs as much as
 * all else that is done for a chunk. It is left to it where the answer is not chunked (HTTP/1.0) or still waits for an
 * earlier one on its connection.
 * @returns what takes no more for now, undefined where it does
 */
function writeChunk(response: ServerResponse, chunk: string): Writable | undefined {
  const { socket } = response
  if (socket === null || !response.chunkedEncoding || response.writableLength > socket.writableLength) {
    return writeWithHead(response, chunk)
  }
  const bytes = Buffer.byteLength(chunk)
  // An empty chunk would be the end.
  if (bytes === 0) return undefined
  const framed = `${bytes.toString(16)}\r\n${chunk}\r\n`
  return socket.write(framed, bytes === chunk.length ? 'latin1' : 'utf8') ? undefined : socket
}

/**
 * A stream whose client has gone before it began still has to settle. Ending a generator that was never started would
 * skip its `finally`: it is started first.
 */
async function drop(outgoing: Extract<Outgoing, { type: 'stream' }>): Promise<void> {
  const chunks = outgoing.chunks[Symbol.asyncIterator]()
  await chunks.next()
  await chunks.return?.()
}

/** Until it takes more, or the client is gone. */
function drained(full: Writable, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const done = () => {
      full.off('drain', done)
      response.off('close', done)
      resolve()
    }
    full.on('drain', done)
    response.on('close', done)
  })
}
