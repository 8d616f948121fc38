/** A server that closes a kept connection as the next request is sent over it. Bare sockets: they say when, and how. */
import t from 'tap'
import type { Test } from 'tap'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { TlsOptions } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AttemptError, ProviderCall } from '../../../src/proxy/pipeline/ports.ts'
import { HttpTransport, type TransportOptions } from '../../../src/proxy/providers/transport.ts'
import { createAuthority } from '../../helpers/certificates.ts'
import { attemptFailureOf, callOf, providerAt, textOf } from '../../helpers/provider-calls.ts'
import { startProxy } from '../../helpers/forward-proxy.ts'

const LONG = { connectMs: 60_000, firstByteMs: 60_000, streamIdleMs: 60_000, totalMs: 120_000 }
/** For tests of what is sent again: however busy this machine is. */
const LONG_CROSSING = { crossingMs: 60_000 }

type Closing = (socket: Socket) => void
const CLOSINGS: Readonly<Record<string, Closing>> = {
  'by FIN': (socket) => socket.end(),
  'by RST': (socket) => socket.resetAndDestroy(),
}

interface Request {
  readonly socket: Socket
  /** From 1, over all connections. */
  readonly number: number
  /** From 1, over this one. */
  readonly onConnection: number
}

interface RawServer {
  readonly url: string
  /** Each with how many requests came over it. */
  readonly connections: readonly { readonly socket: Socket; requests: number }[]
  readonly requests: () => number
}

/** Calls `serve` with each request as soon as its first bytes have come. */
async function startServer(t: Test, serve: (request: Request) => void, tls?: TlsOptions): Promise<RawServer> {
  const connections: { socket: Socket; requests: number }[] = []
  const requests = () => connections.reduce((sum, connection) => sum + connection.requests, 0)
  const accept = (socket: Socket) => {
    const connection = { socket, requests: 0 }
    connections.push(connection)
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      if (!/^(GET|POST) /.test(bytes.toString('latin1'))) return
      connection.requests++
      serve({ socket, number: requests(), onConnection: connection.requests })
    })
  }
  const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const { socket } of connections) socket.destroy()
    server.close()
  })
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: origin, connections, requests }
}

function answer({ socket }: Pick<Request, 'socket'>): void {
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
}

function sender(t: Test, url: string, options: TransportOptions = LONG_CROSSING, proxyUrl?: string) {
  const transport = new HttpTransport(options)
  t.teardown(() => transport.close())
  const plain = providerAt(url, LONG)
  const from = proxyUrl === undefined ? plain : { ...plain, endpoint: { ...plain.endpoint, proxyUrl } }
  const send = async (fields: Partial<ProviderCall> = {}) => {
    const reply = await transport.send(callOf(from, fields))
    return { body: await textOf(reply), sentAgain: reply.sentAgain }
  }
  return { transport, from, send }
}

