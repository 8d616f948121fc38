import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { Drain } from '../../../src/proxy/server/drain.ts'
import { invite, letWait } from '../../../src/proxy/server/invitation.ts'
import { RunningAnswers } from '../../../src/proxy/server/running-answers.ts'

/** A server with one request that is never answered, and how many have settled: some turns after their connection's end. */
async function unanswered(t: Test) {
  const running = new RunningAnswers()
  const drain = new Drain(running)
  const came = Promise.withResolvers<ServerResponse>()
  let settled = 0
  const server = createServer((_request, response) => {
    response.on('close', async () => {
      for (let each = 0; each < 100; each++) await undefined
      settled++
    })
    came.resolve(response)
  })
  running.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const { port } = server.address() as AddressInfo
  const request = get({ port, host: '127.0.0.1', agent }).on('error', () => {})
  const response = await came.promise
  return { drain, server, request, response, settled: () => settled }
}

t.test('at its end what was cut has heard of it and has settled', async (t) => {
  const { drain, server, settled } = await unanswered(t)
  t.equal(await drain.start(server, 1), false)
  t.equal(settled(), 1)
})

t.test('what can say so says before the cut that its answer ends here', async (t) => {
  const { drain, server, request, response } = await unanswered(t)
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  t.equal(await drain.start(server, 1, () => response.end('that is all')), false, 'it was not finished all the same')
  const [answer] = await answered
  t.equal(await text(answer), 'that is all')
})

t.test('at its end the client that left last has settled as well', async (t) => {
  const { drain, server, request, settled } = await unanswered(t)
  const drained = drain.start(server, 60_000)
  request.destroy()
  t.equal(await drained, true)
  t.equal(settled(), 1)
})

t.test('an answer that was under way says that its connection ends', async (t) => {
  const { drain, server, request, response } = await unanswered(t)
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  const drained = drain.start(server, 60_000)
  response.end('late')
  const [answer] = await answered
  answer.resume()
  t.equal(answer.headers.connection, 'close')
  t.equal(await drained, true)
})

t.test('of pipelined answers only the last one says that its connection ends', async (t) => {
  const running = new RunningAnswers()
  const drain = new Drain(running)
  const responses: ServerResponse[] = []
  const both = Promise.withResolvers<void>()
  const server = createServer((_request, response) => {
    if (responses.push(response) === 2) both.resolve()
  })
  running.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  t.teardown(() => client.destroy())
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2))
  await both.promise
  const drained = drain.start(server, 60_000)
  for (const [each, response] of responses.entries()) response.end(`answer ${each}`)
  const answers = await text(client)
  t.match(answers, /keep-alive[^]*answer 0[^]*connection: close[^]*answer 1/i)
  t.equal(await drained, true)
})

t.test('who is told only then to send a body is told, too, that the connection ends', async (t) => {
  const running = new RunningAnswers()
  const drain = new Drain(running)
  const came = Promise.withResolvers<[IncomingMessage, ServerResponse]>()
  const server = createServer((request, response) => came.resolve([request, response]))
  server.on('checkContinue', (request, response) => {
    letWait(request, response)
    server.emit('request', request, response)
  })
  running.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  t.teardown(() => client.destroy())
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\nexpect: 100-continue\r\n\r\n')
  const [request, response] = await came.promise
  const drained = drain.start(server, 60_000)
  invite(request)
  client.write('body')
  response.end(`read ${await text(request)}`)
  t.match(await text(client), /^HTTP\/1.1 100 Continue\r\n[^]*connection: close[^]*read body/i)
  t.equal(await drained, true)
})
