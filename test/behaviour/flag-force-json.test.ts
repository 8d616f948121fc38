/** Flag `force-json`: valid JSON or a 502, never prose; whole and streamed, with one repair that is paid for. */
import t from 'tap'
import type { Test } from 'tap'
import type { JsonObject } from '../../src/domain/json.ts'
import { anthropicMessage, chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { startRedis } from '../helpers/redis.ts'

const FORCED = { 'x-llm-flags': 'structured-output' }
const SCHEMA = {
  type: 'object',
  required: ['city', 'count'],
  additionalProperties: false,
  properties: { city: { type: 'string', pattern: '^[A-Z]' }, count: { type: 'integer' } },
}
const RESPONSE_FORMAT = { type: 'json_schema', json_schema: { name: 'place', schema: SCHEMA } }
const usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 }

const MODELS = [
  '{ name: words, pricing: { input: "1", output: "1" } }',
  '{ name: mode, capabilities: [chat, streaming, json-mode], pricing: { input: "1", output: "1" } }',
  '{ name: schema, capabilities: [chat, streaming, json-mode, json-schema], pricing: { input: "1", output: "1" } }',
]

async function start(t: Test, limits = '', args: readonly string[] = []) {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const policies = '  policies: { fallback: SameModel, cache: { exact: { enabled: false } } }'
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: MODELS }),
        provider({ name: 'c', type: 'Anthropic', url: upstream.url, models: ['{ name: claude }'] }),
        virtualKey({ spec: `${policies}\n${limits}` }),
      ),
    },
    args,
  })
  return { upstream, gateway }
}

function says(text: string) {
  return ok({ ...chatCompletion(text), usage })
}

async function contentOf(response: Response): Promise<string> {
  const answer = (await response.json()) as { choices: { message: { content: string } }[] }
  return answer.choices[0]?.message.content ?? ''
}

async function streamedContentOf(response: Response): Promise<string> {
  const chunks = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
  return chunks
    .map(
      (line) => (JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content,
    )
    .join('')
}

t.test('each model is held to JSON as it can be', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.otherwise(says('{"city":"Rome","count":2}'))
  for (const [model, format, words] of [
    ['schema', { type: 'json_schema' }, false],
    ['mode', { type: 'json_object' }, true],
    ['words', undefined, true],
  ] as const) {
    const response = await gateway.chat({ model, response_format: RESPONSE_FORMAT }, FORCED)
    t.equal(response.status, 200, model)
    t.strictSame(JSON.parse(await contentOf(response)), { city: 'Rome', count: 2 })
    const sent = upstream.requests.at(-1)?.json
    t.match(sent?.['response_format'], format, model)
    t.equal(JSON.stringify(sent?.['messages']).includes('JSON schema'), words, model)
  }
})

t.test(
  'a schema counts as other servers take it, and stays as it is for a model that can be held to JSON',
  async (t) => {
    const { upstream, gateway } = await start(t)
    const forms: JsonObject[] = [
      { response_format: { type: 'json_schema', schema: SCHEMA } },
      { response_format: { type: 'json_schema', value: { name: 'place', schema: SCHEMA } } },
      { response_format: { type: 'json_object', schema: SCHEMA } },
      { guided_json: SCHEMA },
    ]
    for (const form of forms) {
      // Of another vendor, and none that can be held to a schema.
      upstream.enqueue(ok(anthropicMessage('{"city":"Rome","count":2}')))
      t.equal((await gateway.chat({ model: 'claude', ...form }, FORCED)).status, 200)
      const translated = upstream.requests.at(-1)?.json ?? {}
      t.equal(translated['output_config'], undefined, 'in words only')
      t.match(JSON.stringify(translated['system']), 'JSON schema')
      for (const model of ['schema', 'mode', 'words']) {
        upstream.enqueue(says('{"foo":1}'), says('{"city":"Rome","count":2}'))
        t.strictSame(JSON.parse(await contentOf(await gateway.chat({ model, ...form }, FORCED))), {
          city: 'Rome',
          count: 2,
        })
        const sent = upstream.requests.at(-1)?.json ?? {}
        if (model === 'words') t.equal(sent['response_format'], undefined)
        else t.match(sent, form, model)
        t.equal(JSON.stringify(sent['messages']).includes('JSON schema'), model !== 'schema', model)
        upstream.enqueue(says('{"foo":1}'), says('{"foo":1}'))
        t.equal((await gateway.chat({ model, ...form }, FORCED)).status, 502)
      }
    }
  },
)

