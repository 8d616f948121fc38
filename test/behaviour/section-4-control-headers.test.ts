/** Specification section 4.2 from outside: each control header on a real request, and what became of it. */
import t from 'tap'
import type { Test } from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { requestBytes, sendRaw } from '../helpers/raw-http.ts'

const PLAIN_KEY = 'plain-key-0123456789abcdef0123456789abcdef'
const STRICT_KEY = 'strict-key-0123456789abcdef0123456789abcdef'
const TAGGED_KEY = 'tagged-key-0123456789abcdef0123456789abcdef'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
upstream.otherwise(ok(chatCompletion('hello')))

/** Per million tokens; `x-llm-max-cost` is per thousand. */
const MODELS = {
  small: '{ name: small, quality: 0.4, pricing: { input: "1", output: "2" } }',
  large: '{ name: large, quality: 0.9, pricing: { input: "10", output: "20" } }',
  unpriced: '{ name: unpriced, quality: 0.6 }',
}

const ORGANIZATIONS = `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: default }
spec:
  grants:
  - { name: all, namespaceSelector: {}, privileges: [overrideRouting, trace, asyncBilling] }
---
apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: strict }
spec:
  defaults: { tags: { origin: default } }
  compliance: { minQuality: 0.5, deniedCountries: [it], requiredTags: [cost-center] }
  grants:
  - { name: all, namespaceSelector: {}, privileges: [overrideRouting, trace] }
`

const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({ name: 'first', url: upstream.url, priority: 1, countries: 'it', models: [MODELS.small] }),
      provider({ name: 'second', url: upstream.url, priority: 2, countries: 'us', models: [MODELS.large] }),
      provider({ name: 'third', url: upstream.url, priority: 3, countries: 'de', models: [MODELS.unpriced] }),
      ORGANIZATIONS,
      virtualKey({ spec: '  policies: { tags: { team: search } }' }),
      virtualKey({
        name: 'plain',
        key: PLAIN_KEY,
        spec: '  privileges: { trace: false, overrideRouting: false, asyncBilling: false }',
      }),
      virtualKey({ name: 'strict', key: STRICT_KEY, spec: '  organizationRef: { name: strict }' }),
      virtualKey({
        name: 'tagged',
        key: TAGGED_KEY,
        spec: '  organizationRef: { name: strict }\n  policies: { tags: { cost-center: cc-1 } }',
      }),
    ),
  },
})

type Lines = readonly (readonly [name: string, value: string])[]

/** No two requests are equal, so that none is answered from the cache. */
let questions = 0

/** By hand, so that repeated and odd lines go out as they are. */
async function call(lines: Lines, key = KEY) {
  const bytes = requestBytes(
    'POST',
    '/v1/chat/completions',
    [['authorization', `Bearer ${key}`], ['content-type', 'application/json'], ...lines],
    JSON.stringify({ messages: [{ role: 'user', content: `question ${++questions}` }] }),
  )
  const { status, headers, body } = await sendRaw(gateway.url, bytes)
  const requestId = headers.get('x-request-id')?.[0]
  return {
    status,
    header: (name: string) => headers.get(name)?.join(', '),
    body: JSON.parse(body) as Record<string, unknown>,
    audit: () => gateway.line((line) => line['type'] === 'audit' && line['requestId'] === requestId),
  }
}

/** Which provider served a request with these lines. */
async function servedWith(lines: Lines, key = KEY): Promise<unknown> {
  const { status, audit } = await call(lines, key)
  const model = (await audit())['model'] as Record<string, unknown>
  return status === 200 ? model['provider'] : status
}

/** Refused before anything was sent to a provider. */
async function refused(t: Test, lines: Lines, status: number, code: string, param: string | null, key = KEY) {
  const before = upstream.requests.length
  const answer = await call(lines, key)
  const label = lines
    .slice(-2)
    .map(([name, value]) => `${name}: ${value.slice(0, 60)}`)
    .join(' | ')
  t.equal(answer.status, status, label)
  t.match(answer.body, { error: { code, param, type: /\S/, message: /\S/ } }, label)
  t.equal(answer.header('x-should-retry'), 'false', label)
  t.match(answer.header('x-request-id'), UUID, label)
  t.equal(upstream.requests.length, before, label)
}

