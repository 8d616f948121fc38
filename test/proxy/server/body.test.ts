/** Bodies over real sockets: what there is no room for stays in the client's socket. */
import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import t, { type Test } from 'tap'
import { GatewayError } from '../../../src/domain/errors.ts'
import { CallCancellation } from '../../../src/proxy/pipeline/call-cancellation.ts'
import { readBody } from '../../../src/proxy/server/body.ts'
import { BodyMemory } from '../../../src/proxy/server/body-shares.ts'
import { bodyCost, SMALL_BODY_BYTES } from '../../../src/proxy/server/body-memory.ts'

const MIB = 1024 * 1024
const MAX_BODY = 4 * MIB

interface Scene {
  readonly budget: BodyMemory
  /** Answers that wait for `finish`; each body that has been read whole is one. */
  readonly read: Uint8Array[]
  /** Sockets of the server's side, in order of connection. */
  readonly sockets: Socket[]
  /** The pipeline's part: ends all requests that have been read. */
  finish(): void
  /** The process leaves. */
  leave(): void
  /** Resolves when `condition` holds; looked at whenever something has happened to a body. */
  until(condition: () => boolean): Promise<void>
  start(headers?: Record<string, string | number>): ClientRequest
}

/** A server that reads bodies within a budget of one largest body, and holds them until it is told. */
async function scene(
  t: Test,
  options: { maxWaitMs?: number; slowAfterMs?: number; maxBodyBytes?: number } = {},
): Promise<Scene> {
  const budget = new BodyMemory({ bytes: 0, maxBodyBytes: MAX_BODY, maxWaitMs: 60_000, ...options })
  const { maxBodyBytes = MAX_BODY } = options
  const read: Uint8Array[] = []
  const sockets: Socket[] = []
  const clients: CallCancellation[] = []
  let finished = Promise.withResolvers<void>()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const share = budget.open()
    const client = new CallCancellation()
    clients.push(client)
    try {
      const body = await readBody(request, maxBodyBytes, share, client)
      read.push(body)
      await finished.promise
      response.end(String(body.length))
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      response.writeHead(error.status).end(error.code)
    } finally {
      share.release()
    }
  }
  const server = createServer((request, response) => void serve(request, response))
  server.on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    finished.resolve()
    server.closeAllConnections()
    server.close()
  })
  return {
    budget,
    read,
    sockets,
    finish() {
      finished.resolve()
      finished = Promise.withResolvers()
    },
    leave() {
      for (const client of clients) client.abort()
    },
    async until(condition) {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    start: (headers) => start(server, headers),
  }
}

function start(server: Server, headers: Record<string, string | number> = {}): ClientRequest {
  const { port } = server.address() as AddressInfo
  const client = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  })
  client.on('error', () => undefined)
  return client
}

