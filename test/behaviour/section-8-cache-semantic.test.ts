/** DESIGN section 7, by meaning: a fake embedding server says that everything is alike, and still nothing wrong is served. */
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { delayed, ok, status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
let count = 0
upstream.otherwise((exchange) => ok(chatCompletion(`answer ${count++}`))(exchange))

/** All questions have the same direction, except those about cheese. */
const alike: Behaviour = (exchange) => {
  const cheese = String(exchange.request.json?.['input']).includes('cheese')
  return ok({ data: [{ embedding: cheese ? [0, 1, 0] : [1, 0.1, 0] }], usage: { prompt_tokens: 3 } })(exchange)
}
upstream.otherwise(alike, { path: /embeddings$/ })

/** An embedding's token costs 1,000 micro-dollars, a question of 40 bytes is reserved at 40,000. */
const BUDGETS: Record<string, string> = { rich: '1', poor: '0.02', frugal: '0.0475', small: '0.0155', little: '0.0155' }

function paidBy(name: string): string {
  return `  budgets: [{ window: Total, limitUSD: "${BUDGETS[name]}" }]
  policies: { cache: { semantic: { enabled: true, model: dear } } }`
}

function keyOf(name: string): string {
  return `key-of-${name}-0123456789abcdef0123456789abcdef`
}

const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({
        name: 'p',
        url: upstream.url,
        models: [
          '{ name: m, capabilities: [chat, streaming, tools] }',
          '{ name: e, capabilities: [embeddings] }',
          '{ name: priced, pricing: { input: "1", output: "1" } }',
          '{ name: dear, capabilities: [embeddings], pricing: { input: "1000", output: "0" } }',
        ],
      }),
      ...['rich', 'poor', 'frugal', 'small', 'little'].map((name) =>
        virtualKey({ name, key: keyOf(name), spec: paidBy(name) }),
      ),
      virtualKey({ spec: '  policies: { cache: { semantic: { enabled: true, model: e } } }' }),
    ),
  },
})

async function ask(
  content: string,
  body: object = {},
): Promise<[cache: string | null, text: string, similarity: string | null]> {
  const response = await gateway.chat(
    { messages: [{ role: 'user', content }], ...body },
    { 'cache-control': 'max-age=999' },
  )
  const cache = response.headers.get('x-gateway-cache')
  return [cache, await response.text(), response.headers.get('x-gateway-cache-similarity')]
}

t.test('the same question in other words is answered from the cache, with its likeness', async (t) => {
  const paraphrases = [
    ['How do I reset my password?', 'Could you please tell me how to reset my password'],
    ['What is the capital of France?', "Tell me: what's the capital of France"],
    ['Wie kann ich mein Passwort zurücksetzen?', 'wie mein kennwort zurücksetzen?'],
    ['Comment puis-je supprimer mon compte ?', 'Bonjour, comment supprimer mon compte'],
    ['¿Cómo puedo borrar mi cuenta de usuario?', 'Por favor, cómo eliminar mi cuenta de usuario'],
    ['Come posso eliminare il mio account?', 'come cancellare il mio account'],
  ]
  for (const [first = '', second = ''] of paraphrases) {
    const [missed, text] = await ask(first)
    t.equal(missed, 'miss', first)
    const [hit, again, similarity] = await ask(second)
    t.equal(hit, 'hit-semantic', second)
    t.equal(again, text)
    t.equal(similarity, '1.0000')
    t.equal((await ask(first))[0], 'hit-l1')
  }
})