t.test('each header and its alias decide which model serves', async (t) => {
  const cases: readonly (readonly [suffix: string, value: string, served: string])[] = [
    ['Exclude-Providers', 'first', 'second'],
    ['Exclude-Providers', 'first , second', 'third'],
    ['Exclude-Providers', 'FIRST', 'second'],
    ['Exclude-Providers', 'fi*', 'second'],
    ['Exclude-Providers', 'nobody', 'first'],
    ['Exclude-Models', 'small', 'second'],
    ['Exclude-Models', 'first/small,second/large', 'third'],
    ['Exclude-Countries', 'it', 'second'],
    ['Exclude-Countries', 'it, us', 'third'],
    ['max-cost', '0.002', 'first'],
    ['min-quality', '0.5', 'second'],
    ['min-quality', '0.4', 'first'],
    ['scoring-method', 'quality', 'second'],
    ['scoring-method', 'cost', 'first'],
    ['scoring-method', 'Quality', 'second'],
  ]
  t.equal(await servedWith([]), 'first')
  for (const [suffix, value, served] of cases) {
    for (const prefix of ['X-LLM-', 'x-gateway-', 'x-LlM-', 'X-GATEWAY-']) {
      t.equal(await servedWith([[prefix + suffix, value]]), served, `${prefix}${suffix}: ${value}`)
    }
  }
})

t.test('rules that leave nothing name every model with its reason', async (t) => {
  const answer = await call([
    ['x-llm-max-cost', '0.002'],
    ['x-llm-min-quality', '0.5'],
  ])
  t.equal(answer.status, 400)
  const { error } = answer.body as { error: { message: string; code: string; param: string | null } }
  t.equal(error.code, 'no_eligible_model')
  t.equal(error.param, null, 'no one field is at fault')
  t.match(error.message, /first\/small: quality .*second\/large: cost .*third\/unpriced: cost /)
  t.equal(answer.header('x-should-retry'), 'false')
})

t.test('what does not follow the grammar is refused', async (t) => {
  const wrong: Readonly<Record<string, readonly string[]>> = {
    'x-llm-flags': ['', ',', 'pii-saf', 'pii-safe, nonsense', 'pii-safe;force-json', '"pii-safe"'],
    'x-llm-exclude-providers': ['', ' , ', '["openai"]', 'a;b', 'a b', 'a*b', '*a'],
    'x-llm-exclude-models': ['', '"gpt"', 'a b', '*x*'],
    'x-llm-exclude-countries': ['', 'US', 'usa', 'u', 'us;it', 'u$'],
    'x-llm-max-cost': ['', '-1', '+1', '1e3', '0,5', '.5', '1.', 'NaN', 'Infinity', '$1', '0x1', '1 2', '1'.repeat(10)],
    'x-llm-min-quality': ['', '1.01', '2', '-0.1', '.5', '1e-1', 'high', '0,5', '0.5%'],
    'x-llm-scoring-method': ['', 'fast', 'cost,latency', 'cost latency'],
    'x-llm-tags': [
      '',
      'a',
      '=b',
      'a=',
      'a =b',
      'a= b',
      'a=1,a=2',
      'ä=1',
      `${'k'.repeat(65)}=1`,
      `k=${'v'.repeat(257)}`,
    ],
    'x-llm-billing': ['', 'later', 'sync,async', '1'],
    'x-llm-trace': ['', 'yes', '1', 'true,true'],
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      await refused(t, [[name, value]], 400, 'invalid_control_header', name)
      await refused(t, [[name.replace('x-llm-', 'X-Gateway-'), value]], 400, 'invalid_control_header', name)
    }
  }
  const tooMany = Array.from({ length: 17 }, (_, index) => `k${index}=v`).join(',')
  await refused(t, [['x-llm-tags', tooMany]], 400, 'invalid_control_header', 'x-llm-tags')
})

t.test('names that look like control headers and are none', async (t) => {
  for (const name of ['X-LLM-Flag', 'x-gateway-pii-safe', 'X_LLM_Flags', 'x-llm-max_cost', 'x-llm-'])
    await refused(t, [[name, 'pii-safe']], 400, 'invalid_control_header', name.toLowerCase())
})

