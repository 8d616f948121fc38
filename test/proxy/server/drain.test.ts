import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Drain } from '../../../src/proxy/server/drain.ts'

/** A server with one request that is never answered, and how many have settled: some turns after their connection's end. */
async function unanswered(t: Test) {
  const drain = new Drain()
  const came = Promise.withResolvers<void>()
  let settled = 0
  const server = createServer((_request, response) => {
    response.on('close', async () => {
      for (let each = 0; each < 100; each++) await undefined
      settled++
    })
    came.resolve()
  })
  drain.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => {})
  await came.promise
  return { drain, server, request, settled: () => settled }
}

t.test('at its end what was cut has heard of it and has settled', async (t) => {
  const { drain, server, settled } = await unanswered(t)
  t.equal(await drain.start(server, 1), false)
  t.equal(settled(), 1)
})

t.test('at its end the client that left last has settled as well', async (t) => {
  const { drain, server, request, settled } = await unanswered(t)
  const drained = drain.start(server, 60_000)
  request.destroy()
  t.equal(await drained, true)
  t.equal(settled(), 1)
})
