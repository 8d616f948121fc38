/** DESIGN section 7, the second level: two gateways on one Redis, sealed values, purges, and Redis gone or frozen. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { ok, status, stream } from '../helpers/behaviours.ts'
import { stateFolder } from '../helpers/cache-scene.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml, type Gateway } from '../helpers/gateway.ts'
import { startRedis, until } from '../helpers/redis.ts'

const run = promisify(execFile)
const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
const MODELS = [
  '{ name: m, quality: 0.5, pricing: { input: "1", output: "2" } }',
  '{ name: e, capabilities: [embeddings], pricing: { input: "1000", output: "0" } }',
  '{ name: f, capabilities: [embeddings] }',
]

const redis = await startRedis()
t.teardown(() => redis.stop())
const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const state = stateFolder(t)

/** The same embedding model once more, for when the first fails. */
const backup = provider({ name: 'q', url: upstream.url, priority: 200, models: MODELS.slice(1) })
const SEMANTIC_KEY = 'semantic-key-0123456789abcdef0123456789abcdef'
const semantic = virtualKey({
  name: 'semantic',
  key: SEMANTIC_KEY,
  spec: '  policies: { cache: { semantic: { enabled: true, model: e } } }',
})
const LIMITED_KEY = 'limited-key-0123456789abcdef0123456789abcdef'
const limited = virtualKey({
  name: 'limited',
  key: LIMITED_KEY,
  spec: '  budgets: [{ window: Month, limitUSD: "1000" }]',
})
const manifests = {
  'all.yaml': yaml(provider({ name: 'p', url: upstream.url, models: MODELS }), backup, virtualKey(), semantic, limited),
}
const args = ['--redis', redis.url, '--state', state]
const one = await startGateway(t, { manifests, args })
const two = await startGateway(t, { manifests, args })

let count = 0
const numbered: Behaviour = (exchange) => ok(chatCompletion(`the plain secret word of answer ${count++}`))(exchange)
upstream.otherwise(numbered)
upstream.otherwise(embedding, { path: /embeddings$/ })

/** One vector for each input; numbers, whatever the encoding that is asked for, as several servers do. */
function embedding(exchange: Parameters<Behaviour>[0]): void | Promise<void> {
  const input = exchange.request.json?.['input']
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
  const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding: [0.5, -0.25, index] }))
  return ok({ object: 'list', data, model: 'e', usage: { prompt_tokens: 7, total_tokens: 7 } })(exchange)
}

async function ask(gateway: Gateway, content: string, key = KEY): Promise<[string | null, string]> {
  const headers = { authorization: `Bearer ${key}`, 'cache-control': 'max-age=999' }
  const response = await gateway.chat({ messages: [{ role: 'user', content }] }, headers)
  return [response.headers.get('x-gateway-cache'), await response.text()]
}

/** Writes go in the background. */
const entries = async () => (await redis.cli('--scan', '--pattern', 'tg:c:*:a:*')).split('\n').filter(Boolean).length

t.test('what one gateway was told the other knows', async (t) => {
  const [missed, text] = await ask(one, 'shared')
  t.equal(missed, 'miss')
  await until(async () => (await entries()) === 1)
  t.strictSame(await ask(two, 'shared'), ['hit-l2', text])
  t.strictSame(await ask(two, 'shared'), ['hit-l1', text])
})

t.test('nobody who reads Redis reads an answer or a question', async (t) => {
  await ask(one, 'a very visible question')
  await until(async () => (await entries()) === 2)
  const keys = (await redis.cli('--scan', '--pattern', 'tg:c:*')).split('\n').filter(Boolean)
  for (const key of keys) {
    const dump = await redis.cli('--raw', 'DUMP', key)
    t.notMatch(dump, /plain secret|visible|chatcmpl|test-model|default\/test/)
    t.ok(Number(await redis.cli('PTTL', key)) > 0, 'it ends by itself')
  }
})

t.test('an entry that was tampered with or moved is a miss', async (t) => {
  await ask(one, 'moved')
  await until(async () => (await entries()) === 3)
  const [first, second] = (await redis.cli('--scan', '--pattern', 'tg:c:*:a:*')).split('\n').filter(Boolean)
  await redis.cli('COPY', first ?? '', second ?? '', 'REPLACE')
  for (const question of ['shared', 'a very visible question', 'moved']) {
    const fresh = await ask(two, question)
    t.match(fresh[0], /^(hit-l[12]|miss)$/)
  }
  const answers = await Promise.all(['a very visible question', 'moved'].map((question) => ask(two, question)))
  t.not(answers[0]?.[1], answers[1]?.[1], 'never the answer of the other question')
})