t.test('headers of our answers that a client sends back ask for nothing', async (t) => {
  const answer = await call([['x-llm-trace', 'true']])
  const own = ['x-request-id', 'x-gateway-request-id', 'x-gateway-routing-decision', 'x-gateway-cost-usd']
  for (const name of [
    ...own,
    'x-gateway-input-tokens',
    'x-gateway-output-tokens',
    'x-gateway-cache',
    'x-gateway-quota-reset',
  ])
    t.equal(await servedWith([[name, answer.header(name) ?? '1']]), 'first', name)
})

t.test('a header twice, and a header beside its alias', async (t) => {
  t.equal(
    await servedWith([
      ['x-llm-exclude-providers', 'first'],
      ['X-LLM-Exclude-Providers', 'second'],
    ]),
    'third',
  )
  t.equal(
    await servedWith([
      ['x-llm-min-quality', '0.5'],
      ['x-gateway-min-quality', '0.50'],
    ]),
    'second',
  )
  t.equal(
    await servedWith([
      ['x-llm-exclude-countries', 'it,us'],
      ['x-gateway-exclude-countries', 'us, it'],
    ]),
    'third',
  )
  for (const [one, other, value, different] of [
    ['x-llm-min-quality', 'x-llm-min-quality', '0.5', '0.6'],
    ['x-llm-min-quality', 'x-gateway-min-quality', '0.5', '0.6'],
    ['x-llm-exclude-providers', 'x-gateway-exclude-providers', 'first', 'first,second'],
    ['x-llm-flags', 'x-gateway-flags', 'pii-safe', 'force-json'],
    ['x-llm-trace', 'x-gateway-trace', 'true', 'false'],
    ['x-llm-billing', 'x-llm-billing', 'sync', 'async'],
    ['x-llm-tags', 'x-gateway-tags', 'a=1', 'a=2'],
  ] as const) {
    const lines = [
      [one, value],
      [other, different],
    ] as const
    await refused(t, lines, 400, 'invalid_control_header', one)
  }
})

t.test('no number of other headers hides a control header', async (t) => {
  for (const count of [100, 1_000, 2_000, 2_100, 4_000]) {
    const filler = Array.from({ length: count }, () => ['a', 'b'] as const)
    const answer = await call([...filler, ['x-llm-flags', 'pii-saf']])
    t.ok([400, 431].includes(answer.status), `${count} headers: ${answer.status}`)
    t.match(answer.header('x-request-id'), UUID)
  }
})

t.test('a key without the privilege', async (t) => {
  for (const [name, value] of [
    ['x-llm-exclude-providers', 'first'],
    ['x-llm-exclude-models', 'small'],
    ['x-llm-exclude-countries', 'it'],
    ['x-llm-max-cost', '1'],
    ['x-llm-min-quality', '0'],
    ['x-llm-scoring-method', 'cost'],
    ['x-llm-billing', 'async'],
    ['x-llm-trace', 'true'],
  ] as const)
    await refused(t, [[name, value]], 403, 'privilege_required', name, PLAIN_KEY)
  for (const [name, value] of [
    ['x-llm-tags', 'a=1'],
    ['x-llm-billing', 'sync'],
    ['x-llm-trace', 'false'],
  ] as const)
    t.equal((await call([[name, value]], PLAIN_KEY)).status, 200, name)
})

t.test("the organization's floor stands under every header", async (t) => {
  const tag = ['x-llm-tags', 'cost-center=cc-2'] as const
  await refused(t, [], 400, 'missing_required_tag', 'x-llm-tags', STRICT_KEY)
  await refused(t, [['x-llm-tags', 'other=1']], 400, 'missing_required_tag', 'x-llm-tags', STRICT_KEY)
  t.equal(await servedWith([tag], STRICT_KEY), 'second')
  t.equal(await servedWith([], TAGGED_KEY), 'second')
  t.equal(await servedWith([tag, ['x-llm-min-quality', '0.1']], STRICT_KEY), 'second')
  t.equal(await servedWith([tag, ['x-llm-scoring-method', 'cost']], STRICT_KEY), 'second')
  t.equal(await servedWith([tag, ['x-llm-exclude-countries', 'us']], STRICT_KEY), 'third')
  t.equal(await servedWith([tag, ['x-llm-min-quality', '0.95']], STRICT_KEY), 400)
})

