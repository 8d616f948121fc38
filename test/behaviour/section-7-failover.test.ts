/** Specification section 7, rules 1 and 2: what a broken primary provider means for the client. */
import t from 'tap'
import { chatCompletion, chatError, chatStream, sse } from '../helpers/answers.ts'
import {
  cutAfter,
  delayed,
  freeze,
  freezeAfterHeaders,
  hangUp,
  malformedJson,
  ok,
  rawAnswer,
  redirect,
  reset,
  stallAfter,
  status,
  stream,
  wrongContentType,
} from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { until } from '../helpers/redis.ts'

/** A breaker that stays out of the way. */
const SPEC = '  failover: { circuitBreaker: { consecutiveFailures: 100, openFor: 1s } }'
/** Of a provider that is to be waited for no longer than a busy machine takes. */
const CLOCKS = '  timeouts: { connect: 5s, firstByte: 1s, streamIdle: 1s, total: 10s }'
const IMPATIENT = `${CLOCKS}\n${SPEC}`

const FIRST_CHUNK = chatStream(['x'])[0] ?? ''

/** Ways in which a provider fails before any content; all of them must be invisible to the client. */
const BEFORE_CONTENT: Readonly<Record<string, Behaviour>> = {
  'status 500': status(500, chatError('boom')),
  'status 502 without JSON': status(502, Buffer.from('<html>bad gateway</html>')),
  'status 503': status(503),
  'status 529': status(529),
  'status 429': status(429, {}, { 'retry-after': '0' }),
  'status 408': status(408),
  'no answer at all': freeze(),
  'a closed connection': hangUp(),
  'a reset connection': reset(),
  'bytes that are no HTTP': rawAnswer('SMTP ready\r\n\r\n'),
}

/** The provider refuses us, whoever asks: it cools down at once, so each of these comes last in its own gateway. */
const OUR_FAULT: Readonly<Record<string, Behaviour>> = {
  'a redirect, which is not followed': redirect('http://127.0.0.1:1/elsewhere'),
  'status 401': status(401),
  'status 404': status(404),
}

const WHOLE_ONLY: Readonly<Record<string, Behaviour>> = {
  'truncated JSON': malformedJson(),
  'a page instead of JSON': wrongContentType(),
  'JSON that is no answer': ok({ hello: 'world' }),
}

const STREAM_ONLY: Readonly<Record<string, Behaviour>> = {
  'headers and then nothing': freezeAfterHeaders(),
  'a first chunk without content and then nothing': stallAfter([FIRST_CHUNK]),
  'a first chunk without content and then the end': cutAfter([FIRST_CHUNK]),
  'an error in the stream before content': stream([FIRST_CHUNK, sse({ error: { message: 'overloaded' } })]),
  'a malformed event before content': stream([FIRST_CHUNK, 'data: {"choices":[{"del\n\n']),
  'a page instead of a stream': wrongContentType(),
}

t.test('the backup answers in place of a primary that fails', async (t) => {
  const primary = await startFakeProvider()
  const backup = await startFakeProvider()
  t.teardown(() => Promise.all([primary.close(), backup.close()]))
  backup.otherwise(ok(chatCompletion('from the backup')))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'primary', url: primary.url, priority: 1, spec: IMPATIENT }),
        provider({ name: 'backup', url: backup.url, priority: 2, spec: SPEC }),
        virtualKey(),
      ),
    },
  })

  for (const [name, behaviour] of Object.entries({ ...BEFORE_CONTENT, ...WHOLE_ONLY })) {
    await t.test(`whole answer: ${name}`, async (t) => {
      primary.enqueue(behaviour)
      const response = await gateway.chat({}, { 'x-llm-trace': 'true' })
      const answer = (await response.json()) as { choices: { message: { content: string } }[] }
      t.equal(response.status, 200)
      t.equal(answer.choices[0]?.message.content, 'from the backup')
      const decision = response.headers.get('x-gateway-routing-decision') ?? ''
      t.match(decision, /^primary\/m;result=[a-z]+.*, backup\/m;result=ok;status=200;ms=\d+;why=failover;removed=0$/)
    })
  }

  backup.otherwise(stream(chatStream(['from ', 'the backup'])))
  for (const [name, behaviour] of Object.entries({ ...BEFORE_CONTENT, ...STREAM_ONLY })) {
    await t.test(`stream: ${name}`, async (t) => {
      primary.enqueue(behaviour)
      const response = await gateway.chat({ stream: true })
      const text = await response.text()
      t.equal(response.status, 200)
      t.match(text, /"from "[\s\S]*"the backup"[\s\S]*data: \[DONE\]/)
      t.notMatch(text, /"error"/)
    })
  }
})

