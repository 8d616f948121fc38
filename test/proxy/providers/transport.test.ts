import t from 'tap'
import type { Test } from 'tap'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import type { ProviderEntry } from '../../../src/domain/snapshot/snapshot.ts'
import type { ProviderReply } from '../../../src/proxy/pipeline/ports.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { pullFrom } from '../../../src/proxy/pipeline/pull.ts'
import { HttpTransport } from '../../../src/proxy/providers/transport.ts'
import * as behaviours from '../../helpers/behaviours.ts'
import { startFakeProvider } from '../../helpers/fake-provider.ts'
import { attemptFailureOf, callOf, providerAt, textOf } from '../../helpers/provider-calls.ts'
import { provider } from '../../domain/routing/samples.ts'

/** Clocks that a test waits for are short, and longer than a busy machine stands still; all others cannot interfere. */
const LONG = { connectMs: 60_000, firstByteMs: 60_000, streamIdleMs: 60_000, totalMs: 120_000 }
const SHORT_MS = 300

function entry(url: string, fields: Partial<ProviderEntry> = {}): ProviderEntry {
  return providerAt(url, LONG, fields)
}

/** undici waits a turn of the event loop before it uses a connection again, in case the server closes it after all. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve))
}

async function setUp(test: Test) {
  const fake = await startFakeProvider()
  const transport = new HttpTransport()
  test.teardown(async () => {
    await fake.close()
    await transport.close()
  })
  return { fake, transport }
}

/** A server of bare sockets: whatever HTTP libraries would not do. */
async function rawServer(test: Test, onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('sends the body as it is and returns status, headers and body', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.ok({ hello: 'world' }, { 'x-vendor': 'kept', 'keep-alive': 'timeout=5', te: 'trailers' }))
  const reply = await transport.send(callOf(entry(fake.url), { body: Buffer.from('{"model":"m","extra":"é"}') }))
  t.equal(reply.status, 200)
  t.equal(reply.headers['x-vendor'], 'kept')
  t.equal(reply.headers['keep-alive'], undefined, 'hop-by-hop headers stay behind')
  t.equal(reply.headers['te'], undefined)
  t.same(JSON.parse(await textOf(reply)), { hello: 'world' })
  const [request] = fake.requests
  t.equal(request?.path, '/v1/chat/completions')
  t.equal(request?.body, '{"model":"m","extra":"é"}')
  t.equal(request?.headers['content-type'], 'application/json')
  t.equal(request?.headers['accept-encoding'], 'identity')
})

t.test('sends credential, static headers and listed client headers, and nothing that would replace ours', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.otherwise(behaviours.ok({}))
  const from = entry(fake.url, {
    credentials: { type: 'Bearer' },
    endpoint: {
      baseUrl: `${fake.url}/v1`,
      allowInsecureHttp: true,
      headers: {
        'X-Region': 'eu',
        Authorization: 'Bearer static',
        Host: 'evil',
        'Content-Length': '1',
        'Transfer-Encoding': 'chunked',
      },
    },
  })
  const passHeaders = {
    'x-feature': 'beta',
    authorization: 'Bearer virtual',
    'x-api-key': 'virtual',
    cookie: 'a=b',
    'x-region': 'client',
    __proto__x: 'y',
  }
  await textOf(await transport.send(callOf(from, { credential: new Secret('sk-real\n'), passHeaders })))
  const headers = fake.requests[0]?.headers ?? {}
  t.equal(headers['authorization'], 'Bearer sk-real')
  t.equal(headers['x-region'], 'eu', 'the manifest wins over the client')
  t.equal(headers['x-feature'], 'beta')
  t.equal(headers['x-api-key'], undefined)
  t.equal(headers['cookie'], undefined)
  t.equal(headers['host'], `127.0.0.1:${fake.port}`)
  t.equal(headers['content-length'], '13')
})

t.test('sends nothing where the credential is missing or cannot be sent', async (t) => {
  const { fake, transport } = await setUp(t)
  const from = entry(fake.url, { credentials: { type: 'Bearer' } })
  for (const credential of [undefined, new Secret(' \n'), new Secret('a\r\nx-evil: 1')]) {
    t.match(await attemptFailureOf(transport.send(callOf(from, { credential }))), { kind: 'connect' })
  }
  t.equal(fake.requests.length, 0)
})

