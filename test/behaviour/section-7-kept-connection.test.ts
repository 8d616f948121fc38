/** Specification section 7, rule 1, where a provider closes a kept connection as the next request is sent over it. */
import t from 'tap'
import { join } from 'node:path'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { hangUp, ok, reset, stream } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const MAIN = join(import.meta.dirname, '..', 'helpers', 'impatient-gateway.ts')

const CHAT = '/v1/chat/completions'

/** One failure would take the provider out. */
const SPEC = '  failover: { circuitBreaker: { consecutiveFailures: 1, openFor: 60s } }'

t.test('the only provider closes a kept connection: the client gets its answer, by one attempt', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    main: MAIN,
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url, spec: SPEC }), virtualKey()) },
  })
  // Where the machine is busy, the provider is asked for a sign of life too.
  const chats = () => upstream.requests.filter(({ path }) => path === CHAT).length
  const answers = { whole: ok(chatCompletion('hello')), stream: stream(chatStream(['hello'])) }
  for (const [shape, answer] of Object.entries(answers)) {
    for (const closing of [hangUp(), reset()]) {
      const before = chats()
      upstream.enqueueFor({ path: CHAT }, answer, closing, answer)
      const ask = () => gateway.chat({ stream: shape === 'stream' }, { 'x-llm-trace': 'true' })
      t.match(await (await ask()).text(), 'hello')
      const asked = await ask()
      t.match(await asked.text(), 'hello')
      t.equal(chats() - before, 3)
      t.match(asked.headers.get('x-gateway-routing-decision'), /^p\/m;result=ok;status=200;ms=\d+;why=\w+;removed=0$/)
      const requestId = asked.headers.get('x-request-id')
      const audit = await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === requestId)
      t.match(audit['attempts'], [{ deploymentId: 'p/m', result: 'ok', reason: 'sent-again' }])
    }
  }
  t.notMatch(gateway.output(), 'provider failed')
})