t.test('what is no answer to a stream is told as an error, and a stream that ends too soon as cut', async (t) => {
  const provided = await startFakeProvider()
  t.teardown(() => provided.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: provided.url, spec: SPEC }), virtualKey()) },
  })
  for (const [word, behaviour] of [
    ['error', wrongContentType()],
    ['error', wrongContentType('<html>please log in</html>', 'text/event-stream')],
    ['error', wrongContentType('', 'text/plain')],
    ['error', ok({ hello: 'world' })],
    ['error', stream([FIRST_CHUNK, 'data: {"choices":[{"del\n\n'])],
    ['protocol', stream([FIRST_CHUNK, sse({ error: { message: 'overloaded' } })])],
    ['cut', stream([])],
    ['cut', stream([FIRST_CHUNK])],
  ] as const) {
    provided.otherwise(behaviour)
    const response = await gateway.chat({ stream: true }, { 'x-llm-trace': 'true' })
    t.equal(response.status, 502)
    t.match(response.headers.get('x-gateway-routing-decision'), new RegExp(`^p/m;result=${word};ms=`))
  }
})

t.test('a provider that refuses us is left alone for a while', async (t) => {
  for (const [name, behaviour] of Object.entries(OUR_FAULT)) {
    await t.test(name, async (t) => {
      const primary = await startFakeProvider()
      const backup = await startFakeProvider()
      t.teardown(() => Promise.all([primary.close(), backup.close()]))
      primary.otherwise(behaviour)
      backup.otherwise(ok(chatCompletion('from the backup')))
      const gateway = await startGateway(t, {
        manifests: {
          'all.yaml': yaml(
            provider({ name: 'primary', url: primary.url, priority: 1 }),
            provider({ name: 'backup', url: backup.url, priority: 2 }),
            virtualKey(),
          ),
        },
      })
      const decisions = []
      for (const _ of [1, 2]) {
        const response = await gateway.chat({}, { 'x-llm-trace': 'true' })
        t.equal(response.status, 200)
        decisions.push(response.headers.get('x-gateway-routing-decision'))
      }
      t.match(decisions[0], /^primary\/m;result=error;status=\d+;ms=\d+, backup\/m;result=ok/)
      t.match(decisions[1], /^backup\/m;result=ok;.*;removed=1$/)
    })
  }
})

t.test('a provider that refuses the request itself is the last one asked', async (t) => {
  const primary = await startFakeProvider()
  const backup = await startFakeProvider()
  t.teardown(() => Promise.all([primary.close(), backup.close()]))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'primary', url: primary.url, priority: 1, spec: SPEC }),
        provider({ name: 'backup', url: backup.url, priority: 2, spec: SPEC }),
        virtualKey(),
      ),
    },
  })
  for (const code of [400, 413, 422]) {
    primary.enqueue(status(code, chatError('too many images', 'invalid_request_error', 'too_many_images')))
    const response = await gateway.chat()
    t.equal(response.status, code)
    t.equal(response.headers.get('x-should-retry'), 'false')
    t.match(await response.json(), { error: { message: 'too many images', code: 'too_many_images' } })
  }
  t.equal(backup.requests.length, 0)
})

t.test('the credential of a provider is not in what the client is told', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const secret = 'upstream-credential-42'
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, spec: SPEC }).replace(
          'credentials: { type: None }',
          'credentials: { type: Bearer, secretRef: { name: s } }',
        ),
        `apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { apiKey: "\${UPSTREAM}" }\n`,
        virtualKey(),
      ),
    },
    env: { UPSTREAM: secret },
  })
  upstream.enqueue(
    status(400, chatError(`bad request with key ${secret}`)),
    status(401, chatError(`wrong key ${secret}`)),
  )
  const rejected = await (await gateway.chat()).text()
  t.equal(upstream.requests[0]?.headers.authorization, `Bearer ${secret}`)
  t.match(rejected, /\[secret\]/)
  const failed = await gateway.chat()
  t.equal(failed.status, 502)
  t.match(await failed.json(), { error: { code: 'all_providers_failed' } })
  t.equal(failed.headers.get('x-should-retry'), 'false', 'the key will be as wrong in a minute')
  t.equal(failed.headers.get('retry-after'), null)
  t.notMatch(rejected + gateway.output(), secret)
})

