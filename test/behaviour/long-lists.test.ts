/** Lists of 150,000 items: more than a function takes as arguments, and less than a body of 10 MiB holds. */
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { ok, status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const COUNT = 150_000
/** Four fields each, of the 350,000 that a body may hold. */
const MOST_CALLS = 85_000

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({
        name: 'p',
        url: upstream.url,
        models: [
          '{ name: m, capabilities: [chat, tools, streaming], contextWindow: 100000000 }',
          '{ name: vectors, capabilities: [embeddings] }',
        ],
      }),
      virtualKey({ spec: '  policies: { flags: [pii-safe] }' }),
    ),
  },
})

function many<Item>(item: Item, length = COUNT): Item[] {
  return Array.from({ length }, () => item)
}

function named<Item>(item: Item): Record<string, Item> {
  return Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`n${index}`, item]))
}

function tool(parameters: object) {
  return {
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
  }
}

function called(value: unknown) {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(value) } }
  return {
    messages: [
      { role: 'assistant', tool_calls: [call] },
      { role: 'user', content: 'go on' },
    ],
  }
}

const REQUESTS = {
  'parts of an answer': {
    messages: [
      { role: 'assistant', content: many({ type: 'text', text: 'a' }) },
      { role: 'user', content: 'b' },
    ],
  },
  'calls of an answer': {
    messages: [
      { role: 'assistant', tool_calls: many({ id: 'c', function: { name: 'f', arguments: '' } }, MOST_CALLS) },
      { role: 'user', content: 'b' },
    ],
  },
  'parts of a question': { messages: [{ role: 'user', content: many({ type: 'text', text: 'a' }) }] },
  'allowed values of a schema': tool({ type: 'object', properties: { a: { enum: many([]) } } }),
  'properties of a schema': tool({ type: 'object', properties: named({}) }),
  'alternatives of a schema': tool({ type: 'object', anyOf: many({}) }),
  'lists in arguments': called({ list: many([]) }),
  'fields in arguments': called(named({})),
}

for (const [name, request] of Object.entries(REQUESTS)) {
  t.test(`a request with as many ${name}`, async (t) => {
    upstream.otherwise(ok(chatCompletion('hello')))
    const response = await gateway.chat({ model: 'm', ...request })
    t.match(await response.text(), /hello/)
  })
}

t.test('an answer with as many calls', async (t) => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const message = { role: 'assistant', content: null, tool_calls: many(call) }
  upstream.otherwise(ok({ ...chatCompletion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }))
  for (const path of ['/v1/chat/completions', '/adapters/anthropic/v1/messages']) {
    const response = await gateway.chat(
      { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'x' }] },
      {},
      path,
    )
    t.equal(response.status, 200, path)
    t.ok((await response.text()).length > COUNT * 20)
  }
})

t.test('a stream of as many events in one piece', async (t) => {
  upstream.otherwise(stream([chatStream(many('a')).join('')]))
  const response = await gateway.chat({ model: 'm', stream: true, messages: [{ role: 'user', content: 'y' }] })
  const told = [...(await response.text()).matchAll(/"content":"(a+)"/g)].reduce(
    (sum, [, text = '']) => sum + text.length,
    0,
  )
  t.equal(told, COUNT)
})

t.test('the most vectors that an SDK of OpenAI can ask for', async (t) => {
  const embedding = Buffer.alloc(3_072 * 4, 7).toString('base64')
  const vector = (_: unknown, index: number) => ({ object: 'embedding', index, embedding })
  const data = Array.from({ length: 2_048 }, vector)
  upstream.enqueue(status(200, JSON.stringify({ object: 'list', data, model: 'vectors' }, null, 2)))
  const asked = { model: 'vectors', input: many('text', 2_048), encoding_format: 'base64', messages: undefined }
  const response = await gateway.chat(asked, {}, '/v1/embeddings')
  t.equal(response.status, 200)
  t.equal(Object(await response.json()).data.length, 2_048)
})