t.test('no two questions that differ in substance share an answer, however alike their vectors', async (t) => {
  const questions = [
    'What was the revenue in 2023?',
    'What was the revenue in 2024?',
    'What was the revenue in March 2024?',
    'What was the revenue in May 2024?',
    'Is it safe to take aspirin?',
    'Is it not safe to take aspirin?',
    "Isn't it safe to take aspirin?",
    'Is it safe to never take aspirin?',
    'Who is Anna Smith?',
    'Who is Anna Schmidt?',
    'who is anna jones',
    'Flights from Rome to Oslo',
    'Flights from Oslo to Rome',
    'Flights to Oslo before Friday',
    'Flights to Oslo after Friday',
    'How many is 5 kg?',
    'How many is 5 lb?',
    'How many is 5.5 kg?',
    'Translate "good morning" into Greek',
    'Translate "good evening" into Greek',
    'Translate "Good morning" into Greek',
    'What is 2 + 3?',
    'What is 2 - 3?',
    'What is 2 * (3 + 4)?',
    'What is (2 * 3) + 4?',
    'Can I delete my account?',
    'Must I delete my account?',
    'Can I delete her account?',
    'Coffee with sugar',
    'Coffee without sugar',
    'Wie lösche ich mein Konto?',
    'Wie lösche ich mein Konto nicht?',
    'Zug von Wien nach Graz',
    'Zug von Graz nach Wien',
    'Je peux manger des noix',
    'Je ne peux pas manger des noix',
    'Puedo comer nueces con leche',
    'Puedo comer nueces sin leche',
    '東京の人口は?',
    '大阪の人口は?',
    'Сколько стоит билет до Киева?',
    'Сколько не стоит билет до Киева?',
    'Where is the cheese?',
  ]
  for (const question of questions) t.equal((await ask(question))[0], 'miss', question)
})

t.test('the rest of the request must be equal', async (t) => {
  const question = 'How do I bake bread?'
  const paraphrase = 'how to bake bread'
  await ask(question)
  const others = [
    { temperature: 1 },
    {
      messages: [
        { role: 'system', content: 'short' },
        { role: 'user', content: paraphrase },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: 'y' },
        { role: 'user', content: paraphrase },
      ],
    },
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    { response_format: { type: 'json_object' } },
  ]
  for (const body of others) t.equal((await ask(paraphrase, body))[0], 'miss')
  t.equal((await ask(paraphrase))[0], 'hit-semantic')
})

t.test('unlike vectors, late and failing embeddings are misses', async (t) => {
  await ask('How do I slice the cheese?')
  upstream.enqueueFor({ path: /embeddings$/ }, ok({ data: [{ embedding: [1, 0, 0] }] }))
  t.equal((await ask('how to slice the cheese'))[0], 'miss', 'unlike')
  await ask('How do I grate the cheese?')
  for (const behaviour of [
    delayed(2_000, alike),
    status(500),
    ok({ data: [] }),
    ok({ data: [{ embedding: [0, 0] }] }),
  ]) {
    upstream.enqueueFor({ path: /embeddings$/ }, behaviour)
    t.equal((await ask(`How can I grate the cheese?${'!'.repeat(count)}`))[0], 'miss')
  }
  t.equal((await ask('how to grate the cheese'))[0], 'hit-semantic')
})

/** A call whose answer is priced too; what it cost by header, and what its audit record says. */
async function pay(name: string, content: string, body: object = {}) {
  const response = await gateway.chat(
    { model: 'priced', max_tokens: 10, messages: [{ role: 'user', content }], ...body },
    { 'cache-control': 'max-age=999', authorization: `Bearer ${keyOf(name)}` },
  )
  t.equal(response.status, 200)
  await response.text()
  const requestId = response.headers.get('x-request-id')
  const audit = await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === requestId)
  return {
    cache: response.headers.get('x-gateway-cache'),
    cost: response.headers.get('x-gateway-cost-usd'),
    audit,
  }
}

