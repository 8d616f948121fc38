/** Specification section 8 through the running gateway: budgets, token quotas, rate limits, and what they tell. */
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { cutAfter, ok, stallAfter, status } from '../helpers/behaviours.ts'
import { DAY_MS, farFromEdge } from '../helpers/clock.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml, type LogLine } from '../helpers/gateway.ts'

/** 1 USD a million tokens in and out: tokens are micro-dollars. */
const PRICED = ['{ name: m, maxOutputTokens: 1000, pricing: { input: "1", output: "1" } }', '{ name: unpriced }']

const usage = { prompt_tokens: 100, completion_tokens: 200, total_tokens: 300 }

t.test('a budget refuses what it cannot pay for, and tells when it starts anew', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok({ ...chatCompletion('x'), usage }))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ spec: '  budgets: [{ window: Day, limitUSD: "0.001" }]' }),
      ),
    },
  })
  await farFromEdge(DAY_MS, 10_000)
  const statuses = []
  for (let call = 0; call < 6; call++) {
    const response = await gateway.chat({ max_tokens: 500 })
    statuses.push(response.status)
    if (response.status === 200) {
      t.equal(response.headers.get('x-gateway-cost-usd'), '0.000300')
      t.equal(response.headers.get('x-gateway-output-tokens'), '200')
      continue
    }
    t.equal(response.headers.get('x-should-retry'), 'false')
    t.match(response.headers.get('x-gateway-quota-reset'), /^\d{4}-\d\d-\d\dT00:00:00.000Z$/)
    t.match(await response.json(), {
      error: { type: 'insufficient_quota', code: 'budget_exceeded', message: /day budget/ },
    })
  }
  t.strictSame(
    statuses,
    [200, 200, 429, 429, 429, 429],
    'three would be 0.0009, but the bound of the third is not left',
  )
  t.equal(upstream.requests.length, 2)
})

t.test('a maximum of 0, as Anthropic has it, takes something of a quota of answers at others', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  // As Ollama, to which 0 is no limit.
  upstream.otherwise(ok({ ...chatCompletion('x'), usage }))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url }),
        virtualKey({ spec: '  tokenQuotas: [{ window: Total, kind: Output, limit: 100 }]' }),
      ),
    },
  })
  const statuses = []
  for (let call = 0; call < 2; call++) {
    const response = await fetch(`${gateway.url}/adapters/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', max_tokens: 0, messages: [{ role: 'user', content: 'hello' }] }),
    })
    statuses.push(response.status)
  }
  t.strictSame(statuses, [200, 429], 'the first answer had 200 tokens')
  t.strictSame(
    upstream.requests.map(({ json }) => json?.['max_tokens']),
    [1],
  )
})

t.test('an answer without a given limit is clamped to what the budget leaves', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok({ ...chatCompletion('x'), usage }))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ spec: '  budgets: [{ window: Day, limitUSD: "0.0015" }]' }),
      ),
    },
  })
  await farFromEdge(DAY_MS, 10_000)
  t.equal((await gateway.chat()).status, 200)
  t.equal(upstream.requests[0]?.json?.['max_tokens'], 1_000, "the model's, which this server need not know")
  for (let call = 1; call < 3; call++) t.equal((await gateway.chat()).status, 200)
  const clamp = Number(upstream.requests[2]?.json?.['max_tokens'])
  t.ok(clamp >= 256 && clamp < 900, `max_tokens ${clamp}`)
})

t.test('failed and blocked requests cost nothing, a cut stream what was streamed', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ spec: '  budgets: [{ window: Total, limitUSD: "0.0015" }]' }),
      ),
    },
  })
  for (const failing of [status(500), status(400)]) {
    for (let call = 0; call < 4; call++) {
      upstream.enqueue(failing)
      t.not((await gateway.chat({ max_tokens: 600 })).status, 429)
    }
  }
  const [start = '', content = ''] = chatStream(['forty characters of text that were streamed'])
  upstream.enqueue(cutAfter([start, content]))
  await (await gateway.chat({ stream: true, max_tokens: 600 })).text()
  const audit = await gateway.line((line) => line['type'] === 'audit' && line['outcome'] === 'cut')
  t.match(audit['tokens'], { estimated: true, output: 11 })
  t.ok(Number(audit['costMicroUsd']) > 11 && Number(audit['costMicroUsd']) < 60, String(audit['costMicroUsd']))
})

t.test('an attempt that produced tokens is paid for, also where the repair after it fails', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ spec: '  budgets: [{ window: Total, limitUSD: "1" }]' }),
      ),
    },
  })
  upstream.enqueue(ok({ ...chatCompletion('no JSON at all'), usage }), status(400))
  t.not((await gateway.chat({ max_tokens: 500 }, { 'x-llm-flags': 'force-json' })).status, 200)
  t.match(await gateway.line((line) => line['type'] === 'audit'), { costMicroUsd: 300, tokens: { output: 200 } })
  const report = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${KEY}` } })
  t.match(await report.json(), { limits: [{ spent: '0.000300', reserved: '0.000000' }] })

  const { usage: _, ...uncounted } = chatCompletion('forty characters of text that is no JSON')
  upstream.enqueue(ok(uncounted), status(400))
  await gateway.chat({ max_tokens: 500 }, { 'x-llm-flags': 'force-json' })
  await gateway.line(
    (line) => line['type'] === 'audit' && JSON.stringify(line['tokens'] ?? {}).includes('"estimated":true'),
  )
})

