import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { openai } from '../../../src/proxy/adapters/openai.ts'
import type { Outgoing } from '../../../src/proxy/pipeline/exchange.ts'
import { serve } from '../../../src/proxy/server/serve.ts'

type Chunks = (path: string) => AsyncIterable<string>

/** A connection to a server whose answer to every request is the stream of `chunksOf` its path. @param broke told of each that breaks off */
async function connected(t: Test, chunksOf: Chunks, broke: () => void): Promise<Socket> {
  const quiet = () => undefined
  const log = { debug: quiet, info: quiet, warn: quiet, error: broke }
  const server = createServer((request, response) => {
    const answer: Outgoing = { type: 'stream', status: 200, headers: {}, chunks: chunksOf(request.url ?? '') }
    void serve(answer, { adapter: openai, query: '' }, response, { log })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  return client
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

async function* broken(): AsyncGenerator<string> {
  yield 'half'
  throw new Error('of the framing')
}

t.test('an answer that breaks off ends its connection, so that it does not look whole', async (t) => {
  const client = await connected(t, broken, () => undefined)
  client.write(get('/'))
  t.notMatch(await text(client), /\r\n0\r\n/)
})

t.test(
  'an answer that breaks off behind an earlier one on its connection lets that one end, and is not sent',
  async (t) => {
    const broke = Promise.withResolvers<void>()
    async function* earlier(): AsyncGenerator<string> {
      yield 'earlier'
      await broke.promise
      yield ', whole'
    }
    const client = await connected(t, (path) => (path === '/earlier' ? earlier() : broken()), broke.resolve)
    client.write(get('/earlier') + get('/broken'))
    const got = await text(client)
    t.match(got, /earlier[^]*, whole\r\n0\r\n\r\n$/)
    t.notMatch(got, 'half')
  },
)
