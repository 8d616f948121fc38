/** What the transport does while an answer that is not streamed has not begun, with real servers. */
import t from 'tap'
import type { Test } from 'tap'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { Secret } from '../../../src/domain/secret.ts'
import type { ProviderEntry } from '../../../src/domain/snapshot/snapshot.ts'
import type { ProviderReply } from '../../../src/proxy/pipeline/ports.ts'
import { HttpTransport, type TransportOptions } from '../../../src/proxy/providers/transport.ts'
import * as behaviours from '../../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour } from '../../helpers/fake-provider.ts'
import { attemptFailureOf, callOf, providerAt, textOf } from '../../helpers/provider-calls.ts'
import { provider } from '../../domain/routing/samples.ts'

/** None to the first byte. Those that a test does not wait for cannot interfere. */
const UNSTATED = { connectMs: 60_000, streamIdleMs: 60_000, totalMs: 120_000 }
const PATIENCE_MS = 50
const IMPATIENT = { firstByteMs: PATIENCE_MS, patienceMs: PATIENCE_MS, signOfLifeMs: 1_000 }
/** With a question that stays on its way until the test ends it. */
const WAITING = { firstByteMs: PATIENCE_MS, patienceMs: PATIENCE_MS, signOfLifeMs: 60_000 }

const CHAT = { path: '/v1/chat/completions' }
const HEALTH = { path: '/v1/models' }

function entry(url: string, fields: Partial<ProviderEntry> = {}): ProviderEntry {
  return providerAt(url, UNSTATED, fields)
}

function transportOf(test: Test, options: TransportOptions): HttpTransport {
  const transport = new HttpTransport(options)
  test.teardown(() => transport.close())
  return transport
}

async function setUp(test: Test, options: TransportOptions = IMPATIENT) {
  const fake = await startFakeProvider()
  test.teardown(() => fake.close())
  const transport = transportOf(test, options)
  return { fake, transport, from: entry(fake.url) }
}

async function textFrom(reply: Promise<ProviderReply>): Promise<string> {
  return textOf(await reply)
}

/** How an answer fails that must. */
function failureOf(reply: Promise<ProviderReply>) {
  return attemptFailureOf(textFrom(reply))
}

const FROZEN = { kind: 'timeout', clock: 'first-byte' }

/** Answers when the test says so. */
function held(behaviour: Behaviour): { behaviour: Behaviour; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    behaviour: async (exchange) => {
      await promise
      await behaviour(exchange)
    },
    release: resolve,
  }
}

async function listen(test: Test, server: Server): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

t.test('a server that accepts and never answers ends the attempt, and both connections', async (t) => {
  const closed: Promise<unknown>[] = []
  const server = createServer((socket) => {
    socket.resume()
    closed.push(once(socket, 'close'))
  })
  const { url } = await listen(t, server)
  const transport = transportOf(t, IMPATIENT)
  t.same(await failureOf(transport.send(callOf(entry(url)))), FROZEN)
  t.equal(closed.length, 2)
  await Promise.all(closed)
})

t.test('a server that is slow but lives is waited for, over and over', async (t) => {
  const { fake, transport, from } = await setUp(t)
  const answer = held(behaviours.ok({ late: true }))
  fake.otherwise(answer.behaviour, CHAT)
  const ports = new Set<number | undefined>()
  fake.otherwise(({ response, socket }) => {
    ports.add(socket.remotePort)
    // Its body comes later than its head, and is no part of the sign.
    response.writeHead(404).flushHeaders()
    setTimeout(() => response.end('no such route'), 10)
  }, HEALTH)
  const reply = textFrom(transport.send(callOf(from)))
  const requests = await fake.received(4)
  answer.release()
  t.equal(await reply, '{"late":true}')
  t.strictSame(
    requests.map(({ method, path }) => `${method} ${path}`),
    ['POST /v1/chat/completions', 'GET /v1/models', 'GET /v1/models', 'GET /v1/models'],
  )
  t.equal(ports.size, 1, 'the connection of a question serves the next one')
})

t.test('whatever the server says is a sign of life, and a large answer is not read', async (t) => {
  const { fake, transport, from } = await setUp(t)
  const answer = held(behaviours.ok({ late: true }))
  fake.otherwise(answer.behaviour, CHAT)
  fake.enqueueFor(
    HEALTH,
    behaviours.status(500),
    behaviours.redirect('http://127.0.0.1:1/'),
    behaviours.freezeAfterHeaders(),
    behaviours.endless('x'.repeat(100_000)),
    behaviours.status(401),
  )
  fake.otherwise(behaviours.ok({}), HEALTH)
  const reply = textFrom(transport.send(callOf(from)))
  const requests = await fake.received(7)
  t.equal(await requests[4]?.ended, 'closed-early')
  answer.release()
  t.equal(await reply, '{"late":true}')
})

t.test('the question is the health check, with the key of the calls', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.otherwise(behaviours.freeze())
  const { healthCheck } = provider('one', [])
  const from = entry(fake.url, { credentials: { type: 'Bearer' }, healthCheck: { ...healthCheck, path: '/health' } })
  t.same(await failureOf(transport.send(callOf(from, { credential: new Secret('sk-1') }))), FROZEN)
  t.match(fake.requests[1], { method: 'GET', path: '/health', body: '', headers: { authorization: 'Bearer sk-1' } })
})

