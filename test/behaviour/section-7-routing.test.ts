/** Specification sections 4.2 rule 5 and 7 rule 2: which model answers, in which order others are asked, and who may not. */
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok, status } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const SAME_KEY = 'same-key-0123456789abcdef0123456789abcdef'
const NARROW_KEY = 'narrow-key-0123456789abcdef0123456789abcdef'
const NAMING_KEY = 'naming-key-0123456789abcdef0123456789abcdef'
const FAR_KEY = 'far-key-0123456789abcdef0123456789abcdef'
const NATIVE_KEY = 'native-key-0123456789abcdef0123456789abcdef'

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
upstream.otherwise(ok(chatCompletion('hello')))

/** Failures here must not take a provider out of the next case. */
const SPEC = '  failover: { circuitBreaker: { consecutiveFailures: 100, openFor: 1s } }'

const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({
        name: 'first',
        url: upstream.url,
        priority: 1,
        countries: 'it',
        spec: SPEC,
        models: [
          '{ name: shared, quality: 0.5, contextWindow: 4000, pricing: { input: "10", output: "10" } }',
          '{ name: vendor/model, upstreamName: real-name, aliases: [nick], quality: 0.2, pricing: { input: "20", output: "20" } }',
        ],
      }),
      provider({
        name: 'second',
        url: upstream.url,
        priority: 2,
        countries: 'de',
        spec: SPEC,
        models: ['{ name: shared, quality: 0.7, pricing: { input: "5", output: "5" } }'],
      }),
      provider({
        name: 'third',
        url: upstream.url,
        priority: 3,
        countries: 'us',
        spec: SPEC,
        models: [
          '{ name: other, quality: 0.9, capabilities: [chat, streaming, tools, vision], pricing: { input: "1", output: "1" } }',
          '{ name: vectors, capabilities: [embeddings] }',
        ],
      }),
      provider({ name: 'far', url: upstream.url, priority: 9, models: ['{ name: secret }'] }).replace(
        'spec:\n',
        'spec:\n  access: { namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: elsewhere } } }\n',
      ),
      virtualKey(),
      virtualKey({ name: 'same', key: SAME_KEY, spec: '  policies: { fallback: SameModel }' }),
      virtualKey({ name: 'narrow', key: NARROW_KEY, spec: '  access: { models: [oth*] }' }),
      virtualKey({ name: 'naming', key: NAMING_KEY, spec: '  access: { allowAuto: false }' }),
      virtualKey({ name: 'far', key: FAR_KEY, namespace: 'elsewhere' }),
      virtualKey({ name: 'native', key: NATIVE_KEY, spec: '  access: { adapters: [Native] }' }),
    ),
  },
})

/** No two requests are equal, so that none is answered from the cache. */
let questions = 0

interface Question {
  readonly body?: object
  readonly headers?: Record<string, string>
  readonly key?: string
  /** What the providers answer to the first attempts. */
  readonly failing?: number
  readonly path?: string
}

/** The deployments that were asked, in order, or status and code of the refusal. */
async function route(model: string | undefined, question: Question = {}): Promise<string> {
  const { body = {}, headers = {}, key = KEY, failing = 0, path } = question
  upstream.enqueue(...Array.from({ length: failing }, () => status(500)))
  const messages = [{ role: 'user', content: `question ${++questions}` }]
  const response = await gateway.chat(
    { model, messages, ...body },
    { authorization: `Bearer ${key}`, 'x-llm-trace': 'true', ...headers },
    path,
  )
  const { error } = (await response.json()) as { error?: { code: string } }
  if (error !== undefined) return `${response.status} ${error.code}`
  const decision = response.headers.get('x-gateway-routing-decision') ?? ''
  return decision
    .split(', ')
    .map((item) => item.replace(/;.*/, ''))
    .join(' ')
}

t.test('automatic choice: the lowest priority number first, the others behind it', async (t) => {
  t.equal(await route('auto'), 'first/shared')
  t.equal(await route(undefined), 'first/shared')
  t.equal(
    await route('auto', { failing: 1 }),
    'first/shared second/shared',
    'another provider before another model of this one',
  )
  t.equal(await route('auto', { failing: 2 }), 'first/shared second/shared third/other')
  t.equal(await route('auto', { failing: 3 }), 'first/shared second/shared third/other first/vendor/model')
  t.equal(await route('auto', { failing: 4 }), '502 all_providers_failed')
})

t.test('a named model: all its providers, then other models', async (t) => {
  t.equal(await route('shared'), 'first/shared')
  t.equal(await route('shared', { failing: 1 }), 'first/shared second/shared')
  t.equal(await route('shared', { failing: 2 }), 'first/shared second/shared third/other')
  t.equal(await route('other', { failing: 1 }), 'third/other first/shared')
})

t.test('under SameModel no other model answers', async (t) => {
  t.equal(await route('shared', { key: SAME_KEY, failing: 1 }), 'first/shared second/shared')
  t.equal(await route('shared', { key: SAME_KEY, failing: 2 }), '502 all_providers_failed')
  t.equal(await route('other', { key: SAME_KEY, failing: 1 }), '502 all_providers_failed')
})

t.test('provider/model: that one first, then the same model elsewhere', async (t) => {
  t.equal(await route('second/shared'), 'second/shared')
  t.equal(await route('second/shared', { failing: 1 }), 'second/shared first/shared')
  t.equal(await route('second/shared', { failing: 2 }), 'second/shared first/shared third/other')
})