t.test('reuses a connection, and returns a redirect instead of following it', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.ok({}), behaviours.redirect(`${fake.url}/elsewhere`), behaviours.ok({}))
  const from = entry(fake.url)
  await textOf(await transport.send(callOf(from)))
  await turn()
  const reply = await transport.send(callOf(from))
  t.equal(reply.status, 307)
  await textOf(reply)
  await turn()
  await textOf(await transport.send(callOf(from)))
  t.equal(fake.openConnections(), 1)
  t.same(
    fake.requests.map(({ path }) => path),
    Array(3).fill('/v1/chat/completions'),
  )
})

t.test('hands on in one piece what one read of the socket brings', async (t) => {
  const { fake, transport } = await setUp(t)
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
  fake.enqueue(behaviours.rawAnswer(`${head}3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n`))
  const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
  const pieces: string[] = []
  for await (const piece of reply.body) pieces.push(Buffer.from(piece).toString())
  t.strictSame(pieces, ['onetwothree'])
})

t.test('a reader that throws when a chunk comes is told that its reading has failed', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.endless('data: x\n\n', { pauseMs: 20 }))
  const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
  const { promise: failure, resolve } = Promise.withResolvers<unknown>()
  const thrown = new Error('in the reader')
  const pulled = pullFrom(reply.body)
  const reader = {
    take(): void {
      // The first chunk may be there at once; the second is waited for.
      if (reader.chunks++ === 0) pulled.pull(reader)
      else throw thrown
    },
    end: () => resolve('end'),
    fail: resolve,
    chunks: 0,
  }
  pulled.pull(reader)
  t.equal(await failure, thrown)
  await pulled.return()
  t.equal(await fake.requests[0]?.ended, 'closed-early')
})

t.test('gives up on a provider that accepts and never answers', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.otherwise(behaviours.freeze())
  const from = entry(fake.url, { timeouts: { ...LONG, firstByteMs: SHORT_MS } })
  t.same(await attemptFailureOf(transport.send(callOf(from))), { kind: 'timeout', clock: 'first-byte' })
  t.equal(await fake.requests[0]?.ended, 'closed-early', 'the provider sees the end')
})

t.test(
  'waits for the first byte of a whole answer by neither the connect nor the idle clock, but within the total one',
  async (t) => {
    const { fake, transport } = await setUp(t)
    const { firstByteMs: _unstated, ...rest } = LONG
    fake.enqueue(behaviours.delayed(SHORT_MS * 2, behaviours.ok({ late: true })), behaviours.freeze())
    const patient = entry(fake.url, { timeouts: { ...rest, connectMs: SHORT_MS, streamIdleMs: SHORT_MS } })
    t.equal(await textOf(await transport.send(callOf(patient))), '{"late":true}')
    const bounded = entry(fake.url, { timeouts: { ...rest, totalMs: SHORT_MS } })
    t.same(await attemptFailureOf(transport.send(callOf(bounded))), { kind: 'timeout', clock: 'total' })
  },
)

t.test('lets the total clock end what the others would allow', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.otherwise(behaviours.endless('data: x\n\n', { pauseMs: 5 }))
  const from = entry(fake.url, { timeouts: { ...LONG, totalMs: SHORT_MS * 2 } })
  const reply = await transport.send(callOf(from, { stream: true }))
  reply.firstContentSeen()
  t.same(await attemptFailureOf(textOf(reply)), { kind: 'timeout', clock: 'total' })
})

t.test('runs the first-byte clock of a stream until content was seen, then the idle clock', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(
    behaviours.freezeAfterHeaders(),
    behaviours.endless(': ping\n\n', { pauseMs: 5 }),
    behaviours.stallAfter(['data: 1\n\n']),
  )
  const slow = { ...LONG, firstByteMs: SHORT_MS }
  const stalled = await transport.send(callOf(entry(fake.url, { timeouts: slow }), { stream: true }))
  t.same(await attemptFailureOf(textOf(stalled)), { kind: 'timeout', clock: 'first-byte' })

  const pinging = await transport.send(callOf(entry(fake.url, { timeouts: slow }), { stream: true }))
  t.same(await attemptFailureOf(textOf(pinging)), { kind: 'timeout', clock: 'first-byte' }, 'pings are no content')

  const idle = await transport.send(
    callOf(entry(fake.url, { timeouts: { ...LONG, streamIdleMs: SHORT_MS } }), { stream: true }),
  )
  const received: string[] = []
  const reading = (async () => {
    for await (const chunk of idle.body) {
      received.push(Buffer.from(chunk).toString())
      idle.firstContentSeen()
    }
  })()
  t.same(await attemptFailureOf(reading), { kind: 'timeout', clock: 'idle' })
  t.same(received, ['data: 1\n\n'])
})

