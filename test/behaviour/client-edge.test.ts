/** DESIGN section 4: lists, methods, names and heads of requests, as clients of all adapters see them. */
import { once } from 'node:events'
import OpenAI from 'openai'
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok, status } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { openRaw, readWhenWritten, requestBytes, sendRaw } from '../helpers/raw-http.ts'

const TAGGED_KEY = 'tagged-key-0123456789abcdef0123456789abcdef'

/** May use one model only. */
const NARROW_KEY = 'narrow-key-0123456789abcdef0123456789abcdef'

/** In pieces, so that no scanner takes this file for a leak. */
const SECRET = ['sk', 'proj', 'Zq3vT8mXw1LkR5nY7pBdC2fGhJ4sAeU6oI9tKxQy'].join('-')

const ORGANIZATIONS = `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: default }
spec:
  grants:
  - { name: all, namespaceSelector: {} }
---
apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: tagged }
spec:
  compliance: { requiredTags: [cost-center] }
  grants:
  - { name: all, namespaceSelector: {}, privileges: [trace] }
`

const CHAT = '{ name: chat-model, aliases: [chat-alias], quality: 0.5, pricing: { input: "1", output: "2" } }'
const EMBEDDING = '{ name: embedding-model, capabilities: [embeddings], pricing: { input: "1", output: "0" } }'
const LISTED = '  failover: { retryOnStatus: [400], circuitBreaker: { consecutiveFailures: 2 } }'

const upstream = await startFakeProvider()
const picky = await startFakeProvider()
t.teardown(() => Promise.all([upstream.close(), picky.close()]))
upstream.otherwise(ok(chatCompletion('hello')))

const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({ name: 'first', url: upstream.url, models: [CHAT, EMBEDDING] }),
      provider({ name: 'picky', url: picky.url, models: ['{ name: picky-model, quality: 0.1 }'], spec: LISTED }),
      provider({
        name: 'foreign',
        url: upstream.url,
        type: 'Anthropic',
        models: ['{ name: no-embedding, capabilities: [embeddings] }'],
      }),
      ORGANIZATIONS,
      virtualKey(),
      virtualKey({ name: 'narrow', key: NARROW_KEY, spec: '  access: { providers: [picky] }' }),
      virtualKey({ name: 'tagged', key: TAGGED_KEY, spec: '  organizationRef: { name: tagged }' }),
    ),
  },
})

const LISTS = [
  '/v1/models',
  '/adapters/openai/v1/models',
  '/adapters/anthropic/v1/models',
  '/adapters/gemini/v1beta/models',
]

