/** Servers that refuse what the gateway adds to requests of its own accord. */
import t from 'tap'
import { chatError, chatStream } from '../helpers/answers.ts'
import { status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

/** Databricks' words. */
const REFUSAL = { error_code: 'BAD_REQUEST', message: 'Bad request: json: unknown field "stream_options"\n' }

const strict: Behaviour = (exchange) => {
  const answer = 'stream_options' in (exchange.request.json ?? {}) ? status(400, REFUSAL) : stream(chatStream(['Hi']))
  return answer(exchange)
}

t.test(
  'a server that refuses stream_options is asked without, and once told is not asked with them again',
  async (t) => {
    const fake = await startFakeProvider()
    t.teardown(() => fake.close())
    const manifests = { 'a.yaml': yaml(provider({ name: 'strict', url: fake.url }), virtualKey()) }
    const gateway = await startGateway(t, { manifests })
    fake.otherwise(strict)

    const options = { stream_options: { include_usage: true } }
    const own = await gateway.chat({ stream: true, ...options })
    t.equal(own.status, 400, "what the client asked of that very model is its vendor's to refuse")
    t.match(await own.text(), 'stream_options')

    const first = await gateway.chat({ stream: true })
    t.match(await first.text(), 'Hi')
    t.equal(fake.requests.length, 3)
    const headers = { 'x-llm-trace': 'true' }
    const chosen = await gateway.chat({ model: 'auto', stream: true, ...options }, headers)
    t.match(await chosen.text(), 'Hi')
    t.equal(chosen.headers.get('x-gateway-translation-warnings'), 'stream_options')
    const messages = [{ role: 'user', content: 'Hello' }]
    const other = { model: 'm', max_tokens: 9, messages, stream: true }
    t.match(await (await gateway.chat(other, {}, '/adapters/anthropic/v1/messages')).text(), 'message_stop')
    t.equal(fake.requests.length, 5)
    t.equal((await gateway.chat({ stream: true, ...options })).status, 400, 'as before')
  },
)

t.test('what is told of a request that was asked twice is told once', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  const manifests = { 'a.yaml': yaml(provider({ name: 'strict', url: fake.url }), virtualKey()) }
  const gateway = await startGateway(t, { manifests })
  fake.otherwise(strict)
  const messages = [{ role: 'user', content: 'Hello' }]
  const asked = { model: 'm', max_tokens: 9, messages, top_k: 5, stream: true }
  const answer = await gateway.chat(asked, { 'x-llm-trace': 'true' }, '/adapters/anthropic/v1/messages')
  t.match(await answer.text(), 'message_stop')
  t.equal(fake.requests.length, 2)
  const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
  t.match(metrics, /tollgate_translation_warnings_total\{[^}]*\} 1\n/)
})

t.test('a refusal of something else stays one', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  const manifests = { 'a.yaml': yaml(provider({ name: 'strict', url: fake.url }), virtualKey()) }
  const gateway = await startGateway(t, { manifests })
  fake.otherwise(status(400, chatError('messages are too many')))
  t.equal((await gateway.chat({ stream: true })).status, 400)
  t.equal(fake.requests.length, 1)
})
