import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { send } from '../../../src/proxy/server/send.ts'

/** A server whose answer to every request is the stream of `chunksOf` its path. */
async function serve(t: Test, chunksOf: (path: string) => AsyncIterable<string>): Promise<number> {
  const server = createServer((request, response) => {
    void send(response, {
      type: 'stream',
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      chunks: chunksOf(request.url ?? ''),
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function ask(port: number): Promise<IncomingMessage> {
  const [response] = await once(get({ port, host: '127.0.0.1' }), 'response')
  return response
}

async function* each(chunks: readonly string[], pauseMs = 0): AsyncGenerator<string> {
  for (const chunk of chunks) {
    yield chunk
    if (pauseMs > 0) await sleep(pauseMs)
  }
}

t.test('sends every chunk as it is, empty ones and any script too', async (t) => {
  const chunks = [
    '',
    'data: one\n\n',
    '',
    'data: zwölf €, 漢字, 🙂\n\n',
    'é',
    'x'.repeat(100_000),
    '漢'.repeat(50_000),
    'end',
  ]
  const port = await serve(t, () => each(chunks))
  t.equal(await text(await ask(port)), chunks.join(''))
  t.equal(await text(await ask(await serve(t, () => each([])))), '')
})

t.test('sends a chunk when it comes, not later', async (t) => {
  let release: (() => void) | undefined
  async function* chunks(): AsyncGenerator<string> {
    yield 'one'
    yield 'two'
    await new Promise<void>((resolve) => (release = resolve))
    yield 'three'
  }
  const response = await ask(await serve(t, chunks))
  let seen = ''
  response.setEncoding('utf8').on('data', (piece: string) => (seen += piece))
  while (seen !== 'onetwo') await sleep(1)
  release?.()
  await once(response, 'end')
  t.equal(seen, 'onetwothree')
})

t.test('answers an HTTP/1.0 client without chunks', async (t) => {
  const port = await serve(t, () => each(['one', 'two', 'drei'], 1))
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.0\r\n\r\n')
  t.match(await text(socket), /\r\n\r\nonetwodrei$/)
})

t.test('keeps answers apart that were asked for on one connection at once', async (t) => {
  const port = await serve(t, (path) => each([`${path}1 `, `${path}2 `, `${path}3 `], path === '/a' ? 5 : 0))
  const socket = connect(port, '127.0.0.1')
  const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  socket.write(request('/a') + request('/b') + request('/c', 'Connection: close\r\n'))
  const answers = (await text(socket)).split('HTTP/1.1 200 OK').slice(1)
  const bodies = answers.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4))
  for (const [index, path] of ['/a', '/b', '/c'].entries()) {
    t.equal(bodies[index]?.replaceAll(/[0-9a-f]+\r\n|\r\n/g, ''), `${path}1 ${path}2 ${path}3 `)
  }
})

t.test('reads on only as fast as the client reads, and ends when it leaves', async (t) => {
  let pulled = 0
  let ended = false
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        pulled += 1
        yield 'x'.repeat(64 * 1024)
      }
    } finally {
      ended = true
    }
  }
  const response = await ask(await serve(t, endless))
  response.pause()
  let before = -1
  while (before !== pulled) {
    before = pulled
    await sleep(100)
  }
  t.ok(pulled < 1_000)
  response.resume()
  while (pulled < before + 100) await sleep(1)
  response.destroy()
  while (!ended) await sleep(1)
  t.ok(ended)
})

t.test('an answer whose chunks fail is left, so that it ends', async (t) => {
  const failure = new Error('framing failed')
  let left = 0
  const chunks: AsyncIterableIterator<string, undefined, undefined> = {
    next: () => Promise.reject(failure),
    return: () => Promise.resolve({ done: true, value: void left++ }),
    [Symbol.asyncIterator]: () => chunks,
  }
  const sent = Promise.withResolvers<unknown>()
  const server = createServer((_request, response) => {
    const sending = send(response, { type: 'stream', status: 200, headers: {}, chunks })
    void sending?.catch((error: unknown) => {
      response.destroy()
      sent.resolve(error)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => {})
  t.equal(await sent.promise, failure)
  t.equal(left, 1)
})