t.test('a body whose answer is complete ends without an error when nothing more comes', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.otherwise(behaviours.stallAfter(['data: 1\n\n', 'data: 2\n\n'], { pauseMs: 5 }))
  const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
  const received: string[] = []
  for await (const chunk of reply.body) {
    received.push(Buffer.from(chunk).toString())
    reply.endsAfter?.(SHORT_MS)
  }
  t.equal(received.join(''), 'data: 1\n\ndata: 2\n\n', 'what comes within the time is read')
  t.equal(await fake.requests[0]?.ended, 'closed-early', 'and the connection is closed')
})

t.test('a body that goes on after all has its idle clock back', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.otherwise(behaviours.stallAfter(['data: 1\n\n']))
  const from = entry(fake.url, { timeouts: { ...LONG, streamIdleMs: SHORT_MS } })
  const reply = await transport.send(callOf(from, { stream: true }))
  reply.firstContentSeen()
  reply.endsAfter?.(10_000)
  reply.endsAfter?.(Infinity)
  t.same(await attemptFailureOf(textOf(reply)), { kind: 'timeout', clock: 'idle' })
})

t.test('of a body that is over nothing more is read; its connection serves the next call once it ends', async (t) => {
  const { fake } = await setUp(t)
  const transport = new HttpTransport({ maxConnections: 1 })
  t.teardown(() => transport.close())
  const mayEnd = Promise.withResolvers<void>()
  const ports = new Set<number | undefined>()
  fake.otherwise(async ({ response, socket }) => {
    ports.add(socket.remotePort)
    response.write('data: 1\n\n')
    await mayEnd.promise
    // More than is kept for a reader: it is dropped, not waited for.
    response.end('x'.repeat(1_000_000))
  })
  const gone = new AbortController()
  const reply = await transport.send(callOf(entry(fake.url), { stream: true, signal: gone.signal }))
  const received: string[] = []
  for await (const chunk of reply.body) {
    received.push(Buffer.from(chunk).toString())
    reply.endsAfter?.(0)
  }
  t.same(received, ['data: 1\n\n'])
  gone.abort()
  mayEnd.resolve()
  t.equal(await fake.requests[0]?.ended, 'answered', 'the client that leaves then ends nothing')
  const again = async (): Promise<ProviderReply> => {
    await turn()
    return transport.send(callOf(entry(fake.url))).catch(again)
  }
  await textOf(await again())
  t.equal(ports.size, 1)
})

t.test('a server that does not end a body that is over loses its connection', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.endless('data: x\n\n', { pauseMs: 5 }))
  const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
  reply.endsAfter?.(0)
  t.equal(await textOf(reply), '')
  t.equal(await fake.requests[0]?.ended, 'closed-early')
})

t.test('the total clock ends also what is left of a body that is over', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.stallAfter(['data: 1\n\n']))
  const reply = await transport.send(callOf(entry(fake.url, { timeouts: { ...LONG, totalMs: 700 } }), { stream: true }))
  reply.endsAfter?.(0)
  t.equal(await textOf(reply), '')
  t.equal(await fake.requests[0]?.ended, 'closed-early')
})

t.test('runs the first-byte clock of a whole answer until its first byte', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.freezeAfterHeaders(), behaviours.stallAfter(['{"half":']))
  const first = await transport.send(callOf(entry(fake.url, { timeouts: { ...LONG, firstByteMs: SHORT_MS } })))
  t.same(await attemptFailureOf(textOf(first)), { kind: 'timeout', clock: 'first-byte' })
  const second = await transport.send(callOf(entry(fake.url, { timeouts: { ...LONG, streamIdleMs: SHORT_MS } })))
  t.same(await attemptFailureOf(textOf(second)), { kind: 'timeout', clock: 'idle' })
})

t.test('reports a refused connection, and a closed one before and within the answer', async (t) => {
  const { fake, transport } = await setUp(t)
  const gone = await startFakeProvider()
  await gone.close()
  t.match(await attemptFailureOf(transport.send(callOf(entry(gone.url)))), { kind: 'connect' })

  fake.enqueue(behaviours.hangUp(), behaviours.cutAfter(['data: 1\n\n']), behaviours.reset(['data: 1\n\n']))
  t.match(await attemptFailureOf(transport.send(callOf(entry(fake.url)))), { kind: 'cut' })
  for (const how of ['cut', 'reset']) {
    const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
    t.match(await attemptFailureOf(textOf(reply)), { kind: 'cut' }, how)
  }
})