t.test('without a schema any object will do', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.enqueue(says('{"anything": [1]}'))
  t.equal(await contentOf(await gateway.chat({ model: 'words' }, FORCED)), '{"anything": [1]}')
  upstream.enqueue(says('[1]'), says('{}'))
  t.equal(await contentOf(await gateway.chat({ model: 'words' }, FORCED)), '{}')
})

t.test('a code fence around the JSON is taken off', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.enqueue(says('```json\n{"a": 1}\n```'))
  t.equal(await contentOf(await gateway.chat({ model: 'mode' }, FORCED)), '{"a": 1}')
})

t.test('a wrong answer goes back once, with what is wrong, and both are paid for', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.enqueue(says('Sure! It is {"city": "rome"}'), says('{"city":"Rome","count":2}'))
  const traced = { ...FORCED, 'x-llm-trace': 'true' }
  const response = await gateway.chat({ model: 'schema', response_format: RESPONSE_FORMAT }, traced)
  t.equal(response.headers.get('x-gateway-cost-usd'), '0.000300')
  t.match(
    response.headers.get('x-gateway-routing-decision'),
    /^p\/schema;result=ok;[^,]*, p\/schema;result=ok;.*;why=priority;/,
    'a repair is no failover',
  )
  t.strictSame(JSON.parse(await contentOf(response)), { city: 'Rome', count: 2 })
  const [, , said, complaint] = [
    undefined,
    ...((upstream.requests[1]?.json?.['messages'] as { role: string; content: string }[]) ?? []),
  ]
  t.match(said, { role: 'assistant', content: /Sure!/ })
  t.match(complaint, { role: 'user', content: /not valid: it is not JSON/ })
})

t.test('a repair has what the first try and the limits leave, and that answer is part of its prompt', async (t) => {
  const quotas = (output: number, input: number) =>
    `  tokenQuotas: [{ window: Total, kind: Output, limit: ${output} }, { window: Total, kind: Input, limit: ${input} }]`
  for (const [output, repair] of [
    [16_384 + 50, 16_384],
    [16_384 + 49, 16_384 - 1],
    [600, 550],
  ] as const) {
    const open = await start(t, quotas(output, 10_000))
    open.upstream.enqueue(says('Sure!'), says('{}'))
    t.equal((await open.gateway.chat({ model: 'words' }, FORCED)).status, 200)
    t.strictSame(
      open.upstream.requests.map(({ json }) => json?.['max_tokens']),
      [Math.min(output, 16_384), repair],
    )
  }
  const short = await start(t, quotas(300, 10_000))
  short.upstream.enqueue(says('Sure!'), says('{}'))
  t.equal((await short.gateway.chat({ model: 'words' }, FORCED)).status, 429)

  const long = await start(t, quotas(10_000, 1_000))
  long.upstream.otherwise(says('word '.repeat(200)))
  t.equal((await long.gateway.chat({ model: 'words', max_tokens: 500 }, FORCED)).status, 429)
  t.equal(long.upstream.requests.length, 1)
})

t.test('what the model is told of JSON in words counts as its prompt before it is sent', async (t) => {
  for (const [limit, expected] of [
    [150, 429],
    [250, 200],
  ] as const) {
    const { upstream, gateway } = await start(t, `  tokenQuotas: [{ window: Total, kind: Input, limit: ${limit} }]`)
    upstream.otherwise(async (exchange) => {
      // As many tokens as bytes: the most that a prompt can have.
      const prompt_tokens = JSON.stringify(exchange.request.json?.['messages']).length
      await ok({ ...chatCompletion('{}'), usage: { prompt_tokens, completion_tokens: 1 } })(exchange)
    })
    const body = { model: 'words', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] }
    t.equal((await gateway.chat(body, FORCED)).status, expected, `${limit} tokens`)
    const answer = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${KEY}` } })
    const { limits } = (await answer.json()) as { limits: { spent: number }[] }
    t.ok((limits[0]?.spent ?? Infinity) <= limit, `${limits[0]?.spent} of ${limit}`)
  }
})

t.test('where the limits bound an answer without a maximum, the repair has what the first try has left', async (t) => {
  for (const limit of [
    'tokenQuotas: [{ window: Total, limit: 6000 }]',
    'budgets: [{ window: Total, limitUSD: "0.006" }]',
  ]) {
    const { upstream, gateway } = await start(t, `  ${limit}`)
    upstream.enqueue(says('Sure!'), says('{}'))
    t.equal((await gateway.chat({ model: 'words' }, FORCED)).status, 200)
    const [first, second] = upstream.requests.map(({ json }) => Number(json?.['max_tokens']))
    t.ok(first !== undefined && second !== undefined && second < first && second > first - 1_000, `${first}, ${second}`)
  }
})

t.test('a repair after a maximum of 0, for which 1 is sent, takes as much of a quota as the first try', async (t) => {
  const { upstream, gateway } = await start(t, '  tokenQuotas: [{ window: Total, kind: Output, limit: 1 }]')
  upstream.otherwise(ok(chatCompletion('Sure', { inputTokens: 10, outputTokens: 1 })))
  const response = await fetch(`${gateway.url}/adapters/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json', ...FORCED },
    body: JSON.stringify({ model: 'words', max_tokens: 0, messages: [{ role: 'user', content: 'hello' }] }),
  })
  t.equal(response.status, 429)
  t.strictSame(
    upstream.requests.map(({ json }) => json?.['max_tokens']),
    [1],
  )
})