async function spent(name: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${keyOf(name)}` }
  const usage = (await (await fetch(`${gateway.url}/v1/usage`, { headers })).json()) as { limits: object[] }
  return usage.limits[0]
}

t.test('the embedding of a question is charged to the request, told in audit and metrics', async (t) => {
  const embedding = { provider: 'p', model: 'dear', tokens: 3, estimated: false, costMicroUsd: 3_000 }
  const missed = await pay('rich', 'How do I bake a cake?')
  t.match(missed, { cache: 'miss', cost: '0.003008' })
  t.match(missed.audit, { costMicroUsd: 3_008, cacheDetails: { semanticLook: 'asked', embedding } })
  const hit = await pay('rich', 'how to bake a cake')
  t.match(hit, { cache: 'hit-semantic', cost: '0.003000' })
  const cacheDetails = { ageSeconds: Number, similarity: 1, semanticLook: 'asked', embedding }
  t.match(hit.audit, { costMicroUsd: 3_000, cacheDetails })
  const exact = await pay('rich', 'How do I bake a cake?')
  t.match(exact, { cache: 'hit-l1', cost: '0.000000' })
  t.notOk(exact.audit['cacheDetails']?.['embedding' as never])
  t.match(await spent('rich'), { spent: '0.006008', reserved: '0.000000' })
  const page = await (await fetch(`${gateway.admin}/metrics`)).text()
  t.match(page, /gen_ai_client_token_usage_sum\{[^}]*gen_ai_request_model="dear"[^}]*\} 6/)
  t.match(page, /tollgate_semantic_looks_total\{result="hit"\}/)
  t.match(page, /tollgate_cost_usd_total\{organization="default",project="none"\} 0\.00600\d/)
})

t.test('an embedding that the budget leaves no room for is not made, and nothing is refused', async (t) => {
  const before = upstream.requests.length
  const missed = await pay('poor', 'How do I cook a soup with beans?')
  t.equal(missed.cache, 'miss')
  t.match(missed.audit['cacheDetails'], { semanticLook: 'unaffordable' })
  t.strictSame(
    upstream.requests.slice(before).map(({ model }) => model),
    ['priced'],
  )
  // Room for one embedding, and after it is settled at 3 tokens for a second, shorter one.
  t.equal((await pay('frugal', 'How do I cook a soup with peas and rice')).audit['costMicroUsd'], 3_008)
  t.equal((await pay('frugal', 'How do I cook a soup with rice and pears and beans')).audit['costMicroUsd'], 8)
  t.match(await spent('frugal'), { spent: '0.003016', reserved: '0.000000' })
})

t.test(
  'an answer without a maximum that holds all that a budget leaves gives up what the embedding may cost',
  async (t) => {
    const before = upstream.requests.length
    const missed = await pay('small', 'Why bread?', { max_tokens: undefined })
    t.match(missed.audit, { costMicroUsd: 3_008, cacheDetails: { semanticLook: 'asked' } })
    const asked = upstream.requests.slice(before).find(({ model }) => model === 'priced')?.json
    t.ok(Number(asked?.['max_tokens']) > 5_000 && Number(asked?.['max_tokens']) < 5_500, `${asked?.['max_tokens']}`)
    t.match(await spent('small'), { spent: '0.003008', reserved: '0.000000' })
    const hit = await pay('small', 'why bread', { max_tokens: undefined })
    t.match(hit, { cache: 'hit-semantic', cost: '0.003000' })
  },
)

t.test('what an answer has given up for the embedding is not there for its repair either', async (t) => {
  const before = upstream.requests.length
  const body = { model: 'priced', messages: [{ role: 'user', content: 'Why cake?' }] }
  const wish = { 'cache-control': 'max-age=999', 'x-llm-flags': 'force-json' }
  const headers = { ...wish, authorization: `Bearer ${keyOf('little')}` }
  t.equal((await gateway.chat(body, headers)).status, 502)
  const asked = upstream.requests.slice(before).filter(({ model }) => model === 'priced')
  const limits = asked.map(({ json }) => Number(json?.['max_tokens']))
  t.equal(limits.length, 2)
  t.ok(
    limits.every((limit) => limit > 5_000 && limit < 6_500),
    String(limits),
  )
})

t.test('streams pay for the embedding of their question too', async (t) => {
  upstream.enqueueFor({ model: 'priced' }, stream(chatStream(['a', 'b'])))
  const streamed = await pay('rich', 'How do I steam some rice?', { stream: true })
  t.match(streamed.audit, { cache: 'miss', stream: true, cacheDetails: { embedding: { costMicroUsd: 3_000 } } })
  const hit = await pay('rich', 'how to steam some rice', { stream: true })
  t.match(hit, { cache: 'hit-semantic', cost: '0.003000' })
})