t.test('gives the reader what came before the cut', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.cutAfter(['data: 1\n\n', 'data: 2\n\n'], { pauseMs: 10 }))
  const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
  let text = ''
  const reading = (async () => {
    for await (const chunk of reply.body) text += Buffer.from(chunk).toString()
  })()
  t.match(await attemptFailureOf(reading), { kind: 'cut' })
  t.equal(text, 'data: 1\n\ndata: 2\n\n')
})

const ANSWERS_OUT_OF_PROTOCOL: Record<string, string> = {
  'no HTTP at all': 'SSH-2.0-OpenSSH_9.6\r\n',
  'a broken header line': 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n',
  'two different lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
  'huge headers': `HTTP/1.1 200 OK\r\n${'x-fill: '.padEnd(4096, 'y')}\r\n`.concat(
    ...Array.from({ length: 16 }, () => `${'x-fill: '.padEnd(4096, 'y')}\r\n`),
    '\r\n',
  ),
  'an upgrade that nobody asked for': 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
}
for (const [name, bytes] of Object.entries(ANSWERS_OUT_OF_PROTOCOL)) {
  t.test(`reports ${name} as a breach of protocol`, async (t) => {
    const transport = new HttpTransport()
    t.teardown(() => transport.close())
    const url = await rawServer(t, (socket) => socket.once('data', () => socket.write(bytes)))
    t.match(await attemptFailureOf(transport.send(callOf(entry(url)))), { kind: 'protocol' })
  })
}

t.test('a 100 Continue that nobody asked for is told as such, where every other 1xx is passed over', async (t) => {
  const transport = new HttpTransport()
  t.teardown(() => transport.close())
  const answering = (head: string) =>
    rawServer(t, (socket) =>
      socket.once('data', () => socket.write(`${head}\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`)),
    )
  const call = callOf(entry(await answering('HTTP/1.1 100 Continue')))
  const failure = await transport.send(call).catch((error: unknown) => error)
  t.match(failure, { kind: 'protocol', message: /begins with a 100 Continue, for which no request here asks/ })
  for (const head of [
    'HTTP/1.1 102 Processing',
    'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 103 Early Hints',
  ])
    t.equal(await transport.send(callOf(entry(await answering(head)))).then(textOf), 'ok')
})

t.test(
  'reports a body shorter than its length as cut, and one without a length as complete when it closes',
  async (t) => {
    const transport = new HttpTransport()
    t.teardown(() => transport.close())
    const short = await rawServer(t, (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\nabc')),
    )
    t.match(await attemptFailureOf(transport.send(callOf(entry(short))).then(textOf)), { kind: 'cut' })
    const chunked = await rawServer(t, (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n')),
    )
    t.match(await attemptFailureOf(transport.send(callOf(entry(chunked))).then(textOf)), { kind: 'cut' })
    const open = await rawServer(t, (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nabc')))
    t.equal(await transport.send(callOf(entry(open))).then(textOf), 'abc')
  },
)

t.test('reports a broken chunk within the body as a breach of protocol', async (t) => {
  const transport = new HttpTransport()
  t.teardown(() => transport.close())
  const answer = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nZZ\r\n'
  const url = await rawServer(t, (socket) => socket.once('data', () => socket.write(answer)))
  t.match(await attemptFailureOf(transport.send(callOf(entry(url))).then(textOf)), { kind: 'protocol' })
})

t.test('survives header names of a prototype and informational answers', async (t) => {
  const transport = new HttpTransport()
  t.teardown(() => transport.close())
  const answer =
    'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\nconnection: x-private\r\nx-private: 1\r\ncontent-length: 2\r\n\r\nok'
  const url = await rawServer(t, (socket) => socket.once('data', () => socket.write(answer)))
  const reply = await transport.send(callOf(entry(url)))
  t.equal(reply.status, 200)
  t.equal(reply.headers['x-private'], undefined, 'named by the connection header')
  t.equal(await textOf(reply), 'ok')
})

t.test('carries the abort of a client to the provider, before and within the answer', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.freeze(), behaviours.endless('data: x\n\n', { pauseMs: 1 }))
  const before = new AbortController()
  const waiting = attemptFailureOf(transport.send(callOf(entry(fake.url), { signal: before.signal })))
  await fake.received(1)
  before.abort()
  t.match(await waiting, { kind: 'aborted' })
  t.equal(await fake.requests[0]?.ended, 'closed-early')

  const within = new AbortController()
  const reply = await transport.send(callOf(entry(fake.url), { stream: true, signal: within.signal }))
  const reading = (async () => {
    for await (const _chunk of reply.body) within.abort()
  })()
  t.match(await attemptFailureOf(reading), { kind: 'aborted' })
  t.equal(await fake.requests[1]?.ended, 'closed-early')
})

t.test('sends nothing for a client that has already gone', async (t) => {
  const { fake, transport } = await setUp(t)
  t.match(await attemptFailureOf(transport.send(callOf(entry(fake.url), { signal: AbortSignal.abort() }))), {
    kind: 'aborted',
  })
  t.equal(fake.openConnections(), 0)
  fake.enqueue(behaviours.ok({}))
  await textOf(await transport.send(callOf(entry(fake.url))))
  t.equal(fake.requests.length, 1)
})

t.test('aborts the provider when the reader leaves the loop', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.endless('data: x\n\n', { pauseMs: 1 }))
  const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
  for await (const _chunk of reply.body) break
  t.equal(await fake.requests[0]?.ended, 'closed-early')
})