t.test('all who wait share one question', async (t) => {
  const { fake, transport, from } = await setUp(t, {
    firstByteMs: PATIENCE_MS,
    patienceMs: PATIENCE_MS,
    signOfLifeMs: 2_000,
  })
  fake.otherwise(behaviours.freeze())
  const failures = await Promise.all(Array.from({ length: 50 }, () => failureOf(transport.send(callOf(from)))))
  for (const failure of failures) t.same(failure, FROZEN)
  t.equal(fake.requests.filter(({ method }) => method === 'GET').length, 1)
})

t.test('a client that leaves ends its call, and the last one the question', async (t) => {
  const { fake, transport, from } = await setUp(t, WAITING)
  fake.otherwise(behaviours.freeze())
  const [first, second] = [new AbortController(), new AbortController()]
  const failures = [first, second].map(({ signal }) => failureOf(transport.send(callOf(from, { signal }))))
  const requests = await fake.received(3)
  const [question] = requests.filter(({ method }) => method === 'GET')
  const ended: string[] = []
  void question?.ended.then(() => ended.push('question'))
  first.abort()
  await Promise.race(requests.map(({ ended }) => ended))
  t.match(await failures[0], { kind: 'aborted' })
  t.strictSame(ended, [], 'one still waits')
  second.abort()
  t.strictSame(await Promise.all(requests.map(({ ended }) => ended)), Array(3).fill('closed-early'))
  t.match(await failures[1], { kind: 'aborted' })
})

t.test('an answer that begins while the question is on its way ends it', async (t) => {
  const { fake, transport, from } = await setUp(t, WAITING)
  const answer = held(behaviours.ok({ late: true }))
  fake.otherwise(answer.behaviour, CHAT)
  fake.otherwise(behaviours.freeze(), HEALTH)
  const reply = textFrom(transport.send(callOf(from)))
  const requests = await fake.received(2)
  answer.release()
  t.equal(await reply, '{"late":true}')
  t.equal(await requests[1]?.ended, 'closed-early')
})

t.test('so does its head, and what comes of its body later', async (t) => {
  const { fake, transport, from } = await setUp(t, WAITING)
  const [head, body] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  fake.otherwise(async ({ response }) => {
    await head.promise
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    await body.promise
    response.write('[')
  }, CHAT)
  fake.otherwise(behaviours.freeze(), HEALTH)
  const abort = new AbortController()
  const text = failureOf(transport.send(callOf(from, { signal: abort.signal })))
  const first = (await fake.received(2))[1]
  head.resolve()
  t.equal(await first?.ended, 'closed-early')
  const second = (await fake.received(3))[2]
  body.resolve()
  t.equal(await second?.ended, 'closed-early')
  abort.abort()
  t.match(await text, { kind: 'aborted' })
})

t.test('the total clock runs on while the question is on its way', async (t) => {
  const { fake, transport } = await setUp(t, WAITING)
  fake.otherwise(behaviours.freeze())
  const from = entry(fake.url, { timeouts: { ...UNSTATED, totalMs: 1_000 } })
  t.same(await failureOf(transport.send(callOf(from))), { kind: 'timeout', clock: 'total' })
  t.strictSame(await Promise.all(fake.requests.map(({ ended }) => ended)), ['closed-early', 'closed-early'])
})

t.test('a head without a body is waited for as long as the server lives', async (t) => {
  const { fake, transport, from } = await setUp(t)
  fake.otherwise(behaviours.freezeAfterHeaders({ 'content-type': 'application/json' }), CHAT)
  fake.enqueueFor(HEALTH, behaviours.ok({}))
  fake.otherwise(behaviours.freeze(), HEALTH)
  const reply = await transport.send(callOf(from))
  t.equal(reply.status, 200)
  t.same(await failureOf(Promise.resolve(reply)), FROZEN)
  t.equal(fake.requests.length, 3)
})

t.test('a port that has been closed meanwhile is no sign of life', async (t) => {
  const server = createHttpServer(() => undefined)
  const { url } = await listen(t, server)
  const asked = once(server, 'request')
  const transport = transportOf(t, WAITING)
  const failure = failureOf(transport.send(callOf(entry(url))))
  await asked
  server.close()
  t.same(await failure, FROZEN)
})

t.test('a connection that breaks, or bytes that are no HTTP, are no sign of life', async (t) => {
  for (const behaviour of [behaviours.hangUp(), behaviours.reset(), behaviours.rawAnswer('SMTP ready\r\n\r\n')]) {
    const { fake, transport, from } = await setUp(t, WAITING)
    fake.otherwise(behaviours.freeze(), CHAT)
    fake.otherwise(behaviour, HEALTH)
    t.same(await failureOf(transport.send(callOf(from))), FROZEN)
  }
})