t.test('what every attempt had in common decides the status', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url, spec: IMPATIENT }), virtualKey()) },
  })
  upstream.enqueue(status(500))
  const failed = await gateway.chat()
  t.equal(failed.status, 502)
  t.equal(failed.headers.get('x-should-retry'), 'true')
  t.match(await failed.json(), { error: { code: 'all_providers_failed' } })
  upstream.enqueue(freeze())
  const late = await gateway.chat()
  t.equal(late.status, 504)
  t.match(await late.json(), { error: { code: 'upstream_timeout' } })
  upstream.enqueue(status(429, {}, { 'retry-after': '7' }))
  const limited = await gateway.chat()
  t.equal(limited.status, 429)
  t.equal(limited.headers.get('retry-after'), '7')
  t.match(await limited.json(), { error: { code: 'providers_rate_limited' } })
  const cooling = await gateway.chat()
  t.equal(cooling.status, 503)
  const wait = Number(cooling.headers.get('retry-after'))
  t.ok(wait >= 1 && wait <= 7, `retry-after ${wait}`)
  t.match(await cooling.json(), { error: { code: 'no_healthy_provider' } })
})

t.test('a provider that asks for a pause is not tried once more, however often its manifest would', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const spec = '  failover: { maxAttempts: 3 }'
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url, spec }), virtualKey()) },
  })
  upstream.enqueue(status(429), status(429, {}, { 'retry-after': '7' }))
  const limited = await gateway.chat({}, { 'x-llm-trace': 'true' })
  t.equal(limited.status, 429)
  t.equal(limited.headers.get('retry-after'), '7')
  t.equal(limited.headers.get('x-gateway-routing-decision')?.match(/result=/g)?.length, 2)
})

t.test('a failed request is told when the first of its providers may be asked again', async (t) => {
  const [primary, backup] = [await startFakeProvider(), await startFakeProvider()]
  t.teardown(() => Promise.all([primary.close(), backup.close()]))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'primary', url: primary.url, spec: SPEC }),
        provider({ name: 'backup', url: backup.url, spec: SPEC }),
        provider({ name: 'alone', url: primary.url, spec: SPEC, models: ['{ name: single }'] }),
        provider({
          name: 'narrow',
          url: backup.url,
          spec: '  limits: { requestsPerMinute: 1 }',
          models: ['{ name: rare }'],
        }),
        virtualKey({ spec: '  policies: { fallback: SameModel }' }),
      ),
    },
  })
  const wait = async (model: string) => {
    const answer = await gateway.chat({ model })
    return [answer.status, answer.headers.get('retry-after')]
  }
  primary.enqueue(status(500), status(503, {}, { 'retry-after': '9' }))
  t.same(await wait('single'), [502, null], 'it may be asked at once')
  t.same(await wait('single'), [502, '9'], 'nothing else could serve')
  primary.enqueue(status(429, {}, { 'retry-after': '999999999' }))
  backup.enqueue(status(429, {}, { 'retry-after': '40' }))
  t.same(await wait('m'), [429, '40'], 'the first to come back, not the last')
  await wait('rare')
  const [code, seconds] = await wait('rare')
  t.equal(code, 503)
  t.ok(Number(seconds) >= 59 && Number(seconds) <= 120, `the provider's own limit: ${seconds}`)
})

t.test('who asks a provider that refuses us is not told to ask again, nor while it cools down', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(status(401))
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  for (const [expected, wait] of [
    [502, /^null$/],
    [503, /^\d+$/],
    [503, /^\d+$/],
  ] as const) {
    const refused = await gateway.chat()
    t.equal(refused.status, expected)
    t.equal(refused.headers.get('x-should-retry'), 'false')
    t.match(String(refused.headers.get('retry-after')), wait)
    await refused.text()
  }
})

t.test(
  'who has waited for the answer of another, which the provider refused, is not told to ask again either',
  async (t) => {
    const upstream = await startFakeProvider()
    t.teardown(() => upstream.close())
    upstream.otherwise(delayed(150, status(401)))
    const gateway = await startGateway(t, {
      manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
    })
    const ask = () => gateway.chat({}, { 'cache-control': 'max-age=60' })
    for (const answer of await Promise.all(Array.from({ length: 5 }, ask))) {
      t.equal(answer.headers.get('x-should-retry'), 'false')
      t.notMatch(await answer.text(), 'can take another request')
    }
  },
)