/** undici waits a turn of the event loop before it uses a connection again. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve))
}

for (const [how, close] of Object.entries(CLOSINGS)) {
  t.test(
    'a connection is not kept for as long as the server would: what lies between may have forgotten it',
    async (t) => {
      const server = await startServer(t, ({ socket }) =>
        socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=600\r\ncontent-length: 2\r\n\r\n{}'),
      )
      const { send } = sender(t, server.url, { longestKeepAliveMs: 50 })
      await send()
      const [kept] = server.connections
      await new Promise((resolve) => kept?.socket.once('close', resolve))
      await send()
      t.equal(server.connections.length, 2)
    },
  )

  t.test(`closed ${how} as the request arrives: it goes out once more, over a new connection`, async (t) => {
    for (const stream of [false, true]) {
      const server = await startServer(t, (request) => {
        if (request.onConnection === 2) close(request.socket)
        else answer(request)
      })
      const { send } = sender(t, server.url)
      t.same(await send({ stream }), { body: '{}', sentAgain: false })
      await turn()
      t.same(await send({ stream }), { body: '{}', sentAgain: true })
      t.same(
        server.connections.map(({ requests }) => requests),
        [2, 1],
      )
    }
  })

  t.test(`closed ${how} just before the request: it is sent once`, async (t) => {
    const server = await startServer(t, answer)
    const { send } = sender(t, server.url)
    await send()
    await turn()
    for (const { socket } of server.connections) close(socket)
    t.match(await send(), { body: '{}' })
    t.equal(server.requests(), 2)
  })

  t.test(`closed ${how} while undici still looks whether it is: it is sent once`, async (t) => {
    const server = await startServer(t, answer)
    const { send } = sender(t, server.url)
    await send()
    await turn()
    // Before the sockets are read in this turn of the event loop; undici writes after that.
    const sent = new Promise<{ body: string }>((resolve) => {
      setTimeout(() => {
        for (const { socket } of server.connections) close(socket)
        resolve(send())
      })
    })
    t.match(await sent, { body: '{}' })
    t.equal(server.requests(), 2)
  })

  t.test(`closed ${how} long after the request, when the model may be at work: it failed`, async (t) => {
    const server = await startServer(t, (request) => {
      if (request.onConnection === 1) answer(request)
      else void sleep(50).then(() => close(request.socket))
    })
    const { send } = sender(t, server.url, { crossingMs: 10 })
    await send()
    await turn()
    t.match(await attemptFailureOf(send()), { kind: 'cut' })
    t.equal(server.requests(), 2)
  })

  t.test(`closed ${how} after a part of the answer: it failed`, async (t) => {
    const parts = ['H', 'HTTP/1.1 200 OK\r\ncontent-le', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}']
    for (const part of [...parts, 'HTTP/1.1 103 Early Hints\r\n\r\n']) {
      const server = await startServer(t, (request) => {
        if (request.onConnection === 1) answer(request)
        // What was written is lost where the reset is not put off until it has been read.
        else request.socket.write(part, () => void sleep(20).then(() => close(request.socket)))
      })
      const { send } = sender(t, server.url)
      await send()
      await turn()
      t.match(await attemptFailureOf(send()), { kind: /cut|protocol/ })
      t.equal(server.requests(), 2)
    }
  })

  t.test(`closed ${how} as the first request of a connection arrives: it failed`, async (t) => {
    const server = await startServer(t, ({ socket }) => close(socket))
    const { send } = sender(t, server.url)
    t.match(await attemptFailureOf(send()), { kind: 'cut' })
    t.equal(server.requests(), 1)
  })

  t.test(`closed ${how} again: twice is all it is sent`, async (t) => {
    const server = await startServer(t, (request) => {
      if (request.number === 1) answer(request)
      else close(request.socket)
    })
    const { send } = sender(t, server.url)
    await send()
    await turn()
    t.match(await attemptFailureOf(send()), { kind: 'cut' })
    t.equal(server.requests(), 3)
  })

  t.test(`fifty kept connections closed ${how} at once, as requests arrive or while they are sent`, async (t) => {
    const all = Array.from({ length: 50 })
    let closing = false
    const server = await startServer(t, (request) => {
      if (!closing || request.onConnection === 1) return void setTimeout(() => answer(request), 20)
      for (const { socket, requests } of server.connections) if (requests > 0) close(socket)
      closing = false
    })
    const { send } = sender(t, server.url, { ...LONG_CROSSING, maxConnections: 50 })
    for (let round = 0; round < 3; round++) {
      await Promise.all(all.map(() => send()))
      await turn()
      closing = true
      const answers = await Promise.all(all.map(() => send()))
      t.ok(answers.every(({ body }) => body === '{}'))
      t.ok(answers.some(({ sentAgain }) => sentAgain))
      await turn()
    }
  })
}

t.test('the fresh connection that cannot be had is a failed connection', async (t) => {
  const server = createServer((socket) => {
    let requests = 0
    socket.on('error', () => socket.destroy())
    socket.on('data', () => {
      if (++requests === 1) return answer({ socket })
      server.close()
      socket.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { send } = sender(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await send()
  await turn()
  t.match(await attemptFailureOf(send()), { kind: 'connect' })
})

t.test('a client that has left by then is not stood in for', async (t) => {
  const client = new AbortController()
  const server = await startServer(t, (request) => {
    if (request.onConnection === 1) return answer(request)
    client.abort()
    request.socket.resetAndDestroy()
  })
  const { send } = sender(t, server.url)
  await send()
  await turn()
  t.match(await attemptFailureOf(send({ signal: client.signal })), { kind: 'aborted' })
  await sleep(20)
  t.equal(server.requests(), 2)
})

t.test('one that leaves while the second connection waits for the answer ends it', async (t) => {
  const client = new AbortController()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const server = await startServer(t, (request) => {
    if (request.number === 1) return answer(request)
    if (request.number === 2) return request.socket.resetAndDestroy()
    request.socket.on('close', resolve)
    client.abort()
  })
  const { send } = sender(t, server.url)
  await send()
  await turn()
  t.match(await attemptFailureOf(send({ signal: client.signal })), { kind: 'aborted' })
  await closed
})

t.test('through the tunnel of a forward proxy likewise', async (t) => {
  const server = await startServer(t, (request) => {
    if (request.onConnection === 2) request.socket.end()
    else answer(request)
  })
  const { proxyUrl, targets } = await startProxy(t)
  const { send } = sender(t, server.url, LONG_CROSSING, proxyUrl)
  t.same(await send(), { body: '{}', sentAgain: false })
  await turn()
  t.same(await send(), { body: '{}', sentAgain: true })
  t.equal(targets.length, 2)
})

t.test('a health check is no failure for that reason', async (t) => {
  const server = await startServer(t, (request) => {
    if (request.onConnection === 2) request.socket.end()
    else answer(request)
  })
  const { transport, from, send } = sender(t, server.url)
  await send()
  await turn()
  const signal = new AbortController().signal
  t.equal(await transport.probe({ provider: from, credential: undefined, signal }), 200)
  t.equal(server.requests(), 3)
})

t.test('no connection is kept for longer than the server says', async (t) => {
  const server = await startServer(t, ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\n{}')
  })
  const { send } = sender(t, server.url)
  await send()
  await turn()
  t.same(await send(), { body: '{}', sentAgain: false })
  t.equal(server.connections.length, 2)
})

t.test('over TLS, to a server of an authority of its own, likewise', async (t) => {
  const { ca, issue } = createAuthority()
  const { certificate: cert, privateKey: key } = issue()
  const closing = (request: Request) => (request.onConnection === 2 ? request.socket.end() : answer(request))
  const server = await startServer(t, closing, { cert, key })
  const { transport, from } = sender(t, server.url)
  const trusting = { ...from, endpoint: { ...from.endpoint, ca } }
  for (const sentAgain of [false, true]) {
    const reply = await transport.send(callOf(trusting))
    t.same({ body: await textOf(reply), sentAgain: reply.sentAgain }, { body: '{}', sentAgain })
    await turn()
  }
  t.equal(server.connections.length, 2)
})

t.test('the place among the connections is given back, and the connection made for it is closed', async (t) => {
  const server = await startServer(t, (request) => {
    if (request.onConnection === 2 || request.number % 5 === 0) request.socket.resetAndDestroy()
    else answer(request)
  })
  const { send } = sender(t, server.url, { ...LONG_CROSSING, maxConnections: 1 })
  const found = { once: 0, again: 0, cut: 0 }
  for (let count = 0; count < 60; count++) {
    const one = await send().catch(({ kind }: AttemptError) => kind)
    if (typeof one === 'string') t.equal(one, 'cut')
    found[typeof one === 'string' ? 'cut' : one.sentAgain === true ? 'again' : 'once']++
    await turn()
  }
  t.ok(Math.min(...Object.values(found)) > 0)
  // Else this waits in vain.
  while (server.connections.filter(({ socket }) => !socket.destroyed).length > 1) await turn()
})

t.test('what could be sent again is in memory once', async (t) => {
  const server = await startServer(t, ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n')
  })
  const { transport, from } = sender(t, server.url)
  const client = new AbortController()
  const before = heapBytes()
  const replies = []
  for (let count = 0; count < 20; count++) {
    const body = JSON.stringify({ model: 'm', content: `${count}${'.'.repeat(1_000_000)}` })
    replies.push(await transport.send(callOf(from, { stream: true, body, signal: client.signal })))
  }
  // The HTTP client keeps the bytes that it sends, outside the heap, as long as the answer lasts.
  t.ok(heapBytes() - before < 10_000_000)
  client.abort()
  for (const reply of replies) t.match(await attemptFailureOf(textOf(reply)), { kind: 'aborted' })
})

/** Of what is in use. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