t.test('a repair that finds no store is refused as any other request', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const limits = '  budgets: [{ window: Total, limitUSD: "0.003" }]'
  const { upstream, gateway } = await start(t, limits, ['--redis', redis.url])
  upstream.otherwise(async (exchange) => {
    redis.freeze()
    await says('I would rather not.')(exchange)
  })
  const response = await gateway.chat({ model: 'words', max_tokens: 2_000 }, FORCED)
  redis.thaw()
  t.equal(response.status, 503)
  t.match(await response.json(), { error: { code: 'quota_backend_unavailable' } })
})

t.test('two wrong answers are a 502, and cost what they cost', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.otherwise(says('I would rather not.'))
  const response = await gateway.chat({ model: 'words' }, FORCED)
  t.equal(response.status, 502)
  t.match(await response.json(), { error: { code: 'invalid_structured_output' } })
  const audit = await gateway.line((line) => line['type'] === 'audit')
  t.equal(audit['costMicroUsd'], 300)
  t.equal(upstream.requests.length, 2)
})

t.test('tries whose usage the provider does not tell are paid for by estimate, whatever they say', async (t) => {
  const { upstream, gateway } = await start(t)
  const silent = (message: JsonObject, told: JsonObject = {}) => {
    const { usage: _usage, choices: _choices, ...rest } = chatCompletion('')
    return ok({
      ...rest,
      ...told,
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    })
  }
  const none = silent({ content: 'none' })
  const nothing = silent({ content: null })
  const thought = silent({ content: null, reasoning_content: 'a thought' })
  const promptOnly = silent({ content: 'none' }, { usage: { prompt_tokens: 12, completion_tokens: 0 } })
  // The prompt of the second try has the first answer and what is wrong with it.
  const pairs = [
    [none, none, { input: 43, output: 2 }],
    [nothing, nothing, { input: 45, output: 0 }],
    [none, thought, { input: 43, output: 4 }],
    [promptOnly, promptOnly, { input: 24, output: 2 }],
  ] as const
  for (const [first, second, tokens] of pairs) {
    upstream.enqueue(first, second)
    const response = await gateway.chat({ model: 'mode' }, FORCED)
    t.equal(response.status, 502)
    const requestId = response.headers.get('x-request-id')
    const audit = await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === requestId)
    t.match(audit, { tokens: { ...tokens, estimated: true }, costMicroUsd: tokens.input + tokens.output })
  }
})

t.test('an answer that the schema cannot be checked against is paid for', async (t) => {
  const { upstream, gateway } = await start(t)
  const endless = { type: 'json_schema', json_schema: { name: 'x', schema: { $ref: '#' } } }
  upstream.otherwise(says('{}'))
  const first = await gateway.chat({ model: 'words', response_format: endless }, FORCED)
  t.equal(first.status, 400)
  t.equal((await gateway.line((line) => line['type'] === 'audit'))['costMicroUsd'], 150)
  upstream.enqueue(says('no'))
  const repaired = await gateway.chat({ model: 'words', response_format: endless }, FORCED)
  t.equal(repaired.status, 400)
  const audit = await gateway.line(
    (line) => line['type'] === 'audit' && line['requestId'] === repaired.headers.get('x-request-id'),
  )
  t.equal(audit['costMicroUsd'], 300)
})

t.test('a forced stream begins when the answer is valid', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.enqueue(says('no'), says('{"city":"Rome","count":2}'))
  const response = await gateway.chat({ model: 'words', stream: true, response_format: RESPONSE_FORMAT }, FORCED)
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  t.strictSame(JSON.parse(await streamedContentOf(response)), { city: 'Rome', count: 2 })
  upstream.otherwise(says('no'))
  t.equal((await gateway.chat({ model: 'words', stream: true }, FORCED)).status, 502)
})