t.test('tags are merged by key and reach the audit record only', async (t) => {
  const answer = await call([['x-llm-tags', 'team=ads, feature=a=b']])
  t.strictSame((await answer.audit())['tags'], { team: 'ads', feature: 'a=b' })
  const inherited = await call([['x-gateway-tags', 'cost-center=cc-9']], TAGGED_KEY)
  t.strictSame((await inherited.audit())['tags'], { origin: 'default', 'cost-center': 'cc-9' })
  const page = await (await fetch(`${gateway.admin}/metrics`)).text()
  t.notMatch(page, /cc-9|feature/)
  t.notMatch(JSON.stringify(upstream.requests.map(({ rawHeaders }) => rawHeaders)), /x-llm|x-gateway|cc-9/i)
})

t.test('a call that is refused for its other control headers is traced, where its key may', async (t) => {
  const both = ['x-gateway-request-id', 'x-gateway-routing-decision'] as const
  const ask = (key: string, headers: Record<string, string>) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: '{}',
    })
  const traced = async (key: string, headers: Record<string, string>) => {
    const response = await ask(key, headers)
    await response.text()
    return [response.status, ...both.map((name) => response.headers.get(name) !== null)]
  }
  t.strictSame(await traced(KEY, { 'x-llm-trace': 'true', 'x-llm-flags': 'zz' }), [400, true, true])
  t.strictSame(await traced(KEY, { 'X-Gateway-Trace': 'true', 'x-llm-unknown': '1' }), [400, true, true])
  t.strictSame(await traced(KEY, { 'x-llm-trace': 'false', 'x-llm-flags': 'zz' }), [400, false, false])
  t.strictSame(await traced(KEY, { 'x-llm-trace': 'perhaps' }), [400, false, false])
  t.strictSame(await traced(PLAIN_KEY, { 'x-llm-trace': 'true', 'x-llm-flags': 'zz' }), [400, false, false])
})

t.test('the trace: two headers and the steps in the log', async (t) => {
  const answer = await call([['X-LLM-Trace', 'true']])
  const id = answer.header('x-request-id')
  t.match(id, UUID)
  t.equal(answer.header('x-gateway-request-id'), id)
  t.match(
    answer.header('x-gateway-routing-decision'),
    /^first\/small;result=ok;status=200;ms=\d+;why=priority;removed=0$/,
  )
  await answer.audit()
  const steps = gateway.lines.filter((line) => line['msg'] === 'trace' && line['requestId'] === id)
  t.match(
    steps.map((line) => line['step']),
    ['resolve-policy', 'read-request', 'plan-route', 'admit', 'answer', 'settle'],
  )
  const list = await fetch(`${gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${KEY}`, 'x-llm-trace': 'true' },
  })
  t.equal(list.headers.get('x-gateway-request-id'), list.headers.get('x-request-id'))
  const silent = await call([])
  t.equal(silent.header('x-gateway-request-id'), undefined)
  t.equal(silent.header('x-gateway-routing-decision'), undefined)
  const failed = await call([
    ['X-LLM-Trace', 'true'],
    ['x-llm-min-quality', '1'],
  ])
  t.match(failed.header('x-gateway-routing-decision'), /^none;why=none;removed=3$/)
  await failed.audit()
  const planned = gateway.lines.find(
    (line) => line['step'] === 'plan-route' && line['requestId'] === failed.header('x-request-id'),
  )
  t.match(planned, {
    candidates: [],
    removed: ['first/small: quality', 'second/large: quality', 'third/unpriced: quality'],
  })
})

t.test('the steps of a refused request are those before the refusal, and its end, which has the code', async (t) => {
  const refused = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-llm-trace': 'true' },
    body: '{ "messages": "none" }',
  })
  t.equal(refused.status, 400)
  const id = refused.headers.get('x-request-id')
  await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === id)
  const steps = gateway.lines.filter((line) => line['msg'] === 'trace' && line['requestId'] === id)
  t.match(steps, [{ step: 'resolve-policy' }, { step: 'settle', error: 'invalid_request_error' }])
  t.equal(steps.length, 2)
})
