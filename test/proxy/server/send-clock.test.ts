/** Over Unix sockets: their buffers are some 200 KB, so that a client that does not read is noticed with small answers. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Outgoing } from '../../../src/proxy/pipeline/exchange.ts'
import { send } from '../../../src/proxy/server/send.ts'

/** Most of them wait. */
t.jobs = 8

const MIB = 1024 * 1024

/** Far above the pauses of a busy machine, where a client must not be let go. */
const PATIENT_MS = 1_000
/** Where it must. */
const SHORT_MS = 200
/** Where it must not, and pauses are to be longer. */
const UNDISTURBED_MS = 500

interface Served {
  readonly server: Server
  readonly path: string
  /** Bytes that waited for clients that were let go. */
  readonly stalled: number[]
  readonly responses: ServerResponse[]
}

async function serve(t: Test, timeoutMs: number, answer: (url: string) => Outgoing): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-send-'))
  const path = join(folder, 'socket')
  const stalled: number[] = []
  const responses: ServerResponse[] = []
  const options = { timeoutMs, onStalled: (bytes: number) => stalled.push(bytes) }
  const server = createServer((request, response) => {
    responses.push(response)
    void send(response, answer(request.url ?? ''), options)
  })
  server.listen(path)
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return { server, path, stalled, responses }
}

function whole(body: string | Uint8Array): Outgoing {
  return { type: 'whole', status: 200, headers: {}, body }
}

function stream(chunks: AsyncIterable<string>): Outgoing {
  return { type: 'stream', status: 200, headers: {}, chunks }
}

async function* repeated(chunk: string, count: number, pauseMs = 0): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) {
    if (pauseMs > 0) await sleep(pauseMs)
    yield chunk
  }
}

/** Asks for each, at once, and reads nothing. */
function ask(path: string, urls: readonly string[], last = ''): Socket {
  const socket = connect(path)
  socket.on('error', () => {})
  const more = (index: number) => (index === urls.length - 1 ? last : '')
  socket.write(urls.map((url, index) => `GET ${url} HTTP/1.1\r\nHost: x\r\n${more(index)}\r\n`).join(''))
  return socket
}

const LAST = 'Connection: close\r\n'

for (const [what, outgoing] of [
  ['bytes', () => whole(Buffer.alloc(4 * MIB, 'p'))],
  ['a text', () => whole('p'.repeat(4 * MIB))],
  ['a stream', () => stream(repeated('p'.repeat(64 * 1024), 64))],
  ['the end of a stream', () => stream(repeated('p'.repeat(4 * MIB), 1))],
] as const) {
  t.test(`who takes nothing of an answer (${what}) is let go`, { buffered: true }, async (t) => {
    const { path, stalled, responses } = await serve(t, SHORT_MS, outgoing)
    const socket = ask(path, ['/'])
    while (responses.length === 0) await sleep(1)
    await once(responses[0] ?? t, 'close')
    t.equal(stalled.length, 1)
    t.ok((stalled[0] ?? 0) > 0)
    t.ok((await text(socket)).length < 4 * MIB, 'the answer is not whole')
  })

  t.test(`who reads slowly gets all of an answer (${what})`, { buffered: true }, async (t) => {
    const { path, stalled } = await serve(t, PATIENT_MS, outgoing)
    const started = performance.now()
    const socket = ask(path, ['/'], LAST)
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
      socket.pause()
    })
    const timer = setInterval(() => socket.resume(), 50)
    await once(socket, 'end')
    clearInterval(timer)
    t.ok(performance.now() - started > 2 * PATIENT_MS, 'it took longer than a client that takes nothing is given')
    t.ok(bytes > 4 * MIB, `${bytes} bytes`)
    t.strictSame(stalled, [])
  })
}

t.test('a stream of a client that is let go ends', async (t) => {
  const ended = Promise.withResolvers<void>()
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield 'p'.repeat(64 * 1024)
    } finally {
      ended.resolve()
    }
  }
  const { path, stalled } = await serve(t, SHORT_MS, () => stream(endless()))
  ask(path, ['/'])
  await ended.promise
  t.equal(stalled.length, 1)
})

t.test('the clock does not run while nothing waits', async (t) => {
  async function* pausing(): AsyncGenerator<string> {
    yield 'p'.repeat(MIB)
    await sleep(3 * UNDISTURBED_MS)
    yield 'end of it'
  }
  const { path, stalled } = await serve(t, UNDISTURBED_MS, (url) => {
    if (url === '/pausing') return stream(pausing())
    return url === '/slow' ? stream(repeated('p', 2, 3 * UNDISTURBED_MS)) : whole('p'.repeat(MIB))
  })
  const socket = ask(path, ['/large', '/slow', '/pausing', '/large'])
  let received = ''
  socket.setEncoding('latin1').on('data', (piece: string) => (received += piece))
  while (received.length < 3 * MIB && !socket.closed) await sleep(1)
  await sleep(3 * UNDISTURBED_MS)
  t.match(received.replaceAll(/p+/g, 'p'), /\r\np\r\n1\r\np\r\n0\r\n/, 'a provider that is slow after a large answer')
  t.match(received, '\r\nend of it\r\n', 'or after its client was')
  t.notOk(socket.closed, 'a client that asks for nothing more')
  t.strictSame(stalled, [])
})

t.test('of answers that were asked for at once the clock runs for the one whose turn it is', async (t) => {
  const { path, stalled, responses } = await serve(t, SHORT_MS, (url) =>
    url === '/slow' ? stream(repeated('p', 3, 3 * SHORT_MS)) : whole('p'.repeat(4 * MIB)),
  )
  const socket = ask(path, ['/slow', '/large'])
  while (responses.length < 2) await sleep(1)
  await once(responses[0] ?? t, 'finish')
  t.strictSame(stalled, [], 'the second waited for the first, not for its client')
  await once(responses[1] ?? t, 'close')
  t.equal(stalled.length, 1)
  socket.destroy()
})