t.test('the first answer out of Redis is said to be from there, whichever of its replies comes first', async (t) => {
  const before = await entries()
  const questions = Array.from({ length: 40 }, (_, index) => `Which level has question ${index}?`)
  for (const question of questions) await ask(one, question, LIMITED_KEY)
  await until(async () => (await entries()) === before + questions.length)
  const levels = await Promise.all(questions.map(async (question) => (await ask(two, question, LIMITED_KEY))[0]))
  t.strictSame([...new Set(levels)], ['hit-l2'])
  for (const question of questions.slice(0, 3)) t.equal((await ask(two, question, LIMITED_KEY))[0], 'hit-l1')
})

t.test('a purge of a virtual key, a project or an organization ends what was kept', async (t) => {
  const purge = (...more: string[]) =>
    run(process.execPath, [MAIN, 'cache', 'purge', '--redis', redis.url, '--organization', 'default', ...more])
  for (const target of [['--key', 'default/test'], []]) {
    await ask(one, 'to be purged')
    t.equal((await ask(one, 'to be purged'))[0], 'hit-l1')
    const { stdout } = await purge(...target)
    t.match(stdout, /^purged/)
    // Gateways read the counters every two seconds.
    await until(async () => (await ask(one, 'to be purged'))[0] === 'miss')
    await until(async () => (await ask(two, 'another question'))[0] === 'miss')
  }
  await purge('--key', 'default/somebody-else')
  t.match((await ask(one, 'to be purged'))[0], /hit/)
  await t.rejects(purge('--project', 'p', '--key', 'a/b'))
  await t.rejects(purge('--project', '*'))
})

t.test('a purge that finds no answers says so, and succeeds as often as it is asked for', async (t) => {
  const purge = async (...target: string[]) =>
    (await run(process.execPath, [MAIN, 'cache', 'purge', '--redis', redis.url, ...target])).stdout
  const nobody = /^purged; no answers of organization nobody are stored here: .*is the name right\?.*within 2 s\n$/
  for (let time = 0; time < 2; time++) {
    t.match(await purge('--organization', 'nobody'), nobody)
    t.match(await purge('--organization', 'nobody', '--key', 'default/test'), nobody)
    t.match(
      await purge('--organization', 'nobody', '--project', 'p'),
      /^purged; no answers of project p of organization nobody are stored here/,
    )
  }
  await ask(one, 'to be found by a purge')
  await until(async () => (await redis.cli('--scan', '--pattern', 'tg:c:*:a:*')) !== '')
  t.match(await purge('--organization', 'default', '--key', 'default/somebody-else'), /^purged; 0 stored answers/)
  t.match(await purge('--organization', 'default', '--project', 'p'), /no answers of project p of organization default/)
  t.match(await purge('--organization', 'default'), /^purged; [1-9]/)
  t.match(await purge('--organization', 'default'), /^purged; no answers of organization default are stored here/)
})

t.test(
  'an answer that is on its way when its organization is purged is not for those who ask afterwards',
  async (t) => {
    for (const streamed of [false, true]) {
      const content = `under way ${streamed}`
      await ask(one, `kept before ${content}`)
      const going = Promise.withResolvers<void>()
      const [first = '', ...others] = chatStream(['old ', 'answer'])
      upstream.enqueue(async (exchange) => {
        if (!streamed) {
          await going.promise
          return ok(chatCompletion('old answer'))(exchange)
        }
        exchange.response.writeHead(200, { 'content-type': 'text/event-stream' })
        exchange.response.write(first + (others[0] ?? ''))
        await going.promise
        exchange.response.end(others.slice(1).join(''))
      })
      const send = async () => {
        const body = { messages: [{ role: 'user', content }], stream: streamed }
        const response = await one.chat(body, { 'cache-control': 'max-age=999' })
        return [response.headers.get('x-gateway-cache'), await response.text()] as const
      }
      const before = upstream.requests.length
      const leading = send()
      await upstream.received(before + 1)
      await run(process.execPath, [MAIN, 'cache', 'purge', '--redis', redis.url, '--organization', 'default'])
      // Gateways read the counters every two seconds.
      await until(async () => (await ask(one, `kept before ${content}`))[0] === 'miss')
      upstream.enqueue(streamed ? stream(chatStream(['new'])) : ok(chatCompletion('new')))
      const asking = send()
      await new Promise((resolve) => setTimeout(resolve, 100))
      going.resolve()
      t.match((await leading)[1], /old/)
      const [cache, text] = await asking
      t.equal(cache, 'miss')
      t.match(text, /new/)
    }
  },
)