t.test('a name with a slash is a name first; aliases and upstream names', async (t) => {
  t.equal(await route('vendor/model'), 'first/vendor/model')
  t.equal(upstream.requests.at(-1)?.model, 'real-name')
  t.equal(await route('first/vendor/model'), 'first/vendor/model')
  t.equal(await route('nick'), 'first/vendor/model')
  t.equal(await route('real-name'), '404 model_not_found')
})

t.test('a scoring method ranks all that is left', async (t) => {
  const by = (method: string) => ({ headers: { 'x-llm-scoring-method': method } })
  t.equal(
    await route('auto', { ...by('cost'), failing: 3 }),
    'third/other second/shared first/shared first/vendor/model',
  )
  t.equal(
    await route('auto', { ...by('quality'), failing: 3 }),
    'third/other second/shared first/shared first/vendor/model',
  )
  t.equal(await route('shared', by('cost')), 'second/shared')
  t.equal(await route('auto', by('balanced')), 'third/other')
})

t.test('exclusions and bounds bind the named model, automatic choice and every fallback', async (t) => {
  const without = (name: string, value: string, failing = 0) => ({ headers: { [name]: value }, failing })
  t.equal(await route('auto', without('x-llm-exclude-providers', 'first')), 'second/shared')
  t.equal(await route('auto', without('x-llm-exclude-providers', 'first,second,third')), '400 no_eligible_model')
  t.equal(await route('shared', without('x-llm-exclude-providers', 'second', 1)), 'first/shared third/other')
  t.equal(await route('shared', without('x-llm-exclude-models', 'shared')), 'first/vendor/model')
  t.equal(await route('nick', without('x-llm-exclude-models', 'real-name')), 'first/shared')
  t.equal(await route('auto', without('x-llm-exclude-countries', 'it', 1)), 'second/shared third/other')
  t.equal(await route('auto', without('x-llm-max-cost', '0.005', 2)), '502 all_providers_failed')
  t.equal(await route('auto', without('x-llm-min-quality', '0.7', 1)), 'second/shared third/other')
  const same = { ...without('x-llm-exclude-models', 'shared'), key: SAME_KEY }
  t.equal(await route('shared', same), '400 no_eligible_model')
})

t.test('what the request needs', async (t) => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  t.equal(await route('auto', { body: { tools } }), 'third/other')
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  t.equal(await route('auto', { body: { messages: [{ role: 'user', content: [picture] }] } }), 'third/other')
  t.equal(await route('shared', { body: { tools }, key: SAME_KEY }), '400 no_eligible_model')
  const long = [{ role: 'user', content: 'word '.repeat(20_000) }]
  t.equal(await route('shared', { body: { messages: long } }), 'second/shared')
  t.equal(await route('vectors', { key: SAME_KEY }), '400 no_eligible_model')
})

t.test('what a key may use', async (t) => {
  t.equal(await route('nothing'), '404 model_not_found')
  t.equal(await route('first/nothing'), '404 model_not_found')
  t.equal(await route('SHARED'), '404 model_not_found')
  t.equal(await route('__proto__'), '404 model_not_found')
  t.equal(await route('secret'), '404 model_not_found')
  t.equal(await route('far/secret'), '404 model_not_found')
  t.equal(await route('secret', { key: FAR_KEY }), 'far/secret')
  t.equal(await route('shared', { key: NARROW_KEY }), '403 model_not_allowed')
  t.equal(await route('first/shared', { key: NARROW_KEY }), '403 model_not_allowed')
  t.equal(await route('auto', { key: NARROW_KEY }), 'third/other')
  t.equal(await route('auto', { key: NARROW_KEY, failing: 1 }), '502 all_providers_failed')
  t.equal(await route('auto', { key: NAMING_KEY }), '403 model_not_allowed')
  t.equal(await route(undefined, { key: NAMING_KEY }), '403 model_not_allowed')
  t.equal(await route('other', { key: NAMING_KEY }), 'third/other')
  const path = '/adapters/openai/v1/chat/completions'
  t.equal(await route('shared', { key: NATIVE_KEY, path }), '403 model_not_allowed')
  t.equal(await route('shared', { key: NATIVE_KEY }), 'first/shared')
})

t.test('the models list is what the key may use', async (t) => {
  for (const [key, expected] of [
    [KEY, ['auto', 'shared', 'vendor/model', 'other', 'vectors']],
    [NARROW_KEY, ['auto', 'other']],
    [NAMING_KEY, ['shared', 'vendor/model', 'other', 'vectors']],
  ] as const) {
    const headers = { authorization: `Bearer ${key}` }
    const list = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: { id: string }[] }
    t.strictSame(new Set(list.data.map(({ id }) => id)), new Set(expected))
    const allowed = await fetch(`${gateway.url}/v1/models/other`, { headers })
    t.equal(allowed.status, 200)
    t.equal((await fetch(`${gateway.url}/v1/models/secret`, { headers })).status, 404)
  }
})

t.test('a refusal tells nothing of models that the key cannot see', async (t) => {
  const response = await gateway.chat(
    { model: 'auto' },
    { authorization: `Bearer ${NARROW_KEY}`, 'x-llm-min-quality': '1' },
  )
  const { error } = (await response.json()) as { error: { message: string } }
  t.match(error.message, /third\/other: quality/)
  t.notMatch(error.message, /shared|vendor|secret|first|second|far/)
})
