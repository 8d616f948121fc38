/** Specification section 8 where a request fails over: what a dearer provider may use is reserved when it is asked, and not before. */
import t from 'tap'
import type { Test } from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok, status } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml, type Gateway, type LogLine } from '../helpers/gateway.ts'
import { metric, organization } from '../helpers/quota-traffic.ts'
import { startRedis } from '../helpers/redis.ts'

/** 1 and 100 USD a million tokens: an answer of 4,000 tokens costs 0.004 and 0.4 USD. */
const CHEAP = ['{ name: m, maxOutputTokens: 4000, pricing: { input: "1", output: "1" } }']
const DEAR = ['{ name: m, maxOutputTokens: 4000, pricing: { input: "100", output: "100" } }']
const SMALL = ['{ name: small, maxOutputTokens: 4000, pricing: { input: "1", output: "1" } }']
const NONE = ['{ name: none, capabilities: [embeddings], pricing: { input: "1", output: "1" } }']
const BUDGET = '  budgets: [{ window: Total, limitUSD: "0.05" }]'
const NO_CACHE = '  policies: { cache: { exact: { enabled: false } } }'
const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 }

interface Scene {
  readonly args?: readonly string[]
  /** Of the dear provider. */
  readonly spec?: string
  readonly further?: readonly string[]
  /** Of the cheap provider. */
  readonly models?: readonly string[]
}

async function start(t: Test, limits: string, { args = [], spec = '', further = [], models = CHEAP }: Scene = {}) {
  const [cheap, dear] = [await startFakeProvider(), await startFakeProvider()]
  t.teardown(() => Promise.all([cheap.close(), dear.close()]))
  dear.otherwise(ok({ ...chatCompletion('x'), usage }))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'cheap', url: cheap.url, models, priority: 1 }),
        provider({ name: 'dear', url: dear.url, models: DEAR, priority: 2, spec }),
        virtualKey({ spec: `${NO_CACHE}\n${limits}` }),
        ...further,
      ),
    },
    args,
  })
  return { cheap, dear, gateway }
}