const get = (path: string, headers: Record<string, string> = {}, key = KEY) =>
  fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}`, ...headers } })

t.test('models for embeddings are listed to the clients that can ask for embeddings', async (t) => {
  for (const path of LISTS.slice(0, 2)) {
    const client = new OpenAI({ apiKey: KEY, baseURL: gateway.url + path.replace('/models', ''), maxRetries: 0 })
    const ids = (await Array.fromAsync(await client.models.list())).map(({ id }) => id)
    t.strictSame(ids, ['auto', 'chat-model', 'embedding-model', 'picky-model'], path)
    t.equal((await client.models.retrieve('embedding-model')).id, 'embedding-model')
    t.equal((await client.models.retrieve('first/embedding-model')).id, 'first/embedding-model')
    await t.rejects(client.models.retrieve('no-embedding'), { status: 404, code: 'model_not_found' })
  }
  for (const path of LISTS.slice(2)) {
    t.notMatch(await (await get(path)).text(), 'embedding', path)
    t.equal((await get(`${path}/embedding-model`)).status, 404)
  }
})

t.test('a model is found by every name that a request may use', async (t) => {
  for (const path of LISTS) {
    for (const name of ['chat-model', 'chat-alias', 'first/chat-model', 'first/chat-alias']) {
      const answer = await get(`${path}/${name}`)
      t.equal(answer.status, 200, `${path}/${name}`)
      t.match(await answer.text(), name)
    }
  }
})

t.test('what only reads demands no tags, and is governed otherwise', async (t) => {
  for (const path of [...LISTS, '/v1/models/chat-model', '/v1/usage']) {
    t.equal((await get(path, {}, TAGGED_KEY)).status, 200, path)
    t.equal((await get(path, { 'x-llm-tags': 'a=b' }, TAGGED_KEY)).status, 200, path)
    t.equal((await get(path, { 'x-gateway-tags': 'a' }, TAGGED_KEY)).status, 400, path)
    t.equal((await get(path, { 'x-llm-max-cost': '1' }, TAGGED_KEY)).status, 403, path)
    t.equal((await get(path, {}, 'nobody')).status, 401, path)
  }
  const asked = await gateway.chat({ model: 'chat-model' }, { authorization: `Bearer ${TAGGED_KEY}` })
  t.match(await asked.json(), { error: { code: 'missing_required_tag' } })
})

t.test(
  'a wrong name of a model is answered with the list, and the name that was meant where the key can see it',
  async (t) => {
    const message = async (answer: Response) => String(Object(await answer.json()).error.message)
    const meant = '(did you mean "chat-model"?); the list of models, GET '
    t.match(
      await message(await gateway.chat({ model: 'chat-modle' })),
      `"chat-modle" does not exist, or this key cannot see it ${meant}/v1/models,`,
    )
    for (const path of LISTS)
      t.match(
        await message(await get(`${path}/chat-modl`)),
        `"chat-modl" does not exist, or this key cannot see it ${meant}${path},`,
      )
    t.match(
      await message(await gateway.chat({ model: 'other' })),
      '"other" does not exist, or this key cannot see it; the list',
    )
    t.match(await message(await get('/v1/models/chat-modl', {}, NARROW_KEY)), 'this key cannot see it; the list')
    t.match(
      await message(await gateway.chat({ model: 'no-embeding' }, { authorization: `Bearer ${NARROW_KEY}` })),
      'this key cannot see it; the list',
    )
  },
)

t.test('a secret in place of a model is shown to nobody', async (t) => {
  const openai = { model: SECRET, input: 'x', messages: [{ role: 'user', content: 'x' }], max_tokens: 9 }
  const google = { contents: [{ parts: [{ text: 'x' }] }] }
  for (const [path, body] of [
    ['/v1/chat/completions', openai],
    ['/v1/embeddings', openai],
    ['/adapters/anthropic/v1/messages', openai],
    ['/adapters/anthropic/v1/messages/count_tokens', openai],
    [`/adapters/gemini/v1beta/models/${SECRET}:generateContent`, google],
  ] as const) {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    t.equal(answer.status, 404, path)
    t.match(await answer.text(), /the model \\?"\[\[LLM_REDACTED_KEY_[a-z0-9]{8}\]\]/, path)
    const id = answer.headers.get('x-request-id')
    const audit = await gateway.line((line) => line['requestId'] === id)
    t.match(audit, { error: 'model_not_found', model: { requested: /^\[\[LLM_REDACTED_KEY_[a-z0-9]{8}\]\]$/ } })
  }
  for (const path of LISTS) {
    const answer = await get(`${path}/${SECRET}`)
    t.equal(answer.status, 404, path)
    t.match(await answer.text(), /the model \\?"\[\[LLM_REDACTED_KEY_[a-z0-9]{8}\]\]/, path)
  }
  const plain = await gateway.chat({ model: 'gpt-unknown' })
  t.match(await plain.text(), /the model \\"gpt-unknown\\" does not exist/)
  t.notMatch(gateway.output(), SECRET)
})

t.test(
  'the audit record names the model that was asked for, auto where none was, and none where nobody has read it',
  async (t) => {
    const requested = async (body: object, headers: Record<string, string>) => {
      const answer = await gateway.chat(body, headers)
      await answer.text()
      const audit = await gateway.line((line) => line['requestId'] === answer.headers.get('x-request-id'))
      return audit['model']
    }
    const tagged = { 'x-llm-tags': 'team=a' }
    t.match(await requested({ model: 'chat-model' }, tagged), { requested: 'chat-model' })
    t.match(await requested({ model: undefined }, tagged), { requested: 'auto' })
    t.same(await requested({ model: 'chat-model' }, { authorization: 'Bearer of-nobody' }), {})
    t.same(await requested({ model: 'chat-model' }, { 'x-llm-flags': 'pii-saf' }), {})
  },
)

t.test('HEAD is answered as GET, without the content', async (t) => {
  for (const path of ['/v1/models', '/v1/models/chat-model', '/adapters/anthropic/v1/models', '/v1/models/nobodys']) {
    const ask = (method: string, lines: [string, string][]) =>
      sendRaw(gateway.url, requestBytes(method, path, lines), { head: method === 'HEAD' })
    const key: [string, string] = ['Authorization', `Bearer ${KEY}`]
    const [head, get] = [await ask('HEAD', [key]), await ask('GET', [key])]
    t.equal(head.status, get.status, path)
    t.equal(head.body, '')
    t.strictSame(head.headers.get('content-length'), [String(Buffer.byteLength(get.body))])
    t.equal((await ask('HEAD', [])).status, 401)
  }
})

t.test('a byte order mark goes no further than the gateway', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: `\ufeff${body}`,
  })
  t.equal(answer.status, 200)
  t.equal(upstream.requests[0]?.body, body)
})

t.test('another method than the path takes is a 405 that says which', async (t) => {
  for (const [method, path, allow] of [
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/adapters/openai/v1/embeddings?x=1', 'POST'],
    ['OPTIONS', '/v1/models', 'GET, HEAD'],
    ['DELETE', '/v1/models/chat-model', 'GET, HEAD'],
    ['GET', '/adapters/anthropic/v1/messages', 'POST'],
    ['PATCH', '/adapters/gemini/v1beta/models/m:generateContent', 'POST, GET, HEAD'],
    ['GET', 'http://proxy.example/v1/chat/completions', 'POST'],
  ] as const) {
    const answer = await sendRaw(gateway.url, requestBytes(method, path, [['Authorization', `Bearer ${KEY}`]]))
    t.equal(answer.status, 405, `${method} ${path}`)
    t.strictSame(answer.headers.get('allow'), [allow], path)
    t.strictSame(answer.headers.get('x-should-retry'), ['false'])
    t.match(answer.body, 'method_not_allowed')
    t.match(answer.body, `takes ${allow} only`)
  }
  const head = await sendRaw(gateway.url, requestBytes('HEAD', '/v1/chat/completions', []), { head: true })
  t.equal(head.status, 405)
  for (const [method, path] of [
    ['OPTIONS', '/v1/nothing'],
    ['GET', '/v1/chat/completions/'],
    ['OPTIONS', '/v1/model?a=/v1/models'],
    ['OPTIONS', '*'],
    ['GET', '/v1/models/%E0%A4%A'],
    ['POST', '/adapters/gemini/v1beta/models/m:embedContent'],
  ] as const) {
    const answer = await sendRaw(gateway.url, requestBytes(method, path, []))
    t.equal(answer.status, 404, path)
    t.match(answer.body, `There is no such method and path: ${method} `)
    t.match(answer.body, 'base URLs of SDKs are /adapters/openai/v1, ')
  }
  for (const [path, offers] of [
    ['/v1/completions', 'v1/chat/completions, '],
    ['/adapters/openai/chat/completions', 'v1/chat/completions, '],
    ['/adapters/openai/v1/images/generations', 'v1/chat/completions, '],
    ['/adapters/anthropic/v1/messages/batches', 'v1/messages, v1/messages/count_tokens, '],
    ['/adapters/gemini/v1beta/models/m:embedContent', 'v1beta/models, v1beta/models/{model}:generateContent, '],
  ] as const) {
    const answer = await sendRaw(gateway.url, requestBytes('POST', path, []))
    t.match(answer.body, `offered are ${offers}`, path)
  }
})

t.test(
  "a call of an SDK whose base URL is the host alone is told which adapter's it lacks, before all else",
  async (t) => {
    const cases = [
      [
        'POST',
        '/v1/models/auto:generateContent',
        'The base URL lacks /adapters/gemini. This path takes GET, HEAD only: ',
      ],
      [
        'POST',
        '/v1beta/models/auto:streamGenerateContent?alt=sse',
        'The base URL lacks /adapters/gemini. There is no such',
      ],
      ['POST', '/v1/messages', 'The base URL lacks /adapters/anthropic. There is no such method and path: '],
      ['POST', '/v1/models/auto', '"This path takes GET, HEAD only: POST /v1/models/auto;'],
      ['GET', '/v1/models/%E0%A4%A', '"There is no such method and path: GET '],
      ['POST', '/v1/completions', '"There is no such method and path: POST '],
    ] as const
    for (const [method, path, message] of cases)
      t.match((await sendRaw(gateway.url, requestBytes(method, path, []))).body, message, path)
  },
)

t.test('a path that is nearly right is told what is wrong with it', async (t) => {
  const cases = [
    ['POST', '/adapters/openai/chat/completions', 'The base URL lacks /v1. There is no such'],
    ['POST', '/chat/completions', 'The base URL lacks /v1. There is no such'],
    ['POST', '/adapters/anthropic/v1/v1/messages', 'The path has /v1 twice. There is no such'],
    ['GET', '/v1/v1/models', 'The path has /v1 twice. There is no such'],
    ['GET', '/adapters/gemini/v1/v1beta/models', 'The path has two versions, /v1 and /v1beta. There is no such'],
    ['GET', '/adapters/gemini/v1beta/v1beta/models', 'The path has /v1beta twice. There is no such'],
    ['GET', '//v1/models', 'The path has a slash too many. There is no such'],
    ['POST', '/v1/chat/completions/', 'The path has a slash too many. There is no such'],
    ['POST', '/adapters/anthropic//v1/messages', 'The path has a slash too many. There is no such'],
    ['GET', '/v1/models/', 'The path has a slash too many. There is no such'],
    ['GET', '/adapters/openai/v1/models/?x=y', 'The path has a slash too many. There is no such'],
    ['GET', '/adapters/anthropic/v1/models/', 'The path has a slash too many. There is no such'],
    ['GET', '/adapters/gemini/v1beta/models/', 'The path has a slash too many. There is no such'],
    ['POST', '/v1/completions/', '"There is no such'],
    [
      'POST',
      '/adapters/antropic/v1/messages',
      'There is no adapter \\"antropic\\" (did you mean /adapters/anthropic?). ',
    ],
    ['POST', '/adapters/OpenAI/v1/chat/completions', 'The names of adapters are in small letters: /adapters/openai. '],
    ['POST', '/adapters/mistral/v1/chat/completions', 'There is no adapter \\"mistral\\". '],
    ['GET', `/adapters/${'x'.repeat(99)}/v1`, `There is no adapter \\"${'x'.repeat(40)}\\". `],
    ['GET', '/metrics', 'Health and metrics are on the admin port: GET /livez, /readyz, /metrics. There is no such'],
    ['POST', '/readyz?verbose', 'Health and metrics are on the admin port: '],
    ['GET', '/healthz', 'Health and metrics are on the admin port: '],
    ['GET', '/adapters/', '"There is no such method and path: GET '],
    ['GET', '/metrics/x', '"There is no such method and path: GET '],
    ['POST', '/adapters/openai/v1/completions', '"There is no such method and path: POST '],
  ] as const
  for (const [method, path, message] of cases) {
    const { status, body } = await sendRaw(gateway.url, requestBytes(method, path, []))
    t.equal(status, 404, path)
    t.match(body, message, path)
  }
})

t.test('a path that is a route without a version does not lack it', async (t) => {
  for (const [method, path, message] of [
    ['POST', '/adapters/gemini/models/m:embedContent', '"There is no such method and path: POST '],
    ['DELETE', '/adapters/gemini/models', '"This path takes GET, HEAD only: DELETE '],
  ] as const)
    t.match((await sendRaw(gateway.url, requestBytes(method, path, []))).body, message, path)
})

t.test("an expectation that is not met has the vendor's request id", async (t) => {
  const headers = [['Expect', 'miracles']] as const
  const answer = await sendRaw(gateway.url, requestBytes('POST', '/adapters/anthropic/v1/messages', headers, '{}'))
  t.equal(answer.status, 417)
  t.strictSame(answer.headers.get('request-id'), answer.headers.get('x-request-id'))
  t.match(answer.body, answer.headers.get('request-id')?.[0] ?? 'none')
})

t.test('whose expectation is not met reads so when its body is written', async (t) => {
  const client = openRaw(gateway.url)
  t.teardown(() => client.close())
  const request = requestBytes('POST', '/v1/chat/completions', [['Expect', 'foo']], ' '.repeat(1_500_000))
  t.match(await readWhenWritten(client, request), { status: 417, complete: true })
})

t.test('who waits to send a body is told to once it will be read, and not where the head is refused', async (t) => {
  const body = JSON.stringify({ model: 'chat-model', messages: [{ role: 'user', content: 'Hello' }] })
  const head = (length: number, key: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
  const ask = async (length: number, key: string) => {
    const client = openRaw(gateway.url)
    t.teardown(() => client.close())
    client.write(head(length, key))
    const [bytes] = (await once(client.socket, 'data')) as [Buffer]
    return { client, received: bytes.toString() }
  }
  const invited = await ask(body.length, KEY)
  t.equal(invited.received, 'HTTP/1.1 100 Continue\r\n\r\n')
  invited.client.write(body)
  const [answer] = (await once(invited.client.socket, 'data')) as [Buffer]
  t.match(answer.toString(), /^HTTP\/1.1 200 OK\r\n[^]*connection: keep-alive/i)
  for (const [status, length, key] of [
    [401, body.length, 'nobody'],
    [413, 900_000_000, KEY],
  ] as const) {
    const { received } = await ask(length, key)
    t.match(received, new RegExp(`^HTTP/1.1 ${status} [^]*connection: close`, 'i'), 'another request would be its body')
  }
  const expecting = requestBytes('GET', '/v1/models', [
    ['Expect', '100-continue'],
    ['Authorization', `Bearer ${KEY}`],
  ])
  t.equal((await sendRaw(gateway.url, expecting)).status, 200, 'there is none to wait for')
})

t.test('behind a refusal that ends the connection nothing else is said', async (t) => {
  const head =
    'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n'
  for (const [what, length, begun, behind] of [
    ['a malformed chunk', 'Transfer-Encoding: chunked', '', 'zz\r\n'],
    ['an end within the body', 'Content-Length: 5000', '{"m', undefined],
    ['more than the body', 'Content-Length: 2', '{', '}surplus'],
  ] as const) {
    const client = openRaw(gateway.url)
    t.teardown(() => client.close())
    let received = ''
    client.socket.on('data', (bytes: Buffer) => (received += bytes.toString()))
    client.write(`${head}${length}\r\n\r\n${begun}`)
    await once(client.socket, 'data')
    if (behind === undefined) client.socket.end()
    else client.write(behind)
    await once(client.socket, 'close')
    t.match(received, /^HTTP\/1.1 401 /, what)
    t.equal(received.split('HTTP/1.1 ').length, 2, what)
  }
})

t.test('blanks may stand around the parameters of a content type', async (t) => {
  for (const type of ['application/json ; charset=utf-8', 'application/json\t;charset=utf-8', 'Application/JSON ']) {
    t.equal((await gateway.chat({ model: 'chat-model' }, { 'content-type': type })).status, 200, type)
  }
  t.equal((await gateway.chat({}, { 'content-type': 'application/json x' })).status, 415)
})

t.test('a 400 that a manifest lists goes to the next provider and is no failure of the first', async (t) => {
  picky.otherwise(status(400))
  for (let call = 1; call <= 5; call++) {
    const answer = await gateway.chat({ model: 'picky-model' })
    t.equal(answer.status, 200)
    t.equal(picky.requests.length, call, 'its circuit is closed')
  }
})