t.test('a client that leaves pays for what was streamed, and its reservation is given back', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ spec: '  budgets: [{ window: Total, limitUSD: "0.0015" }]' }),
      ),
    },
  })
  const [start = '', content = ''] = chatStream(['streamed'])
  for (let call = 0; call < 5; call++) {
    upstream.enqueue(stallAfter([start, content]))
    const abort = new AbortController()
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: abort.signal,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream: true, max_tokens: 900, messages: [{ role: 'user', content: 'x' }] }),
    })
    t.equal(response.status, 200, `call ${call}`)
    await response.body?.getReader().read()
    abort.abort()
    await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === response.headers.get('x-request-id'))
  }
})

t.test('a model without a price is out where a budget must know what it costs', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const budget = '  budgets: [{ window: Day, limitUSD: "1" }]'
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ name: 'free' }),
        virtualKey({ name: 'bound', key: `bound-${KEY}`, spec: budget }),
        virtualKey({ name: 'same', key: `same-${KEY}`, spec: `${budget}\n  policies: { fallback: SameModel }` }),
      ),
    },
  })
  const ask = (key: string) =>
    gateway.chat({ model: 'unpriced' }, { authorization: `Bearer ${key}`, 'x-llm-trace': 'true' })
  const auditOf = (response: Response) =>
    gateway.line(({ type, requestId }) => type === 'audit' && requestId === response.headers.get('x-request-id'))
  t.strictSame((await auditOf(await ask(KEY)))['removed'], {})

  const refused = await ask(`same-${KEY}`)
  t.equal(refused.status, 400)
  t.match(await refused.json(), { error: { code: 'unpriced_model', param: 'model' } })
  t.match(await auditOf(refused), { error: 'unpriced_model', removed: { unpriced: 1 } })

  const other = await ask(`bound-${KEY}`)
  t.match([other.status, other.headers.get('x-gateway-routing-decision')], [200, /^p\/m;.*;removed=1$/])
  t.match(await auditOf(other), { model: { requested: 'unpriced', served: 'm' }, removed: { unpriced: 1 } })
  const step = ({ msg, step, requestId }: LogLine) =>
    msg === 'trace' && step === 'admit' && requestId === other.headers.get('x-request-id')
  const admitted = await gateway.line(step)
  t.match(admitted, { removed: ['p/unpriced: unpriced'], reserved: { inputTokens: Number, rateTokens: Number } })
  t.match(admitted, { reserved: { outputTokens: 1_000, costMicroUsd: Number } }, 'the part of the answer included')
  t.notHas(admitted['reserved'], { open: {} })
})