t.test('embeddings are governed, failed over, cached, and right for the official SDK', async (t) => {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${one.url}/adapters/openai/v1`, maxRetries: 0 })
  const before = upstream.requests.length
  const { data, response } = await client.embeddings.create({ model: 'e', input: ['a', 'b'] }).withResponse()
  t.strictSame(
    data.data.map((item) => [...item.embedding]),
    [
      [0.5, -0.25, 0],
      [0.5, -0.25, 1],
    ],
    'numbers for a client that asked for base64 and reads it',
  )
  t.equal(response.headers.get('x-gateway-cost-usd'), '0.007000')
  t.equal(response.headers.get('x-gateway-cache'), 'miss')
  const again = await client.embeddings.create({ model: 'e', input: ['a', 'b'] }).withResponse()
  t.equal(again.response.headers.get('x-gateway-cache'), 'hit-l1')
  t.strictSame(again.data.data, data.data)
  t.equal(upstream.requests.length, before + 1)
  const audit = await one.line((line) => line['type'] === 'audit' && line['operation'] === 'embeddings')
  t.match(audit, { outcome: 'answered', model: { served: 'e' }, tokens: { input: 7 } })

  const post = (body: object, headers = {}) => one.chat(body, headers, '/v1/embeddings')
  const tokens = await post({ model: 'e', input: [1, 2, 3], messages: undefined })
  t.equal(tokens.status, 200)
  t.equal((await post({ model: 'auto', input: 'x' })).status, 400)
  t.equal((await post({ model: 'm', input: 'x' })).status, 400, 'a chat model')
  t.equal((await post({ model: 'e', input: '' })).status, 400)
  t.equal((await post({ model: 'e', input: ['x'], encoding_format: 'words' })).status, 400)
  const masked = await post({ model: 'e', input: 'mail anna@example.com' }, { 'x-llm-flags': 'pii-safe' })
  t.equal(masked.status, 200)
  t.match(upstream.requests.at(-1)?.body, /LLM_REDACTED_EMAIL/)
  t.notMatch(upstream.requests.at(-1)?.body, /anna@example/)
  upstream.enqueueFor({ path: /embeddings$/ }, status(500))
  t.equal((await post({ model: 'e', input: 'tried again' })).status, 200, 'another provider of the same model')
  t.notOk(
    upstream.requests.some((request) => request.model === 'f'),
    'never another model',
  )
})

t.test('what one gateway has learnt is a hit by meaning at the next question of the other', async (t) => {
  const how = async (gateway: Gateway, content: string) => {
    const headers = { 'cache-control': 'max-age=999', authorization: `Bearer ${SEMANTIC_KEY}` }
    const response = await gateway.chat({ messages: [{ role: 'user', content }] }, headers)
    return [response.headers.get('x-gateway-cache'), await response.text()]
  }
  const known = async () => {
    const key = (await redis.cli('--scan', '--pattern', 'tg:c:*:s:*')).trim()
    return key === '' ? 0 : Number(await redis.cli('LLEN', key))
  }
  for (const thing of ['a cake', 'some bread', 'a pizza']) {
    // Both have looked into the group before.
    t.equal((await how(two, `how to burn ${thing}`))[0], 'miss')
    const [missed, text] = await how(one, `How do I bake ${thing}?`)
    t.equal(missed, 'miss')
    const questions = 2 * (1 + ['a cake', 'some bread', 'a pizza'].indexOf(thing))
    await until(async () => (await known()) === questions)
    // A gateway asks for changes four times a second at most.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    t.strictSame(await how(two, `Please tell me how to bake ${thing}`), ['hit-semantic', text])
  }
  const third = await startGateway(t, { manifests, args })
  t.equal((await how(third, 'Could you tell me how to bake a cake'))[0], 'hit-semantic')
})

t.test('Redis frozen or gone is a miss, never an error', async (t) => {
  redis.freeze()
  const [cache, text] = await ask(one, 'frozen')
  t.equal(cache, 'miss')
  t.match(text, /answer \d+/)
  t.match((await ask(one, 'frozen'))[0], /hit-l1/, 'the first level goes on')
  redis.thaw()
  await redis.kill()
  t.equal((await ask(two, 'gone'))[0], 'miss')
  t.equal((await ask(two, 'gone'))[0], 'hit-l1')
})