async function usageOf(gateway: Gateway): Promise<{ spent: string; reserved: string }> {
  const response = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${KEY}` } })
  const { limits } = (await response.json()) as { limits: { spent: string; reserved: string }[] }
  return limits[0] ?? { spent: 'none', reserved: 'none' }
}

t.test('a dear provider that only stands in for a cheap one holds nobody up', async (t) => {
  const { cheap, gateway } = await start(t, BUDGET)
  const open: (() => void)[] = []
  const all = Promise.withResolvers<void>()
  cheap.otherwise(async (exchange) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (open.push(resolve) === 10) all.resolve()
    await promise
    await ok({ ...chatCompletion('x'), usage })(exchange)
  })
  const calls = Array.from({ length: 10 }, () => gateway.chat({}))
  await Promise.race([all.promise, Promise.any(calls)])
  for (const answer of open) answer()
  const statuses = (await Promise.all(calls)).map((response) => response.status)
  t.strictSame(statuses, Array<number>(10).fill(200))
  t.ok(cheap.requests.every(({ json }) => json?.['max_tokens'] === 4_000))
})

t.test('without a maximum the answer of a dearer one may be as long as the budget leaves', async (t) => {
  const { cheap, dear, gateway } = await start(t, BUDGET)
  cheap.otherwise(status(500))
  t.equal((await gateway.chat({})).status, 200)
  const sent = Number(dear.requests[0]?.json?.['max_tokens'])
  t.ok(sent > 256 && sent < 500, `max_tokens ${sent}`)
  t.equal((await gateway.chat({})).headers.get('x-gateway-cost-usd'), '0.011000')
})

t.test('tokens that a request holds already are not asked for again, nor refused to it', async (t) => {
  for (const [limits, ask, first, second] of [
    ['{ kind: Output, limit: 3000 }', {}, 3_000, 3_000],
    ['{ kind: Output, limit: 4500 }', {}, 4_000, 4_000],
    ['{ kind: Output, limit: 3000 }', { n: 2 }, 1_500, 1_500],
    ['{ kind: Total, limit: 3000 }', {}, 2_971, 2_971],
  ] as const) {
    const quota = `  tokenQuotas: [${limits.replace('{', '{ window: Total,')}]`
    const { cheap, dear, gateway } = await start(t, `  budgets: [{ window: Total, limitUSD: "1" }]\n${quota}`)
    cheap.otherwise(status(500))
    t.equal((await gateway.chat(ask)).status, 200, limits)
    t.equal(cheap.requests[0]?.json?.['max_tokens'], first)
    t.equal(dear.requests[0]?.json?.['max_tokens'], second)
  }
})

t.test(
  'what a dearer one may use is refused where the limits do not leave it, as a refusal of the gateway',
  async (t) => {
    for (const limits of [BUDGET, '  budgets: [{ window: Total, limitUSD: "1" }, { window: Day, limitUSD: "0.05" }]']) {
      const { cheap, dear, gateway } = await start(t, limits)
      cheap.otherwise(status(500))
      const response = await gateway.chat({ max_tokens: 1_000 })
      t.equal(response.status, 429)
      const message = /leaves too little for this request, which may cost 0\.\d+ USD|is too small for this request/
      t.match(await response.json(), { error: { code: 'budget_exceeded', message } })
      t.equal(response.headers.get('x-should-retry'), 'true', 'the cheap one may answer the next time')
      t.equal(await metric(gateway, 'tollgate_quota_refusals_total'), 1)
      t.equal(dear.requests.length, 0)
      const { attempts } = (await gateway.line(({ type }) => type === 'audit')) as { attempts?: LogLine[] }
      t.match(attempts?.at(-1), { deploymentId: 'dear/m', result: 'busy', reason: 'budget' })
      t.equal((await gateway.chat({ max_tokens: 100 })).status, 200, 'nothing is held, and less fits')
    }
  },
)

t.test('failing over never overspends a budget, however many do it at once', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  for (const args of [[], ['--redis', redis.url]]) {
    const { cheap, dear, gateway } = await start(t, BUDGET, { args })
    cheap.otherwise(status(500))
    const responses = await Promise.all(Array.from({ length: 40 }, () => gateway.chat({ max_tokens: 100 })))
    const answered = responses.filter((response) => response.status === 200).length
    t.ok(answered >= 1 && answered <= 4, `${answered} answers`)
    t.equal(dear.requests.length, answered)
    t.ok(responses.every((response) => response.status === 200 || response.status === 429))
    t.ok(answered * 0.011 <= 0.05)
  }
})

t.test('nothing is held for a dear provider that takes no more', async (t) => {
  const last = await startFakeProvider()
  t.teardown(() => last.close())
  const { cheap, dear, gateway } = await start(t, '  budgets: [{ window: Total, limitUSD: "1" }]', {
    spec: '  limits: { requestsPerMinute: 1 }',
    further: [provider({ name: 'last', url: last.url, models: CHEAP, priority: 3 })],
  })
  cheap.otherwise(status(500))
  const reserved: string[] = []
  last.otherwise(async (exchange) => {
    reserved.push((await usageOf(gateway)).reserved)
    await ok({ ...chatCompletion('x'), usage })(exchange)
  })
  for (const _ of [1, 2]) t.equal((await gateway.chat({ max_tokens: 1_000 })).status, 200)
  t.equal(dear.requests.length, 1)
  t.match(reserved, [/^0\.001/])
})

t.test(
  'where the budget does not leave the model that ranks first, one that was asked for as well answers',
  async (t) => {
    const redis = await startRedis()
    t.teardown(() => redis.stop())
    for (const args of [[], ['--redis', redis.url]]) {
      const small = await startFakeProvider()
      t.teardown(() => small.close())
      small.otherwise(async (exchange) => {
        const held = await redis.cli('HKEYS', 'tg:q:{default}:reservations')
        t.match(
          held,
          args.length === 0 ? '\n' : /\*$/m,
          'not under the id that was refused, whose answer may come late',
        )
        await ok({ ...chatCompletion('x'), usage })(exchange)
      })
      const further = [provider({ name: 'small', url: small.url, models: SMALL, priority: 3 })]
      const { cheap, dear, gateway } = await start(t, BUDGET, { args, further, models: NONE })
      for (const [model, expected] of [
        ['auto', 200],
        ['m', 429],
      ] as const) {
        const response = await gateway.chat({ model, max_tokens: 1_000 })
        t.equal(response.status, expected, model)
        const body = await response.json()
        if (expected === 429)
          t.match(body, { error: { code: 'budget_exceeded', message: /cost 0\.10/ } }, 'no stand-in')
      }
      t.strictSame(
        [cheap, dear, small].map(({ requests }) => requests.length),
        [0, 0, 1],
      )
      const { attempts } = (await gateway.line(({ type }) => type === 'audit')) as { attempts?: LogLine[] }
      t.match(attempts, [{ deploymentId: 'dear/m', result: 'busy', reason: 'budget' }, { deploymentId: 'small/small' }])
      t.match(await usageOf(gateway), { spent: '0.000110', reserved: '0.000000' })
    }
  },
)

t.test('where a moment helps, that is told, though the cheaper model never fits', async (t) => {
  // An image is 48,169 tokens to gpt-4o-mini, and 6,000 to others.
  const mini = [
    '{ name: gpt-4o-mini, capabilities: [chat, vision], maxOutputTokens: 300, pricing: { input: "0.1", output: "0.1" } }',
  ]
  const large = [
    '{ name: m, capabilities: [chat, vision], maxOutputTokens: 300, pricing: { input: "10", output: "10" } }',
  ]
  const other = await startFakeProvider()
  t.teardown(() => other.close())
  const limits = `  budgets: [{ window: Total, limitUSD: "0.1" }]\n  tokenQuotas: [{ window: Total, limit: 20000 }]`
  const { cheap, gateway } = await start(t, limits, {
    models: large,
    further: [provider({ name: 'mini', url: other.url, models: mini, priority: 3 })],
  })
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  const { promise: end, resolve: goOn } = Promise.withResolvers<void>()
  cheap.otherwise(async (exchange) => {
    isAsked()
    await end
    await ok({ ...chatCompletion('x'), usage })(exchange)
  })
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGFsbG8=' } }
  const body = { model: 'auto', max_tokens: 100, messages: [{ role: 'user', content: [image] }] }
  const first = gateway.chat(body)
  await asked
  const response = await gateway.chat(body)
  t.match(await response.json(), { error: { code: 'budget_reserved' } })
  goOn()
  t.equal((await first).status, 200)
})

t.test(
  'what is cheapest in money and too much for another limit keeps none from answering that fits into both',
  async (t) => {
    const seeing = (name: string, price: string) =>
      `{ name: ${name}, capabilities: [chat, vision], maxOutputTokens: 300, pricing: { input: "${price}", output: "${price}" } }`
    const [mini, mid] = [await startFakeProvider(), await startFakeProvider()]
    t.teardown(() => Promise.all([mini.close(), mid.close()]))
    mid.otherwise(ok({ ...chatCompletion('x'), usage }))
    const limits = `  budgets: [{ window: Total, limitUSD: "0.02" }]\n  tokenQuotas: [{ window: Total, limit: 20000 }]`
    const { cheap, gateway } = await start(t, limits, {
      models: [seeing('m', '10')],
      further: [
        provider({ name: 'mini', url: mini.url, models: [seeing('gpt-4o-mini', '0.1')], priority: 3 }),
        provider({ name: 'mid', url: mid.url, models: [seeing('mid', '1')], priority: 4 }),
      ],
    })
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGFsbG8=' } }
    const response = await gateway.chat({
      model: 'auto',
      max_tokens: 100,
      messages: [{ role: 'user', content: [image] }],
    })
    t.equal(response.status, 200, await response.text())
    t.strictSame(
      [cheap, mini, mid].map(({ requests }) => requests.length),
      [0, 0, 1],
    )
    t.match(await usageOf(gateway), { spent: '0.000110', reserved: '0.000000' })
  },
)

t.test('where only what is dearer is left for the moment, asking again helps when the cheap one is back', async (t) => {
  const { cheap, dear, gateway } = await start(t, BUDGET)
  cheap.otherwise(status(429, {}, { 'retry-after': '7' }))
  const refusal = async (max_tokens: number) => {
    const response = await gateway.chat({ max_tokens })
    const { error } = (await response.json()) as { error: { code: string } }
    const wait = Number(response.headers.get('retry-after'))
    return [error.code, response.headers.get('x-should-retry'), wait > 0 && wait <= 7]
  }
  t.strictSame(await refusal(1_000), ['budget_exceeded', 'true', true], 'it has failed')
  t.strictSame(await refusal(1_000), ['budget_exceeded', 'true', true], 'it is cooling down')
  t.equal(cheap.requests.length, 1)
  t.equal(dear.requests.length, 0)
})

t.test('that the cheap one is back helps nobody who has spent for it, too, any of several limits', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const keys = [
    ['one', '  budgets: [{ window: Total, limitUSD: "0.0012" }]'],
    ['two', '  budgets: [{ window: Hour, limitUSD: "0.003" }, { window: Total, limitUSD: "0.0012" }]'],
    ['tokens', '  budgets: [{ window: Total, limitUSD: "0.003" }]\n  tokenQuotas: [{ window: Total, limit: 1200 }]'],
    ['rich', '  budgets: [{ window: Total, limitUSD: "1" }]'],
  ] as const
  for (const args of [[], ['--redis', redis.url]]) {
    const keyOf = (name: string) => `${name}-key-0123456789abcdef0123456789abcdef`
    const further = keys.map(([name, limits]) => virtualKey({ name, key: keyOf(name), spec: `${NO_CACHE}\n${limits}` }))
    const { cheap, gateway } = await start(t, '', { args, further })
    const ask = (name: string, max_tokens: number) =>
      gateway.chat({ max_tokens }, { authorization: `Bearer ${keyOf(name)}` })
    cheap.otherwise(ok({ ...chatCompletion('x'), usage: { prompt_tokens: 10, completion_tokens: 990 } }))
    for (const [name] of keys) t.equal((await ask(name, 1_000)).status, 200)
    cheap.otherwise(status(429, {}, { 'retry-after': '17' }))
    t.equal((await ask('rich', 1_000)).status, 200, 'the cheap one is out now')
    for (const name of ['one', 'two', 'tokens'])
      for (const [max_tokens, mayRetry] of [
        [1_000, 'false'],
        [100, 'true'],
      ] as const) {
        const response = await ask(name, max_tokens)
        t.match(await response.json(), { error: { code: 'budget_exceeded' } })
        t.equal(response.headers.get('x-should-retry'), mayRetry, `${name}: ${max_tokens} tokens`)
        t.equal(response.headers.has('retry-after'), mayRetry === 'true')
      }
  }
})

t.test('a model that the budget does not leave puts off no other model of its provider', async (t) => {
  const [wide, last] = [await startFakeProvider(), await startFakeProvider()]
  t.teardown(() => Promise.all([wide.close(), last.close()]))
  for (const one of [wide, last]) one.otherwise(ok({ ...chatCompletion('x'), usage }))
  const priced = (name: string, price: number, quality: number) =>
    `{ name: ${name}, maxOutputTokens: 4000, quality: ${quality}, pricing: { input: "${price}", output: "${price}" } }`
  const wideModels = [priced('large', 100, 0.9), priced('small', 1, 0.8)]
  const { cheap, gateway } = await start(t, BUDGET, {
    further: [
      provider({ name: 'wide', url: wide.url, models: wideModels, priority: 1 }),
      provider({ name: 'last', url: last.url, models: [priced('other', 1, 0.7)], priority: 1 }),
    ],
    models: [priced('m', 1, 1)],
  })
  cheap.otherwise(status(500))
  const response = await gateway.chat({ model: 'auto', max_tokens: 1_000 }, { 'x-llm-scoring-method': 'quality' })
  t.equal(response.status, 200)
  t.strictSame(
    wide.requests.map(({ json }) => json?.['model']),
    ['small'],
  )
  t.equal(last.requests.length, 0)
})

t.test(
  'a reservation that Redis has lost is no room for a dearer one, unless the organization wants that',
  async (t) => {
    for (const [quotaFailure, expected] of [
      ['Closed', 503],
      ['Open', 200],
    ] as const) {
      const redis = await startRedis()
      t.teardown(() => redis.stop())
      const own = organization('default', `  compliance: { quotaFailure: ${quotaFailure} }`)
      const { cheap, dear, gateway } = await start(t, BUDGET, { args: ['--redis', redis.url], further: [own] })
      cheap.otherwise(async (exchange) => {
        await redis.cli('FLUSHALL')
        await status(500)(exchange)
      })
      const response = await gateway.chat({ max_tokens: 100 })
      t.equal(response.status, expected, quotaFailure)
      t.equal(dear.requests.length, expected === 200 ? 1 : 0)
      if (expected === 503) {
        t.match(await response.json(), { error: { code: 'quota_backend_unavailable' } })
        t.equal(response.headers.get('retry-after'), '1')
        const { attempts } = (await gateway.line(({ type }) => type === 'audit')) as { attempts?: LogLine[] }
        t.match(attempts?.at(-1), { deploymentId: 'dear/m', result: 'busy', reason: 'quota-store' })
      }
      t.match(await usageOf(gateway), { spent: expected === 200 ? '0.011000' : '0.000000', reserved: '0.000000' })
    }
  },
)