t.test('a schema that is none is the client’s fault; a hostile pattern costs no time', async (t) => {
  const { upstream, gateway } = await start(t)
  const asked = (schema: unknown) =>
    gateway.chat(
      { model: 'words', response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
      FORCED,
    )
  const refused = await asked({ type: 'banana' })
  t.equal(refused.status, 400)
  t.match(await refused.json(), { error: { code: 'invalid_request_error', param: 'response_format' } })
  t.equal((await asked({ $ref: 'https://example.com/schema.json' })).status, 400)
  t.equal(upstream.requests.length, 0)
  upstream.otherwise(says(JSON.stringify({ a: `${'a'.repeat(60_000)}!` })))
  const hostile = await asked({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } })
  t.match(await hostile.json(), { error: { code: 'invalid_structured_output' } })
})

/** Whose key may have values restored. */
async function startRestoring(t: Test, flags = 'pii-safe, force-json') {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        'apiVersion: tollgate.dev/v1alpha1\nkind: Organization\nmetadata: { name: default }\nspec:\n  grants: [{ name: all, namespaceSelector: {}, privileges: [demask] }]\n',
        provider({ name: 'p', url: upstream.url }),
        virtualKey({ spec: `  privileges: { demask: true }\n  policies: { flags: [${flags}] }` }),
      ),
    },
  })
  return { upstream, gateway }
}

t.test('the schema is the client’s own: values that were masked in it are met by what is restored', async (t) => {
  const { upstream, gateway } = await startRestoring(t)
  const address = 'anna.b@example.com'
  const of = (schema: JsonObject) => ({
    messages: [{ role: 'user', content: `whose is ${address}?` }],
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
  })
  let wrap = (token: string): unknown => ({ owner: token })
  upstream.otherwise(async (exchange) => {
    const [token = ''] = exchange.request.body.match(/\[\[LLM_REDACTED_EMAIL_\w+\]\]/) ?? []
    await says(JSON.stringify(wrap(token)))(exchange)
  })
  for (const owner of [{ enum: [address, 'nobody'] }, { const: address }, { type: 'string', format: 'email' }]) {
    const response = await gateway.chat(of({ type: 'object', properties: { owner } }))
    t.equal(response.status, 200, JSON.stringify(owner))
    t.strictSame(JSON.parse(await contentOf(response)), { owner: address })
  }
  wrap = (token) => ({ [token]: 1 })
  const named = of({ type: 'object', additionalProperties: { type: 'integer' } })
  t.equal((await gateway.chat(named)).status, 200, 'so are names')

  wrap = (token) => ({ [token]: 'no number' })
  t.equal((await gateway.chat(named)).status, 502)
  t.match(upstream.requests.at(-1)?.body, /not valid: \/\[\[LLM_REDACTED_EMAIL_\w+\]\] must be integer/)
  t.notMatch(
    upstream.requests.map(({ body }) => body).join(''),
    /anna|example\.com/,
    'the model is told of tokens only',
  )
})

t.test('values restored inside the JSON keep it valid, however it was asked for', async (t) => {
  const block = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7'.repeat(4)}\n-----END PRIVATE KEY-----`
  const forced = await startRestoring(t)
  const unforced = await startRestoring(t, 'pii-safe')
  const schema = { type: 'object' }
  for (const { upstream } of [forced, unforced]) {
    upstream.otherwise(async (exchange) => {
      const [token = ''] = exchange.request.body.match(/\[\[LLM_REDACTED_KEY_\w+\]\]/) ?? []
      await says(JSON.stringify({ key: token }))(exchange)
    })
  }
  const ways: [typeof forced, JsonObject][] = [
    [forced, {}],
    [unforced, { response_format: RESPONSE_FORMAT }],
    [unforced, { response_format: { type: 'json_object' } }],
    [unforced, { response_format: { type: 'json_schema', schema } }],
    [unforced, { response_format: { type: 'json_schema', value: { name: 'n', schema } } }],
    [unforced, { guided_json: schema }],
  ]
  for (const [{ gateway }, fields] of ways) {
    for (const streamed of [false, true]) {
      const messages = [{ role: 'user', content: `store this:\n${block}` }]
      const response = await gateway.chat({ stream: streamed, messages, ...fields })
      const content = await (streamed ? streamedContentOf(response) : contentOf(response))
      t.strictSame(JSON.parse(content), { key: block }, JSON.stringify(fields))
    }
  }
  for (const { upstream } of [forced, unforced]) {
    t.notMatch(upstream.requests.map(({ body }) => body).join(''), /BEGIN PRIVATE/)
  }
})