t.test('what has no price is not waited for under a budget, also where all of it is cooling down', async (t) => {
  const broken = await startFakeProvider()
  t.teardown(() => broken.close())
  broken.otherwise(status(503, {}, { 'retry-after': '40' }))
  const key = 'free-key-0123456789abcdef0123456789abcdef'
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'a', url: broken.url, models: ['{ name: m, capabilities: [chat, embeddings] }'] }),
        virtualKey({ spec: '  budgets: [{ window: Day, limitUSD: "1" }]' }),
        virtualKey({ name: 'free', key }),
      ),
    },
  })
  const embedding = { messages: undefined, input: 'x' }
  const told = async (response: Response) => [
    response.status,
    response.headers.get('x-should-retry'),
    response.headers.get('retry-after'),
    await response.json(),
  ]
  t.equal((await gateway.chat({}, { authorization: `Bearer ${key}` })).status, 502)
  t.match(await told(await gateway.chat({}, { authorization: `Bearer ${key}` })), [503, 'true'])
  const final = (message: string) => [400, 'false', null, { error: { code: 'unpriced_model', message } }]
  t.match(await told(await gateway.chat()), final('model "m" has no price'))
  t.match(await told(await gateway.chat({ model: 'auto' })), final('none of the models that may answer has a price'))
  t.match(await told(await gateway.chat(embedding, {}, '/v1/embeddings')), final('model "m" has no price'))
})

t.test('where what has a price is only out for the moment, the refusal is one that passes', async (t) => {
  const [broken, well] = [await startFakeProvider(), await startFakeProvider()]
  t.teardown(() => Promise.all([broken.close(), well.close()]))
  broken.otherwise(status(500))
  well.otherwise(ok(chatCompletion('x')))
  const spec = '  failover: { circuitBreaker: { consecutiveFailures: 1, openFor: 60s } }'
  const capabilities = 'capabilities: [chat, embeddings]'
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({
          name: 'a',
          url: broken.url,
          models: [`{ name: m, ${capabilities}, pricing: { input: "1", output: "1" } }`, '{ name: other }'],
          spec,
        }),
        provider({ name: 'b', url: well.url, models: [`{ name: m, ${capabilities} }`] }),
        virtualKey({ spec: '  budgets: [{ window: Day, limitUSD: "1" }]' }),
      ),
    },
  })
  t.equal((await gateway.chat()).status, 502)
  const calls = {
    'the model': () => gateway.chat(),
    'the choice of the gateway': () => gateway.chat({ model: 'auto' }),
    'another model of the same provider': () => gateway.chat({ model: 'other' }),
    embeddings: () => gateway.chat({ messages: undefined, input: 'x' }, {}, '/v1/embeddings'),
  }
  for (const [name, call] of Object.entries(calls)) {
    const refused = await call()
    t.match(await refused.json(), { error: { code: 'no_healthy_provider' } }, name)
    t.same([refused.status, refused.headers.get('x-should-retry')], [503, 'true'], name)
    const wait = Number(refused.headers.get('retry-after'))
    t.ok(wait >= 1 && wait <= 60, `${name}: retry-after ${wait}`)
  }
  t.equal(well.requests.length, 0)
})

t.test('rate limits tell how much is left and when to come again', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url }),
        virtualKey({ spec: '  rateLimits: { requestsPerMinute: 3, burst: 3 }' }),
      ),
    },
  })
  for (const remaining of ['2', '1', '0']) {
    const response = await gateway.chat()
    t.equal(response.status, 200)
    t.equal(response.headers.get('x-ratelimit-limit-requests'), '3')
    t.equal(response.headers.get('x-ratelimit-remaining-requests'), remaining)
  }
  const refused = await gateway.chat()
  t.equal(refused.status, 429)
  const wait = Number(refused.headers.get('retry-after'))
  t.ok(wait >= 1 && wait <= 20, `retry-after ${wait}`)
  t.equal(refused.headers.get('x-should-retry'), 'true')
  t.match(await refused.json(), { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } })
})

t.test('concurrency is bounded and given back', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url }),
        virtualKey({ spec: '  rateLimits: { maxConcurrent: 1 }' }),
      ),
    },
  })
  const mayEnd = Promise.withResolvers<void>()
  const [start = '', content = '', ...rest] = chatStream(['a ', 'b ', 'c'])
  upstream.enqueue(async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(start + content)
    await mayEnd.promise
    response.end(rest.join(''))
  })
  const first = await gateway.chat({ stream: true })
  const second = await gateway.chat()
  t.equal(second.status, 429)
  t.match(await second.json(), { error: { message: /concurrent/ } })
  mayEnd.resolve()
  await first.text()
  upstream.enqueue(ok(chatCompletion('x')))
  t.equal((await gateway.chat()).status, 200)
})