async function answerOf(client: ClientRequest): Promise<string> {
  const [response] = (await once(client, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return `${response.statusCode} ${text}`
}

/** JSON of so many bytes that costs nothing beyond its text. */
function textOf(bytes: number): Buffer {
  return Buffer.from(`"${'x'.repeat(bytes - 2)}"`)
}

t.test('a body is read as it was sent, announced or not, small or large', async (t) => {
  const { budget, read, finish, until, start } = await scene(t)
  for (const bytes of [0, 1, 1_000, 65_536, 65_537, 300_000, MAX_BODY]) {
    for (const announced of [true, false]) {
      const body = Buffer.from(Array.from({ length: bytes }, (_, index) => 97 + (index % 26)))
      const client = start(announced ? { 'content-length': bytes } : { 'transfer-encoding': 'chunked' })
      for (let at = 0; at < bytes; at += 50_000) client.write(body.subarray(at, at + 50_000))
      client.end()
      const answer = answerOf(client)
      await until(() => read.length === 1)
      t.ok(body.equals(read.pop() ?? new Uint8Array()), `${bytes} ${announced}`)
      t.equal(budget.heldBytes, bodyCost(bytes))
      finish()
      t.equal(await answer, `200 ${bytes}`)
      t.equal(budget.heldBytes, 0)
    }
  }
})

t.test('what there is no room for is not read, and is when there is', async (t) => {
  const { budget, read, sockets, finish, until, start } = await scene(t)
  const first = start({ 'content-length': MAX_BODY })
  first.end(textOf(MAX_BODY))
  await until(() => read.length === 1)
  const second = start({ 'content-length': MAX_BODY })
  let isThrough = false
  second.end(textOf(MAX_BODY), () => (isThrough = true))
  await until(() => budget.waiting === 1)
  const answers = [answerOf(first), answerOf(second)]
  // Small ones are served meanwhile.
  const small = start({ 'content-length': 4 })
  small.end('"xx"')
  await until(() => read.length === 2)
  t.ok((sockets[1]?.bytesRead ?? MAX_BODY) < 256 * 1024, 'at most two reads of the socket')
  t.notOk(isThrough)
  finish()
  t.equal(await answers[0], `200 ${MAX_BODY}`)
  await until(() => read.length === 3)
  finish()
  t.equal(await answers[1], `200 ${MAX_BODY}`)
  t.equal(budget.heldBytes, 0)
})

t.test('a chunked body stops where it is no longer small, until there is room for a large one', async (t) => {
  const { budget, read, sockets, finish, until, start } = await scene(t)
  const first = start({ 'content-length': MAX_BODY })
  first.end(textOf(MAX_BODY))
  await until(() => read.length === 1)
  const second = start({ 'transfer-encoding': 'chunked' })
  second.end(textOf(2 * MIB))
  await until(() => budget.waiting === 1)
  const answers = [answerOf(first), answerOf(second)]
  t.ok((sockets[1]?.bytesRead ?? MAX_BODY) < 512 * 1024)
  finish()
  await until(() => read.length === 2)
  t.equal(read[1]?.length, 2 * MIB)
  await until(() => budget.heldBytes === bodyCost(2 * MIB))
  finish()
  t.equal((await answers[0])?.slice(0, 3), '200')
  t.equal(await answers[1], `200 ${2 * MIB}`)
  t.equal(budget.heldBytes, 0)
})

t.test('who waits in vain is refused, announced or chunked, and the connection lives', async (t) => {
  const { budget, read, until, start } = await scene(t, { maxWaitMs: 20 })
  const first = start({ 'content-length': MAX_BODY })
  first.end(textOf(MAX_BODY))
  await until(() => read.length === 1)
  for (const headers of [{ 'content-length': MAX_BODY }, { 'transfer-encoding': 'chunked' }]) {
    const client = start(headers)
    client.end(textOf(MAX_BODY))
    t.equal(await answerOf(client), '429 rate_limit_exceeded')
  }
  t.equal(budget.heldBytes, bodyCost(MAX_BODY))
  t.equal(budget.waiting, 0)
})

t.test('who is slow with the room it has been given gives way to those that wait, and to nobody else', async (t) => {
  const { budget, read, finish, until, start } = await scene(t, { slowAfterMs: 20 })
  for (const headers of [{ 'content-length': MAX_BODY }, { 'transfer-encoding': 'chunked' }]) {
    const slow = start(headers)
    slow.write(textOf(MIB))
    await until(() => budget.heldBytes === bodyCost(MAX_BODY))
    const next = start({ 'content-length': MAX_BODY })
    next.end(textOf(MAX_BODY))
    t.equal(await answerOf(slow), '408 request_timeout')
    const answer = answerOf(next)
    await until(() => read.length === 1)
    read.pop()
    finish()
    t.equal(await answer, `200 ${MAX_BODY}`)
    slow.destroy()
  }
  // Waiting is not being slow.
  const holding = start({ 'content-length': MAX_BODY })
  holding.end(textOf(MAX_BODY))
  await until(() => read.length === 1)
  const waiting = start({ 'transfer-encoding': 'chunked' })
  waiting.end(textOf(MIB))
  await until(() => budget.waiting === 1)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const granted = answerOf(waiting)
  finish()
  await until(() => read.length === 2)
  read.length = 0
  finish()
  t.equal(await granted, `200 ${MIB}`)

  const alone = start({ 'content-length': MIB })
  const text = textOf(MIB)
  alone.write(text.subarray(0, 1_000))
  await new Promise((resolve) => setTimeout(resolve, 100))
  alone.end(text.subarray(1_000))
  const answer = answerOf(alone)
  await until(() => read.length === 1)
  finish()
  t.equal(await answer, `200 ${MIB}`)
})

t.test('small bodies that come slowly give way as well', async (t) => {
  const { budget, read, finish, until, start } = await scene(t, { slowAfterMs: 20 })
  const told: string[] = []
  const slow: ClientRequest[] = []
  // Until there is room for no more of them, which is when the first of them are told.
  while (told.length === 0) {
    const client = start({ 'content-length': SMALL_BODY_BYTES })
    client.write('"')
    slow.push(client)
    answerOf(client).then(
      (answer) => told.push(answer),
      () => undefined,
    )
    await until(() => budget.heldBytes === slow.length * bodyCost(SMALL_BODY_BYTES) || told.length > 0)
  }
  t.equal(told[0], '408 request_timeout')
  slow.at(-1)?.end(textOf(SMALL_BODY_BYTES).subarray(1))
  await until(() => read.length === 1)
  finish()
  await until(() => told.includes(`200 ${SMALL_BODY_BYTES}`))
})

t.test('clients that break off give their share back, while they send and while they wait', async (t) => {
  const { budget, read, until, start } = await scene(t)
  const first = start({ 'content-length': MAX_BODY })
  first.write('"')
  await until(() => budget.heldBytes === bodyCost(MAX_BODY))
  const waiting = [start({ 'content-length': MAX_BODY }), start({ 'transfer-encoding': 'chunked' })]
  for (const client of waiting) client.write(textOf(MIB))
  await until(() => budget.waiting === 2)
  for (const client of waiting) client.destroy()
  first.destroy()
  await until(() => budget.heldBytes === 0 && budget.waiting === 0)
  t.equal(read.length, 0)
})

t.test('a client that breaks off while its whole body waits for more room gives its share back', async (t) => {
  const { budget, read, until, start } = await scene(t)
  const holding = start({ 'content-length': 3 * MIB })
  holding.end(textOf(3 * MIB))
  await until(() => read.length === 1)
  const dense = Buffer.from(`[${'[],'.repeat(100_000)}0]`)
  const client = start({ 'content-length': dense.length })
  client.end(dense)
  await until(() => budget.waiting === 1)
  t.equal(budget.heldBytes, bodyCost(3 * MIB) + bodyCost(dense.length))
  client.destroy()
  await until(() => budget.waiting === 0)
  await until(() => budget.heldBytes === bodyCost(3 * MIB))
})

t.test('who is still sending when the process leaves is told, and so is who waits for room', async (t) => {
  const { budget, read, leave, until, start } = await scene(t)
  const holding = start({ 'content-length': MAX_BODY })
  holding.end(textOf(MAX_BODY))
  await until(() => read.length === 1)
  const clients = [start({ 'content-length': 1_000 }), start({ 'transfer-encoding': 'chunked' })]
  for (const client of clients) client.write('"')
  clients.push(start({ 'content-length': MAX_BODY }))
  clients.at(-1)?.write('"')
  await until(() => budget.waiting === 1 && budget.heldBytes > bodyCost(MAX_BODY) + bodyCost(1_000))
  leave()
  for (const client of clients) t.equal(await answerOf(client), '499 client_closed_request')
  t.equal(budget.waiting, 0)
  t.equal(budget.heldBytes, bodyCost(MAX_BODY))
})

t.test('a chunked body above the limit is refused and its share given back', async (t) => {
  const { budget, start, until } = await scene(t)
  const client = start({ 'transfer-encoding': 'chunked' })
  client.end(textOf(MAX_BODY + 1))
  t.equal(await answerOf(client), '413 request_too_large')
  await until(() => budget.heldBytes === 0)
})

t.test('who sends many times the limit is read to its end, and reads why it is refused', async (t) => {
  const { budget, sockets, until, start } = await scene(t, { maxBodyBytes: 1_000 })
  for (const bytes of [2_001, 70_000, 8 * MIB]) {
    const client = start({ 'transfer-encoding': 'chunked', connection: 'keep-alive' })
    client.end(textOf(bytes))
    t.equal(await answerOf(client), '413 request_too_large')
    await until(() => (sockets.at(-1)?.bytesRead ?? 0) > bytes)
    t.equal(budget.heldBytes, 0)
    client.destroy()
  }
})

t.test('what is in a small body counts where it is nothing but structure', async (t) => {
  const { budget, read, finish, until, start } = await scene(t)
  const parameters = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } }
  const tools = Array.from({ length: 300 }, (_, index) => ({
    type: 'function',
    function: { name: `tool_${index}`, description: 'Tells how the weather will be.', parameters },
  }))
  const chat = Buffer.from(JSON.stringify({ model: 'm', tools }))
  t.ok(chat.length > 50_000 && chat.length < SMALL_BODY_BYTES)
  const dense = Buffer.from(`[${'[],'.repeat(20_000)}0]`)
  const tiny = Buffer.from(`[${'[],'.repeat(300)}0]`)
  for (const [body, least, most] of [
    [chat, bodyCost(chat.length), bodyCost(chat.length)],
    [dense, 20_000 * 64, 20_000 * 100],
    [tiny, bodyCost(tiny.length), bodyCost(tiny.length)],
  ] as const) {
    const client = start({ 'content-length': body.length })
    client.end(body)
    const answer = answerOf(client)
    await until(() => read.length === 1)
    t.ok(budget.heldBytes >= least && budget.heldBytes <= most, `${body.length} bytes hold ${budget.heldBytes}`)
    read.pop()
    finish()
    t.equal(await answer, `200 ${body.length}`)
  }
})

