/** DESIGN section 7: an answer from the cache costs the budget nothing, and holds nothing of it for the next request. */
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { startRedis } from '../helpers/redis.ts'

const CACHED = { 'cache-control': 'max-age=3600' }

t.test('hits one after the other never stand in their own way, however tight the limits', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const models = ['{ name: m, maxOutputTokens: 1000, pricing: { input: "1", output: "1" } }']
  for (const args of [[], ['--redis', redis.url]]) {
    const spec = '  budgets: [{ window: Total, limitUSD: "0.001" }]\n  rateLimits: { maxConcurrent: 1 }'
    const manifests = { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url, models }), virtualKey({ spec })) }
    const gateway = await startGateway(t, { manifests, args })
    // Two of these bounds are more than the budget.
    const ask = () => gateway.chat({ max_tokens: 600 }, CACHED)
    t.equal((await ask()).headers.get('x-gateway-cache'), 'miss')
    for (let call = 0; call < 100; call++) {
      const response = await ask()
      if (response.status !== 200) return t.fail(`${response.status} ${await response.text()}`)
      t.equal(response.headers.get('x-gateway-cache'), 'hit-l1')
      await response.text()
    }
    const headers = { authorization: `Bearer ${KEY}` }
    const usage = (await (await fetch(`${gateway.url}/v1/usage`, { headers })).json()) as { limits: object[] }
    t.match(usage.limits[0], { spent: '0.000008', reserved: '0.000000' })
  }
})