t.test('an edit that mends a provider is in force at once, with its breaker open', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise((exchange) => {
    const isRight = exchange.request.headers.authorization === 'Bearer right-key'
    return (isRight ? ok(chatCompletion('x')) : status(401))(exchange)
  })
  const spec = '  failover: { circuitBreaker: { consecutiveFailures: 1, openFor: 10m } }'
  const manifests = (url: string, key: string, more = '') =>
    yaml(
      provider({ name: 'p', url, spec: spec + more }).replace('type: None', 'type: Bearer, secretRef: { name: s }'),
      `apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { apiKey: ${key} }\n`,
      virtualKey(),
    )
  const gateway = await startGateway(t, { manifests: { 'all.yaml': manifests('http://127.0.0.1:1', 'wrong-key') } })
  let edits = 0
  const edit = async (text: string) => {
    gateway.write('all.yaml', text)
    edits += 1
    await until(() => gateway.lines.filter(({ msg }) => msg === 'configuration in force').length > edits)
  }
  t.equal((await gateway.chat()).status, 502)
  t.equal((await gateway.chat()).status, 503, 'the breaker is open')
  await edit(manifests('http://127.0.0.1:1', 'wrong-key', '\n  limits: { maxConcurrent: 9 }'))
  t.equal((await gateway.chat()).status, 503, 'its limits are another matter')
  await edit(manifests(upstream.url, 'wrong-key'))
  t.equal((await gateway.chat()).status, 502, 'another address, which refuses the key')
  t.equal((await gateway.chat()).status, 503)
  await edit(manifests(upstream.url, 'right-key'))
  t.equal((await gateway.chat()).status, 200)
})

t.test('embeddings of a model that is out for the moment are refused for the moment', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(status(503, {}, { 'retry-after': '40' }))
  const models = ['{ name: m, capabilities: [chat, embeddings] }']
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models }),
        provider({ name: 'without', url: upstream.url, type: 'Gemini', models }),
        virtualKey(),
      ),
    },
  })
  const embed = () => gateway.chat({ messages: undefined, input: 'x' }, {}, '/v1/embeddings')
  t.equal((await embed()).status, 502)
  const refused = await embed()
  t.match(await refused.json(), { error: { code: 'no_healthy_provider' } })
  t.equal(refused.headers.get('x-should-retry'), 'true')
  const wait = Number(refused.headers.get('retry-after'))
  t.ok(wait >= 1 && wait <= 40, `retry-after ${wait}`)
})

t.test(
  'what cannot embed is not waited for: its cool-down makes no refusal of embeddings one for the moment',
  async (t) => {
    const upstream = await startFakeProvider()
    const refusing = await startFakeProvider()
    t.teardown(() => Promise.all([upstream.close(), refusing.close()]))
    upstream.otherwise(status(503, {}, { 'retry-after': '40' }))
    refusing.otherwise(status(401))
    const models = [
      '{ name: m, capabilities: [chat, embeddings] }',
      '{ name: alone, capabilities: [chat, embeddings] }',
    ]
    const gateway = await startGateway(t, {
      manifests: {
        'all.yaml': yaml(
          provider({ name: 'without', url: upstream.url, type: 'Gemini', models, spec: SPEC }),
          provider({ name: 'p', url: refusing.url, models: models.slice(0, 1), spec: SPEC }),
          virtualKey(),
        ),
      },
    })
    const embed = async (model: string) => {
      const response = await gateway.chat({ model, messages: undefined, input: 'x' }, {}, '/v1/embeddings')
      const { headers } = response
      return [response.status, headers.get('x-should-retry'), headers.get('retry-after'), await response.json()]
    }
    for (const model of ['m', 'alone']) await gateway.chat({ model }, { 'x-llm-exclude-providers': 'p' })
    t.match(await embed('alone'), [400, 'false', null, { error: { code: 'no_eligible_model' } }])
    t.match(await embed('m'), [502, 'false', null, { error: { code: 'all_providers_failed' } }])
  },
)

t.test('after the first content a failure is an error event, not a second answer', async (t) => {
  const primary = await startFakeProvider()
  const backup = await startFakeProvider()
  t.teardown(() => Promise.all([primary.close(), backup.close()]))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'primary', url: primary.url, priority: 1, spec: IMPATIENT }),
        provider({ name: 'backup', url: backup.url, priority: 2, spec: SPEC }),
        virtualKey(),
      ),
    },
  })
  const [start = '', content = ''] = chatStream(['begun '])
  for (const behaviour of [cutAfter([start, content]), stallAfter([start, content])]) {
    primary.enqueue(behaviour)
    const text = await (await gateway.chat({ stream: true })).text()
    t.match(text, /"begun "[\s\S]*data: \{"error":\{/)
  }
  t.equal(backup.requests.length, 0)
  const audit = await gateway.line((line) => line['type'] === 'audit' && line['outcome'] === 'cut')
  t.equal(audit['stream'], true)
})

