import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { GatewayError } from '../../../src/domain/errors.ts'
import { CallCancellation } from '../../../src/proxy/pipeline/call-cancellation.ts'
import { readBody } from '../../../src/proxy/server/body.ts'
import { BodyMemory } from '../../../src/proxy/server/body-shares.ts'
import { ConnectionEnd } from '../../../src/proxy/server/connection-end.ts'
import { RunningAnswers } from '../../../src/proxy/server/running-answers.ts'

/** A server whose clients have 300 ms for a request, and a connection to it that does not end when the other side has. */
async function connected(t: Test, onRequest: RequestListener) {
  const running = new RunningAnswers()
  const end = new ConnectionEnd(running, 10)
  const server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 10 }, onRequest)
  server.on('clientError', (error, socket) => end.onClientError(error, socket))
  running.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => undefined)
  t.teardown(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { server, client }
}

t.test('a client whose request does not come is told so, and then cut off though it stays', async (t) => {
  const { server, client } = await connected(t, () => undefined)
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf')
  const told = text(client)
  const [request] = (await once(server, 'request')) as [IncomingMessage]
  request.on('error', () => undefined)
  const closed = new Promise((resolve) => request.on('close', resolve))
  t.match(await told, /^HTTP\/1\.1 408 [^]*"code":"request_timeout"/)
  await closed
  t.ok(request.destroyed)
})

t.test('a request that does not come is told of behind an answer that is being written', async (t) => {
  const told = Promise.withResolvers<void>()
  const { server, client } = await connected(t, async (_request, response) => {
    response.write('half an answer, ')
    await told.promise
    response.end('and its end')
  })
  server.on('clientError', () => told.resolve())
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HT')
  const answers =
    /^HTTP\/1\.1 200 [^]*half an answer, \r\n[^]*and its end\r\n0\r\n\r\nHTTP\/1\.1 408 [^]*"code":"request_timeout"/
  t.match(await text(client), answers)
})

t.test('one whose body does not come is told so by who reads it', async (t) => {
  const share = new BodyMemory({ bytes: 1e6, maxBodyBytes: 1000 }).open()
  const { client } = await connected(t, async (request, response) => {
    const refusal = await readBody(request, 1000, share, new CallCancellation()).catch((error: unknown) => error)
    response.end(refusal instanceof GatewayError ? `refused: ${refusal.code}` : 'read')
  })
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\nhalf')
  t.match(await text(client), /connection: close[^]*refused: request_timeout$/i)
})

t.test('one that has come late, but before it could be said, is answered and nothing else is said', async (t) => {
  const told = Promise.withResolvers<void>()
  const whole = Promise.withResolvers<void>()
  const { server, client } = await connected(t, async (request, response) => {
    if (request.url === '/2') whole.resolve()
    else await Promise.all([told.promise, whole.promise])
    response.end(`answer ${request.url}`)
  })
  server.on('clientError', () => told.resolve())
  client.write('GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HT')
  await told.promise
  client.write('TP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  const answers = await text(client)
  t.match(answers, /^HTTP\/1\.1 200 [^]*answer \/1[^]*HTTP\/1\.1 200 [^]*answer \/2\r\n0\r\n\r\n$|answer \/2$/)
  t.notMatch(answers, /408/)
})
