import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { onClientError } from '../../../src/proxy/server/client-error.ts'

t.test('a client whose request does not come is told so, and then cut off though it stays', async (t) => {
  const server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 10 })
  server.on('clientError', (error, socket) => onClientError(error, socket, 10))
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
