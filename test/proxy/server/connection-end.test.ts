import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { GatewayError } from '../../../src/domain/errors.ts'
import { CallCancellation } from '../../../src/proxy/pipeline/call-cancellation.ts'
import { readBody } from '../../../src/proxy/server/body.ts'
import { BodyBudget } from '../../../src/proxy/server/body-budget.ts'
import { ConnectionEnd } from '../../../src/proxy/server/connection-end.ts'
import { RunningAnswers } from '../../../src/proxy/server/running-answers.ts'

t.test('a client whose request does not come is told so, and then cut off though it stays', async (t) => {
  const server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 10 })
  const end = new ConnectionEnd(new RunningAnswers(), 10)
  server.on('clientError', (error, socket) => end.onClientError(error, socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  // It does not answer the end of the other side with its own.
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => client.destroy())
  client.on('error', () => undefined)
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
  const running = new RunningAnswers()
  const server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 10 })
  const end = new ConnectionEnd(running, 10)
  const told = new Promise<void>((resolve) => {
    server.on('clientError', (error, socket) => {
      end.onClientError(error, socket)
      resolve()
    })
  })
  running.watch(server)
  server.on('request', async (_request, response) => {
    response.write('half an answer, ')
    await told
    response.end('and its end')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1' })
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HT')
  const answers = await text(client)
  t.match(
    answers,
    /^HTTP\/1\.1 200 [^]*half an answer, \r\n[^]*and its end\r\n0\r\n\r\nHTTP\/1\.1 408 [^]*"code":"request_timeout"/,
  )
})

t.test('one whose body does not come is told so by who reads it', async (t) => {
  const running = new RunningAnswers()
  const server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 10 })
  const end = new ConnectionEnd(running, 10)
  server.on('clientError', (error, socket) => end.onClientError(error, socket))
  running.watch(server)
  const share = new BodyBudget({ bytes: 1e6, maxBodyBytes: 1000 }).open()
  server.on('request', async (request, response) => {
    const refusal = await readBody(request, 1000, share, new CallCancellation()).catch((error: unknown) => error)
    response.end(refusal instanceof GatewayError ? `refused: ${refusal.code}` : 'read')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1' })
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\nhalf')
  t.match(await text(client), /connection: close[^]*refused: request_timeout$/i)
})
