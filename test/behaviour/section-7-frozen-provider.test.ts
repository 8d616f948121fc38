/** Specification section 7, rule 1, where the primary provider is frozen: what it says to those who wait for a whole answer. */
import t from 'tap'
import type { Test } from 'tap'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chatCompletion } from '../helpers/answers.ts'
import { ok, status } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml, type Gateway } from '../helpers/gateway.ts'

/** Asks a provider that is silent for 300 ms, and takes it for gone two seconds later. */
const IMPATIENT = join(import.meta.dirname, '..', 'helpers', 'impatient-gateway.ts')

/** A breaker that stays out of the way. */
const UNBROKEN = '  failover: { circuitBreaker: { consecutiveFailures: 100, openFor: 1s } }'

function gatewayOf(test: Test, ...providers: string[]): Promise<Gateway> {
  return startGateway(test, { main: IMPATIENT, manifests: { 'all.yaml': yaml(...providers, virtualKey()) } })
}

/** Its kernel accepts, and it never reads. */
async function startMuteServer(test: Test): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A process of its own that says `request` for each call, and would answer after a minute; health checks it answers at once. */
const SLOW_PROVIDER = `
const { createServer } = require('node:http')
const server = createServer((request, response) => {
  if (request.method === 'GET') return response.end('{}')
  console.log('request')
  setTimeout(() => response.end('{}'), 60_000)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

async function startProcess(test: Test) {
  const child = spawn(process.execPath, ['-e', SLOW_PROVIDER], { stdio: ['ignore', 'pipe', 'inherit'] })
  test.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const port = (await lines.next()).value
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => lines.next(),
    freeze: () => child.kill('SIGSTOP'),
  }
}

async function textOf(response: Response): Promise<string> {
  const answer = (await response.json()) as { choices: { message: { content: string } }[] }
  return answer.choices[0]?.message.content ?? ''
}

const FAILED = { deploymentId: 'primary/m', result: 'timeout', reason: 'first-byte-timeout' }

t.test('the backup answers for a primary that accepts and never answers', async (t) => {
  const backup = await startFakeProvider()
  t.teardown(() => backup.close())
  backup.otherwise(ok(chatCompletion('from the backup')))
  const gateway = await gatewayOf(
    t,
    provider({ name: 'primary', url: await startMuteServer(t), priority: 1, spec: UNBROKEN }),
    provider({ name: 'backup', url: backup.url, priority: 2 }),
  )
  const response = await gateway.chat({}, { 'x-llm-trace': 'true' })
  t.equal(await textOf(response), 'from the backup')
  t.match(
    response.headers.get('x-gateway-routing-decision'),
    /^primary\/m;result=timeout;ms=\d+, backup\/m;result=ok;status=200;ms=\d+;why=failover;removed=0$/,
  )
  const audit = await gateway.line((line) => line['type'] === 'audit')
  t.match(audit, { outcome: 'answered', attempts: [FAILED, { deploymentId: 'backup/m', result: 'ok' }] })
  const log = await gateway.line((line) => line['msg'] === 'provider failed')
  t.match(log, { reason: 'first-byte-timeout', detail: /no sign of life/ })
})

t.test('the backup answers for a primary that freezes while it is waited for', async (t) => {
  const primary = await startProcess(t)
  const backup = await startFakeProvider()
  t.teardown(() => backup.close())
  backup.otherwise(ok(chatCompletion('from the backup')))
  const gateway = await gatewayOf(
    t,
    provider({ name: 'primary', url: primary.url, priority: 1, spec: UNBROKEN }),
    provider({ name: 'backup', url: backup.url, priority: 2 }),
  )
  const response = gateway.chat()
  await primary.asked()
  primary.freeze()
  t.equal(await textOf(await response), 'from the backup')
  const audit = await gateway.line((line) => line['type'] === 'audit')
  t.match(audit, { attempts: [FAILED, { deploymentId: 'backup/m', result: 'ok' }] })
})

t.test('a provider that is slow, and answers what it is asked meanwhile, is waited for', async (t) => {
  const slow = await startFakeProvider()
  t.teardown(() => slow.close())
  const mayAnswer = Promise.withResolvers<void>()
  slow.otherwise(status(404), { path: '/v1/models' })
  slow.otherwise(
    async (exchange) => {
      await mayAnswer.promise
      await ok(chatCompletion('after a long time'))(exchange)
    },
    { path: '/v1/chat/completions' },
  )
  const gateway = await gatewayOf(t, provider({ name: 'p', url: slow.url }))
  const response = gateway.chat()
  await slow.received(6, 20_000)
  mayAnswer.resolve()
  t.equal(await textOf(await response), 'after a long time')
  const posts = slow.requests.filter(({ method }) => method === 'POST')
  t.equal(posts.length, 1)
})

t.test('where nobody else could answer: 504, and the breaker opens for those that follow', async (t) => {
  const gateway = await gatewayOf(
    t,
    provider({
      name: 'primary',
      url: await startMuteServer(t),
      spec: '  failover: { circuitBreaker: { consecutiveFailures: 2, openFor: 1m } }',
    }),
  )
  for (const _ of [1, 2]) {
    const response = await gateway.chat()
    t.equal(response.status, 504)
    t.match(await response.json(), { error: { code: 'upstream_timeout' } })
  }
  const refused = await gateway.chat()
  t.equal(refused.status, 503)
  t.match(await refused.json(), { error: { code: 'no_healthy_provider' } })
})

t.test('many who wait for a frozen provider all get the answer of the backup', async (t) => {
  const primary = await startFakeProvider()
  const backup = await startFakeProvider()
  t.teardown(() => Promise.all([primary.close(), backup.close()]))
  const released = Promise.withResolvers<void>()
  primary.otherwise(() => released.promise)
  backup.otherwise(ok(chatCompletion('from the backup')))
  const gateway = await gatewayOf(
    t,
    provider({ name: 'primary', url: primary.url, priority: 1, spec: UNBROKEN }),
    provider({ name: 'backup', url: backup.url, priority: 2 }),
  )
  const answers = await Promise.all(Array.from({ length: 40 }, async () => textOf(await gateway.chat())))
  released.resolve()
  t.strictSame([...new Set(answers)], ['from the backup'])
  const questions = primary.requests.filter(({ method }) => method === 'GET')
  t.ok(questions.length < 10, `${questions.length} questions for 40 calls`)
})

/** A gateway with one provider, which answers nothing until the test ends. */
async function frozen(t: Test) {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const released = Promise.withResolvers<void>()
  t.teardown(() => released.resolve())
  upstream.otherwise(() => released.promise)
  return { upstream, gateway: await gatewayOf(t, provider({ name: 'p', url: upstream.url })) }
}

t.test('a client that leaves while the provider is asked leaves nothing behind there', async (t) => {
  const { upstream, gateway } = await frozen(t)
  const abort = new AbortController()
  const call = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    signal: abort.signal,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
  })
  const requests = await upstream.received(2)
  abort.abort()
  await t.rejects(call)
  t.strictSame(await Promise.all(requests.map(({ ended }) => ended)), ['closed-early', 'closed-early'])
  const audit = await gateway.line((line) => line['type'] === 'audit')
  t.match(audit, { outcome: 'client-gone', attempts: [{ result: 'aborted' }] })
})

t.test('SIGTERM while a frozen provider is asked: what waits is answered, exit 0', async (t) => {
  const { upstream, gateway } = await frozen(t)
  const response = gateway.chat()
  await upstream.received(2)
  const exit = once(gateway.process, 'exit')
  gateway.process.kill('SIGTERM')
  t.equal((await response).status, 504)
  t.strictSame(await exit, [0, null])
})