t.test('those who wait for a frozen server may take all connections: the question has its own', async (t) => {
  const { fake, transport, from } = await setUp(t, { maxConnections: 2, ...IMPATIENT })
  fake.otherwise(behaviours.freeze())
  const failures = [1, 2].map(() => failureOf(transport.send(callOf(from))))
  t.match(await failureOf(transport.send(callOf(from))), { kind: 'busy' })
  for (const failure of failures) t.same(await failure, FROZEN)
})

t.test('where too many entries of one server ask already, the server is waited for', async (t) => {
  const { fake, transport, from } = await setUp(t, WAITING)
  fake.otherwise(behaviours.freeze())
  const abort = new AbortController()
  const frozen = Array.from({ length: 4 }, () => {
    return failureOf(transport.send(callOf(entry(fake.url), { signal: abort.signal })))
  })
  await fake.received(8)
  fake.otherwise(behaviours.delayed(PATIENCE_MS * 4, behaviours.ok({ late: true })), CHAT)
  t.equal(await textFrom(transport.send(callOf(from))), '{"late":true}')
  t.equal(fake.requests.length, 9)
  abort.abort()
  for (const failure of frozen) t.match(await failure, { kind: 'aborted' })
})

/** What a question has is shorter than what came counts. */
const FORGIVING = { firstByteMs: 1_500, patienceMs: 1_500, signOfLifeMs: 1_000 }

t.test('the head of another answer is a sign of life, also where no body follows', async (t) => {
  const { fake, transport, from } = await setUp(t, FORGIVING)
  const answer = held(behaviours.ok({ late: true }))
  fake.otherwise(behaviours.freeze(), HEALTH)
  fake.enqueueFor(CHAT, answer.behaviour, behaviours.status(503, ''))
  const reply = textFrom(transport.send(callOf(from)))
  const question = (await fake.received(2))[1]
  t.equal(await textFrom(transport.send(callOf(from, { stream: true }))), '')
  t.equal(await question?.ended, 'closed-early')
  await fake.received(4)
  answer.release()
  t.equal(await reply, '{"late":true}')
})

t.test('so is one that is still to be followed by the answer proper', async (t) => {
  const { fake, transport, from } = await setUp(t, FORGIVING)
  const answer = held(behaviours.ok({ late: true }))
  fake.otherwise(answer.behaviour, CHAT)
  fake.otherwise(async (exchange) => {
    exchange.response.writeProcessing()
    await behaviours.freeze()(exchange)
  }, HEALTH)
  const reply = textFrom(transport.send(callOf(from)))
  await fake.received(3)
  answer.release()
  t.equal(await reply, '{"late":true}')
})

t.test('nobody asks while other answers come', async (t) => {
  const { fake, transport, from } = await setUp(t, { firstByteMs: 1_000, patienceMs: 1_000, signOfLifeMs: 60_000 })
  const answer = held(behaviours.ok({ late: true }))
  fake.otherwise(behaviours.endless('data: x\n\n', { pauseMs: 20 }))
  fake.enqueue(answer.behaviour)
  const reply = textFrom(transport.send(callOf(from)))
  await fake.received(1)
  const stream = await transport.send(callOf(from, { stream: true }))
  stream.firstContentSeen()
  const startedAt = performance.now()
  for await (const _chunk of stream.body) if (performance.now() - startedAt > 2_500) break
  answer.release()
  t.equal(await reply, '{"late":true}')
  t.equal(fake.requests.length, 2)
})

t.test('a stated time to the first byte is a hard one, as is that of a stream', async (t) => {
  const { fake, transport } = await setUp(t)
  fake.otherwise(behaviours.freeze())
  const stated = entry(fake.url, { timeouts: { ...UNSTATED, firstByteMs: PATIENCE_MS } })
  t.same(await failureOf(transport.send(callOf(stated))), FROZEN)
  t.same(await failureOf(transport.send(callOf(stated, { stream: true }))), FROZEN)
  t.same(await failureOf(transport.send(callOf(entry(fake.url), { stream: true }))), FROZEN)
  t.strictSame(new Set(fake.requests.map(({ method }) => method)), new Set(['POST']))
})

t.test('embeddings and token counts are watched over likewise', async (t) => {
  const { fake, transport, from } = await setUp(t)
  fake.otherwise(behaviours.freeze())
  for (const operation of ['embeddings', 'count-tokens'] as const) {
    t.same(await failureOf(transport.send(callOf(from, { operation }))), FROZEN)
  }
})

t.test('a provider that has left the configuration is still asked by those who wait for it', async (t) => {
  const { fake, transport, from } = await setUp(t)
  fake.otherwise(behaviours.freeze())
  const failure = failureOf(transport.send(callOf(from)))
  await fake.received(1)
  const left = transport.retain([])
  t.same(await failure, FROZEN)
  await left
})

t.test('after the end of the transport nobody is asked, and what waits may come', async (t) => {
  const { fake, transport, from } = await setUp(t)
  fake.otherwise(behaviours.delayed(PATIENCE_MS * 4, behaviours.ok({ late: true })))
  const reply = textFrom(transport.send(callOf(from)))
  await fake.received(1)
  const closed = transport.close()
  t.equal(await reply, '{"late":true}')
  await closed
  t.equal(fake.requests.length, 1)
})