t.test('stops the provider while the reader does not read, and gives it all afterwards', async (t) => {
  const transport = new HttpTransport()
  t.teardown(() => transport.close())
  const total = 64 * 1024 * 1024
  const piece = Buffer.alloc(64 * 1024, 'x')
  let sent = 0
  let blocked: () => void = () => undefined
  const stalled = new Promise<void>((resolve) => (blocked = resolve))
  const url = await rawServer(t, (socket) => {
    const write = (): void => {
      while (sent < total) {
        sent += piece.length
        if (!socket.write(piece)) return void socket.once('drain', write)
      }
    }
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`)
      write()
      // The kernel's buffers are full when nothing more has left for a while.
      let last = -1
      const watch = setInterval(() => {
        if (sent === last) {
          clearInterval(watch)
          blocked()
        }
        last = sent
      }, 100)
    })
  })
  const reply = await transport.send(callOf(entry(url), { stream: true }))
  await stalled
  t.ok(sent < total / 2, `the provider could send ${sent} of ${total} bytes`)
  let received = 0
  for await (const chunk of reply.body) received += chunk.length
  t.equal(received, total)
})

t.test('does not run the idle clock against a reader that is slow', async (t) => {
  const { fake, transport } = await setUp(t)
  const chunks = Array.from({ length: 64 }, () => 'x'.repeat(65_536))
  fake.enqueue(behaviours.stream(chunks))
  const reply = await transport.send(
    callOf(entry(fake.url, { timeouts: { ...LONG, streamIdleMs: SHORT_MS } }), { stream: true }),
  )
  reply.firstContentSeen()
  await new Promise((resolve) => setTimeout(resolve, SHORT_MS * 3))
  t.equal((await textOf(reply)).length, chunks.join('').length)
})

t.test('streams a request of 1 MB and an answer of 1 MB', async (t) => {
  const { fake, transport } = await setUp(t)
  const text = 'y'.repeat(1_048_576)
  fake.enqueue(behaviours.ok({ text }))
  const reply = await transport.send(callOf(entry(fake.url), { body: JSON.stringify({ text }) }))
  t.equal(await textOf(reply), JSON.stringify({ text }))
  t.equal(fake.requests[0]?.body.length, text.length + 11)
})

t.test('understands an answer that is compressed although it was not asked for', async (t) => {
  const { fake, transport } = await setUp(t)
  const plain = Buffer.from('{"compressed":true}')
  const window = { [constants.ZSTD_c_windowLog]: 25 }
  const wide = zstdCompressSync(Buffer.alloc(32 * 1024 * 1024, 'ab'), { params: window })
  fake.enqueue(
    behaviours.status(200, gzipSync(plain), { 'content-encoding': 'gzip' }),
    behaviours.status(200, brotliCompressSync(plain), { 'content-encoding': 'br' }),
    behaviours.status(200, zstdCompressSync(plain), { 'content-encoding': 'zstd' }),
    behaviours.status(200, gzipSync(plain), { 'content-encoding': 'GZip' }),
    behaviours.status(200, plain, { 'content-encoding': 'Identity' }),
    behaviours.status(200, plain, { 'content-encoding': 'gzip' }),
    behaviours.status(200, plain, { 'content-encoding': 'compress' }),
    behaviours.status(200, wide, { 'content-encoding': 'zstd' }),
  )
  const from = entry(fake.url)
  for (const encoding of ['gzip', 'br', 'zstd', 'GZip', 'Identity']) {
    const reply = await transport.send(callOf(from))
    t.equal(await textOf(reply), plain.toString(), encoding)
    if (encoding !== 'Identity') t.equal(reply.headers['content-encoding'], undefined)
  }
  t.match(await attemptFailureOf(transport.send(callOf(from)).then(textOf)), { kind: 'protocol' }, 'not gzip')
  t.match(await attemptFailureOf(transport.send(callOf(from)).then(textOf)), { kind: 'protocol' }, 'unknown encoding')
  t.match(await attemptFailureOf(transport.send(callOf(from)).then(textOf)), { kind: 'protocol' }, 'a window of 32 MiB')
})

t.test('passes a cut and an abort through the decoding of a compressed answer', async (t) => {
  const { fake, transport } = await setUp(t)
  const half = gzipSync(Buffer.alloc(100_000, 'ab')).subarray(0, 40)
  const encoded = { headers: { 'content-encoding': 'gzip' } }
  fake.enqueue(behaviours.cutAfter([half], encoded), behaviours.stallAfter([half], encoded))
  const cut = await transport.send(callOf(entry(fake.url), { stream: true }))
  t.match(await attemptFailureOf(textOf(cut)), { kind: 'cut' })
  const gone = new AbortController()
  const reply = await transport.send(callOf(entry(fake.url), { stream: true, signal: gone.signal }))
  const reading = attemptFailureOf(textOf(reply))
  gone.abort()
  t.match(await reading, { kind: 'aborted' })
})

t.test('aborts the provider when the reader leaves a compressed answer', async (t) => {
  const { fake, transport } = await setUp(t)
  const head = gzipSync(Buffer.from(Array.from({ length: 65_536 }, (_, index) => (index * index * 31) % 251))).subarray(
    0,
    -20,
  )
  fake.otherwise(behaviours.stallAfter([head], { headers: { 'content-encoding': 'gzip' } }))
  const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
  for await (const _chunk of reply.body) break
  t.equal(await fake.requests[0]?.ended, 'closed-early')
  const unread = await transport.send(callOf(entry(fake.url), { stream: true }))
  await unread.body[Symbol.asyncIterator]().return?.()
  t.equal(await fake.requests[1]?.ended, 'closed-early', 'also one of which nothing was read')
})

t.test('refuses more exchanges at once than it has connections for', async (t) => {
  const fake = await startFakeProvider()
  const transport = new HttpTransport({ maxConnections: 1 })
  t.teardown(async () => {
    await fake.close()
    await transport.close()
  })
  fake.enqueue(behaviours.freeze(), behaviours.ok({}))
  const from = entry(fake.url)
  const abort = new AbortController()
  const first = attemptFailureOf(transport.send(callOf(from, { signal: abort.signal })))
  await fake.received(1)
  t.match(await attemptFailureOf(transport.send(callOf(from))), { kind: 'busy' })
  abort.abort()
  t.match(await first, { kind: 'aborted' })
  await fake.requests[0]?.ended
  t.equal((await transport.send(callOf(from))).status, 200, 'the place is free again')
})

t.test('leaves exchanges of a removed provider alone and closes its idle connections', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.enqueue(behaviours.stream(['data: 1\n\n', 'data: 2\n\n'], { pauseMs: 30 }))
  const reply = await transport.send(callOf(entry(fake.url), { stream: true }))
  const closed = transport.retain([])
  t.equal(await textOf(reply), 'data: 1\n\ndata: 2\n\n')
  await closed
  fake.enqueue(behaviours.ok({}))
  const late = await transport.send(callOf(entry(fake.url)))
  t.equal(late.status, 200, 'a request that kept the old configuration still gets through')
  await textOf(late)
})

t.test('keeps connections whose provider has not changed', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.otherwise(behaviours.ok({}))
  await textOf(await transport.send(callOf(entry(fake.url))))
  await transport.retain([entry(fake.url), provider('broken', [])])
  await turn()
  await textOf(await transport.send(callOf(entry(fake.url))))
  t.equal(fake.openConnections(), 1)
})

t.test('sends nothing after it was closed', async (t) => {
  const { fake, transport } = await setUp(t)
  await transport.close()
  t.match(await attemptFailureOf(transport.send(callOf(entry(fake.url)))), { kind: 'aborted' })
})