t.test('what is in a large body counts as well', async (t) => {
  const { budget, read, finish, until, start } = await scene(t)
  const messages = Array.from({ length: 500 }, (_, index) => ({
    role: 'user',
    content: `message ${index} ${'x'.repeat(400)}`,
  }))
  const chat = Buffer.from(JSON.stringify({ model: 'm', stream: true, messages }))
  const ordinary = start({ 'content-length': chat.length })
  ordinary.end(chat)
  const told = answerOf(ordinary)
  await until(() => read.length === 1)
  t.equal(budget.heldBytes, bodyCost(chat.length), 'a conversation takes what its texts take')
  read.pop()
  finish()
  await told
  const dense = Buffer.from(`[${'[],'.repeat(100_000)}0]`)
  const client = start({ 'content-length': dense.length })
  client.end(dense)
  const answer = answerOf(client)
  await until(() => read.length === 1)
  t.ok(budget.heldBytes > bodyCost(dense.length) + 100_000 * 64, 'arrays take more than their text')
  finish()
  t.equal(await answer, `200 ${dense.length}`)
  const denser = Buffer.from(`[${'[],'.repeat(1_000_000)}0]`)
  const refused = start({ 'content-length': denser.length })
  refused.end(denser)
  t.equal(await answerOf(refused), '413 request_too_large')
  t.equal(budget.heldBytes, 0)
})