t.test(
  'a stream without its end mark is complete where the model has finished, and cut where it has not',
  async (t) => {
    const upstream = await startFakeProvider()
    t.teardown(() => upstream.close())
    const gateway = await startGateway(t, {
      manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url, spec: SPEC }), virtualKey()) },
    })
    const [start = '', content = '', finish = ''] = chatStream(['all of it'])
    upstream.enqueue(stream([start, content, finish]))
    const complete = await (await gateway.chat({ stream: true })).text()
    t.match(complete, /"all of it"[\s\S]*"finish_reason":"stop"[\s\S]*\ndata: \[DONE\]\n\n$/)
    upstream.enqueue(stream([start, content]))
    const cut = await (await gateway.chat({ stream: true })).text()
    t.match(cut, /"all of it"[\s\S]*data: \{"error":\{/)
    t.notMatch(cut, '[DONE]')
  },
)

t.test('a provider whose streams break off again and again is left to its backup', async (t) => {
  const primary = await startFakeProvider()
  const backup = await startFakeProvider()
  t.teardown(() => Promise.all([primary.close(), backup.close()]))
  const breaker = `${CLOCKS}
  failover: { circuitBreaker: { consecutiveFailures: 4, openFor: 1m } }`
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'primary', url: primary.url, priority: 1, spec: breaker }),
        provider({ name: 'backup', url: backup.url, priority: 2, spec: breaker }),
        virtualKey(),
      ),
    },
  })
  backup.otherwise(stream(chatStream(['from the backup'])))
  const [start = '', content = ''] = chatStream(['begun '])
  const overloaded = stream([start, content, sse({ error: { message: 'overloaded' } })])
  for (const behaviour of [cutAfter([start, content]), stallAfter([start, content]), overloaded]) {
    primary.enqueue(behaviour)
    t.match(await (await gateway.chat({ stream: true })).text(), /"begun "[\s\S]*data: \{"error":\{/)
  }
  const begun = Promise.withResolvers<void>()
  primary.enqueue(async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(start + content)
    await begun.promise
    response.end(`data: ${'['.repeat(20_000)}\n\n`)
  })
  const senseless = await gateway.chat({ stream: true })
  begun.resolve()
  t.match(await senseless.text(), /"begun "[\s\S]*data: \{"error":\{/)
  t.match(await (await gateway.chat({ stream: true })).text(), 'from the backup')
  t.equal(primary.requests.length, 4)
})

t.test('a client that leaves ends the call at the provider', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  const [start = '', content = ''] = chatStream(['begun '])
  for (const [behaviour, body] of [
    [freeze(), {}],
    [stallAfter([start, content]), { stream: true }],
  ] as const) {
    upstream.enqueue(behaviour)
    const before = upstream.requests.length
    const abort = new AbortController()
    const call = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: abort.signal,
      headers: {
        authorization: 'Bearer test-key-0123456789abcdef0123456789abcdef',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...body }),
    }).then((response) => response.text())
    const request = (await upstream.received(before + 1))[before]
    abort.abort()
    await t.rejects(call)
    t.equal(await request?.ended, 'closed-early')
  }
  await gateway.line((line) => line['type'] === 'audit' && line['outcome'] === 'client-gone' && line['stream'] === true)
})

t.test(
  'what the provider refuses of a request is refused, and rate limits of all providers are a failure',
  async (t) => {
    const upstream = await startFakeProvider()
    t.teardown(() => upstream.close())
    const manifests = yaml(provider({ name: 'p', url: upstream.url, spec: SPEC }), virtualKey())
    const gateway = await startGateway(t, { manifests: { 'all.yaml': manifests } })
    const ended = async (behaviour: Behaviour, error: string) => {
      upstream.enqueue(behaviour)
      await (await gateway.chat()).text()
      return (await gateway.line((line) => line['type'] === 'audit' && line['error'] === error))['outcome']
    }
    t.equal(await ended(status(400, chatError('no such field')), 'provider_rejected_request'), 'refused')
    t.equal(await ended(status(500), 'all_providers_failed'), 'failed')
    t.equal(await ended(status(429, {}, { 'retry-after': '7' }), 'providers_rate_limited'), 'failed')
    const page = await (await fetch(`${gateway.admin}/metrics`)).text()
    for (const [outcome, count] of Object.entries({ refused: 1, failed: 2 }))
      t.match(page, `provider="none",model="none",outcome="${outcome}"} ${count}`)
  },
)
