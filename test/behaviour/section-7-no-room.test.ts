/** Specification section 7, rule 1: what becomes of requests that a provider has no room for. */
import t from 'tap'
import { join } from 'node:path'
import { chatCompletion } from '../helpers/answers.ts'
import { freeze, ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const TWO_AT_A_TIME = {
  main: join(import.meta.dirname, '..', 'helpers', 'impatient-gateway.ts'),
  env: { MAX_CONNECTIONS: '2' },
}

t.test("more requests than a provider is sent at a time are no failures of the provider's", async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    ...TWO_AT_A_TIME,
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'only', url: upstream.url, spec: '  limits: { requestsPerMinute: 3 }' }),
        virtualKey(),
      ),
    },
  })
  const mayEnd = Promise.withResolvers<void>()
  upstream.otherwise(async (exchange) => {
    await mayEnd.promise
    await ok(chatCompletion('hello'))(exchange)
  })
  const running = [gateway.chat(), gateway.chat()]
  await upstream.received(2)
  for (let more = 0; more < 6; more++) {
    const response = await gateway.chat({}, { 'x-llm-trace': 'true' })
    t.equal(response.status, 503)
    t.match(await response.json(), { error: { code: 'no_healthy_provider' } })
    t.equal(response.headers.get('retry-after'), '1')
    t.match(response.headers.get('x-gateway-routing-decision'), 'only/m;result=busy;ms=')
  }
  const { reason, detail } = await gateway.line(({ msg }) => msg === 'provider failed')
  t.strictSame({ reason, detail }, { reason: 'connection-limit', detail: 'too many connections to the provider' })
  mayEnd.resolve()
  for (const response of await Promise.all(running)) t.equal(response.status, 200)
  t.equal((await gateway.chat()).status, 200, 'the breaker is closed, and those that were not sent do not count')
  t.equal((await gateway.chat()).status, 503, 'those that were sent do')
})

t.test('where one provider is sent as many as it may be, the next is asked', async (t) => {
  const [first, second] = [await startFakeProvider(), await startFakeProvider()]
  t.teardown(() => Promise.all([first.close(), second.close()]))
  const gateway = await startGateway(t, {
    ...TWO_AT_A_TIME,
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'first', url: first.url, priority: 1, spec: '  timeouts: { firstByte: 10m }' }),
        provider({ name: 'second', url: second.url, priority: 2 }),
        virtualKey(),
      ),
    },
  })
  first.otherwise(freeze())
  second.otherwise(ok(chatCompletion('hello')))
  const gone = [gateway.chat(), gateway.chat()].map((answer) => answer.catch(() => undefined))
  await first.received(2)
  t.equal((await gateway.chat()).status, 200)
  await first.close()
  await Promise.all(gone)
})

t.test('however many providers are full, the one that has room is asked', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const names = Array.from({ length: 10 }, (_, index) => `p${index}`)
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        ...names.map((name, priority) =>
          provider({ name, url: upstream.url, priority, spec: '  limits: { maxConcurrent: 1 }' }),
        ),
        virtualKey(),
      ),
    },
  })
  const mayEnd = Promise.withResolvers<void>()
  upstream.otherwise(async (exchange) => {
    await mayEnd.promise
    await ok(chatCompletion('hello'))(exchange)
  })
  const answers: Promise<Response>[] = []
  for (const [index] of names.entries()) {
    answers.push(gateway.chat())
    await upstream.received(index + 1)
  }
  t.equal((await gateway.chat()).status, 503, 'all are full')
  mayEnd.resolve()
  for (const answer of answers) t.equal((await answer).status, 200)
})
