/** A maximum of the answer that was asked of one model, and another answers: Claude Code asks for 32,000, gpt-4o has 16,384. */
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok, status as failing } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
upstream.otherwise(ok(chatCompletion('hi')))
upstream.otherwise(failing(500), { model: 'broken' })

const LIMITED = 'limited-key-0123456789abcdef0123456789abcdef'
const spec = '  failover: { circuitBreaker: { consecutiveFailures: 100, openFor: 1s } }'
const model = (name: string, most: number) => [`{ name: ${name}, maxOutputTokens: ${most} }`]
const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({ name: 'a', url: upstream.url, type: 'Anthropic', priority: 1, models: model('broken', 64_000), spec }),
      provider({ name: 'b', url: upstream.url, priority: 2, models: model('small', 1000) }),
      virtualKey(),
      virtualKey({
        name: 'limited',
        key: LIMITED,
        spec: '  tokenQuotas: [{ window: Day, kind: Output, limit: 2000 }]',
      }),
    ),
  },
})

async function sentFor(path: string, body: object, { key = KEY, status = 200 } = {}) {
  const before = upstream.requests.length
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], ...body }),
  })
  t.equal(answer.status, status)
  await answer.text()
  return upstream.requests.slice(before).map(({ json }) => json?.['max_tokens'])
}

t.test('it is lowered to what the model can say that takes over', async (t) => {
  const path = '/adapters/anthropic/v1/messages'
  t.strictSame(await sentFor(path, { model: 'broken', max_tokens: 32_000 }), [32_000, 1000])
  t.strictSame(await sentFor(path, { model: 'broken', max_tokens: 500 }), [500, 500])
})

t.test('who names the model in its own format is told by its vendor', async (t) => {
  t.strictSame(await sentFor('/v1/chat/completions', { model: 'small', max_tokens: 32_000 }), [32_000])
  t.strictSame(await sentFor('/v1/chat/completions', { model: 'b/small', max_tokens: 32_000 }), [32_000])
  t.strictSame(await sentFor('/v1/chat/completions', { model: 'small' }), [undefined])
})

t.test('of a maximum that is lowered no more is reserved than is sent', async (t) => {
  const [key, max_tokens] = [LIMITED, 32_000]
  t.strictSame(await sentFor('/v1/chat/completions', { model: 'auto', max_tokens }, { key }), [1000])
  t.strictSame(await sentFor('/adapters/anthropic/v1/messages', { model: 'small', max_tokens }, { key }), [1000])
  t.strictSame(await sentFor('/v1/chat/completions', { model: 'small', max_tokens }, { key, status: 429 }), [])
})
