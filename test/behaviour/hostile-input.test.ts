/** Whatever a client sends: a clear 4xx in its own shape, a process that lives, nothing sent to a provider. */
import t, { type Test } from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { openRaw, readWhenWritten, requestBytes, sendRaw } from '../helpers/raw-http.ts'

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
upstream.otherwise(ok(chatCompletion('hello')))
const gateway = await startGateway(t, {
  manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  args: ['--max-body-bytes', '2000000'],
})

const AUTHORIZED = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
const GOOD = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] })

function post(body: string | Uint8Array, headers: Record<string, string> = {}, path = '/v1/chat/completions') {
  return fetch(gateway.url + path, { method: 'POST', headers: { ...AUTHORIZED, ...headers }, body })
}

t.test("a client's text ends no line, of a message or of an audit record", async (t) => {
  const model = 'line\u2028of\u2029its\u0085own\u007f\u202e'
  const refused = await post(JSON.stringify({ ...JSON.parse(GOOD), model }))
  const body = await refused.text()
  t.equal(refused.status, 404)
  t.match(body, /^[ -~]+$/)
  t.match(JSON.parse(body).error.message, 'line\\u2028of\\u2029its\\u0085own\\u007f\\u202e')
  const record = await gateway.line(({ type, requestId }) => type === 'audit' && requestId === idOf(refused))
  t.match(record, { model: { requested: model } })
})

function idOf(response: Response): string | null {
  return response.headers.get('x-request-id')
}

t.test('a client whose connection ends with the answer reads it when it has written its body', async (t) => {
  const refusals: Record<string, [status: number, target: string, headers: [string, string][], bytes: number]> = {
    'too large': [413, '/v1/chat/completions', Object.entries(AUTHORIZED), 2_500_000],
    'no JSON': [415, '/v1/chat/completions', [['authorization', `Bearer ${KEY}`]], 1_500_000],
    'no key': [401, '/v1/chat/completions', [['content-type', 'application/json']], 1_500_000],
    'a bad header': [400, '/v1/chat/completions', [...Object.entries(AUTHORIZED), ['x-llm-flags', 'x']], 1_500_000],
    'no route': [404, '/v1/nothing', Object.entries(AUTHORIZED), 1_500_000],
  }
  for (const [name, [status, target, headers, bytes]] of Object.entries(refusals)) {
    for (const connection of ['close', 'TE, Close']) {
      await t.test(`${name}, ${connection}`, async (t) => {
        const client = openRaw(gateway.url)
        t.teardown(() => client.close())
        const sent = requestBytes('POST', target, [...headers, ['connection', connection]], ' '.repeat(bytes))
        const answer = await readWhenWritten(client, sent)
        t.equal(answer.status, status)
        t.ok(answer.complete)
      })
    }
  }
})

t.test('bodies that are no request', async (t) => {
  const bodies: Record<string, string | Uint8Array> = {
    nothing: '',
    'no JSON': '{"model": "m"',
    'an array': '[]',
    null: 'null',
    'a string': '"hello"',
    'no messages': '{"model": "m"}',
    'messages of a wrong type': '{"messages": "hello"}',
    'a message that is null': '{"messages": [null]}',
    'an unknown role': '{"messages": [{"role": "wizard", "content": "x"}]}',
    'content of a wrong type': '{"messages": [{"role": "user", "content": 7}]}',
    'a model of a wrong type': '{"model": 7, "messages": [{"role": "user", "content": "x"}]}',
    'a stream flag of a wrong type': '{"stream": "yes", "messages": [{"role": "user", "content": "x"}]}',
    'a negative limit': '{"max_tokens": -1, "messages": [{"role": "user", "content": "x"}]}',
    'a limit that is no number': '{"max_tokens": "many", "messages": [{"role": "user", "content": "x"}]}',
    'too many choices': '{"n": 1e9, "messages": [{"role": "user", "content": "x"}]}',
    'deep arrays': `{"messages": ${'['.repeat(500_000)}`,
    'deep objects': `{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}, "messages": [{"role": "user", "content": "x"}]}`,
    'the same field twice':
      '{"messages": [{"role": "user", "content": "x"}], "messages": [{"role": "user", "content": "y"}]}',
    'the same field twice, in disguise':
      '{"a:": {"b": 1, "\\u0062": 2}, "messages": [{"role": "user", "content": "x"}]}',
    'a prototype field': '{"__proto__": {"stream": true}, "messages": [{"role": "user", "content": "x"}]}',
    '__proto__ in disguise': '{"\\u005f_proto__": {"x": 1}, "messages": [{"role": "user", "content": "x"}]}',
    'invalid UTF-8': new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    'a NUL': '\0',
  }
  for (const [name, body] of Object.entries(bodies)) {
    await t.test(name, async (t) => {
      const response = await post(body)
      t.equal(response.status, 400)
      t.equal(response.headers.get('x-should-retry'), 'false')
      t.match(await response.json(), {
        error: { type: 'invalid_request_error', code: 'invalid_request_error', message: /\S/ },
      })
    })
  }
  t.equal(upstream.requests.length, 0)
})

t.test('the names of Object.prototype are ordinary fields', async (t) => {
  const body =
    '{"constructor": {"prototype": {"x": 1}}, "toString": 1, "messages": [{"role": "user", "content": "x"}], "model": "m"}'
  t.equal((await post(body)).status, 200)
  const sent = upstream.requests.at(-1)?.json
  t.strictSame(Object.hasOwn(sent ?? {}, 'constructor'), true)
})

t.test('a client whose connection ends with the answer is refused before it has written its body', async (t) => {
  const heads = {
    'HTTP/1.1': 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n',
    'HTTP/1.0': 'POST /v1/chat/completions HTTP/1.0\r\nhost: x\r\n',
  }
  const fields = 'authorization: Bearer bad\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n'
  for (const [version, head] of Object.entries(heads)) {
    const client = openRaw(gateway.url)
    client.write(`${head}${fields}${'x'.repeat(10)}`)
    const answer = await client.read()
    t.match(answer, { status: 401, complete: true, closed: false }, version)
    client.write('x'.repeat(990))
    const after = await client.read()
    t.match(after, { status: 0, closed: true, bytes: { length: 0 } }, 'nothing else comes')
    client.close()
  }
})

t.test('behind a refusal nothing is said of the rest of its body, and the next request is answered', async (t) => {
  const head = (key: string, length: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`
  const large = `${(1_000_000).toString(16)}\r\n${'x'.repeat(1_000_000)}\r\n`.repeat(3)
  for (const [first, status] of [
    [`${head(KEY, 'transfer-encoding: chunked')}${large}`, 413],
    [`${head('nobody', 'transfer-encoding: chunked')}4\r\n{"a"\r\n`, 401],
  ] as const) {
    for (const broken of [true, false]) {
      const client = openRaw(gateway.url)
      client.write(first)
      t.match(await client.read(), { status, complete: true, closed: false })
      if (broken) {
        client.write('zz\r\n')
        t.match(await client.read(), { status: 0, closed: true, bytes: { length: 0 } }, 'nothing else comes')
      } else {
        client.write(`0\r\n\r\n${head(KEY, `content-length: ${GOOD.length}`)}${GOOD}`)
        t.match(await client.read(), { status: 200, complete: true })
        client.write('nonsense\r\n\r\n')
        t.match(await client.read(), { status: 400, complete: true }, 'of what is new, something is')
      }
      client.close()
    }
  }
})

t.test('what is malformed is told of behind the answers to what came before', async (t) => {
  const head = (length: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`
  const good = `${head(`content-length: ${GOOD.length}`)}${GOOD}`
  const endings: Record<string, [bytes: string, status: number, code: string]> = {
    'no HTTP': ['nonsense\r\n\r\nand more of it', 400, 'invalid_request_error'],
    'a body that is no body': [
      `${head('transfer-encoding: chunked')}4\r\n{"a"\r\nzz\r\n`,
      400,
      'invalid_request_error',
    ],
    'a tunnel': ['CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n', 404, 'route_not_found'],
  }
  for (const [name, [bytes, status, code]] of Object.entries(endings)) {
    await t.test(name, async (t) => {
      const client = openRaw(gateway.url)
      t.teardown(() => client.close())
      client.write(`${good}${good}${bytes}`)
      t.match(await client.read(), { status: 200, complete: true, body: /hello/ })
      client.write('still more')
      t.match(await client.read(), { status: 200, complete: true, body: /hello/ })
      const last = await client.read()
      t.match(last, { status, complete: true })
      t.match(JSON.parse(last.body), { error: { code } })
      t.match(await client.read(), { status: 0, closed: true, bytes: { length: 0 } }, 'nothing else comes')
    })
  }
})

t.test('so it is over HTTP/1.0 on a connection that is kept', async (t) => {
  const head = (key: string, bytes: number) =>
    `POST /v1/chat/completions HTTP/1.0\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
    `connection: keep-alive\r\ncontent-length: ${bytes}\r\n\r\n`
  const client = openRaw(gateway.url)
  client.write(`${head('nobody', 9)}{"a"`)
  await new Promise((resolve) => setTimeout(resolve, 100))
  client.write(`:"b"}${head(KEY, GOOD.length)}${GOOD}`)
  t.match(await client.read(), { status: 401 })
  t.match(await client.read(), { status: 200 })
  client.write('nonsense\r\n\r\n')
  t.match(await client.read(), { status: 400 })
  client.close()
})

t.test('a name that is written with escapes is the same name, whatever was read before', async (t) => {
  const lessons = [
    '{"model":"m","max_tokens":1,"max_token\\\\":0,"messages":[]}',
    '{"model":"m","mode\\\\":0,"messages":[]}',
  ]
  for (const lesson of lessons) await (await post(lesson)).text()
  for (const twice of ['"max_tokens":1,"max_token\\u0073":90000', '"mode\\u006c":"other"']) {
    const answer = await post(`{"model":"m",${twice},"messages":[{"role":"user","content":"x"}]}`)
    t.equal(answer.status, 400)
    t.match(await answer.json(), { error: { message: /stands twice/ } })
  }
  const answer = await post(
    '{"model":"m","messages":[{"role":"user","content":"x"}],"max_token\\u0073":7,"\\u59d3\\u540d":"n"}',
  )
  t.equal(answer.status, 200)
  t.match(upstream.requests.at(-1)?.json, { max_tokens: 7, 姓名: 'n' })
})

t.test('sizes', async (t) => {
  const large = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] })
  const refused = await post(large)
  t.equal(refused.status, 413)
  t.match(await refused.json(), { error: { code: 'request_too_large' } })
  const fitting = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(1_900_000) }] })
  t.equal((await post(fitting)).status, 200)
  const chunked = await sendRaw(
    gateway.url,
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n` +
      `transfer-encoding: chunked\r\nconnection: close\r\n\r\n${`${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`.repeat(21)}0\r\n\r\n`,
  )
  t.equal(chunked.status, 413)
})

t.test('content types and encodings', async (t) => {
  for (const headers of [
    { 'content-type': 'text/plain' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-type': 'json' },
    { 'content-type': 'application/json, application/json' },
    { 'content-encoding': 'gzip' },
  ]) {
    const response = await post(GOOD, headers)
    t.equal(response.status, 415, JSON.stringify(headers))
    t.match(await response.json(), { error: { code: 'unsupported_media_type', param: Object.keys(headers)[0] } })
    const foreign = await post(GOOD, { ...headers, authorization: 'Bearer nobody' })
    t.equal(foreign.status, 401, `the key is asked for first: ${JSON.stringify(headers)}`)
  }
  const astray = await post(GOOD, { 'content-type': 'json' }, '/v1/chat')
  t.match(await astray.json(), { error: { code: 'route_not_found' } }, 'a path that is none, whatever is sent to it')
  t.equal((await post(GOOD, { 'content-type': 'application/json; charset=utf-8' })).status, 200)
  const sent = async (coding: string) => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n`
    const body = `${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\n\r\n`
    const { status } = await sendRaw(gateway.url, `${head}${coding}\r\nconnection: close\r\n\r\n${body}`)
    return status
  }
  const before = upstream.requests.length
  for (const coding of ['gzip, chunked', 'identity, chunked', 'gzip\r\ntransfer-encoding: chunked'])
    t.equal(await sent(`transfer-encoding: ${coding}`), 415, coding)
  for (const coding of ['gzip', 'chunked, gzip', 'xchunked'])
    t.match(String(await sent(`transfer-encoding: ${coding}`)), /^4\d\d$/, coding)
  t.equal(upstream.requests.length, before)
  for (const coding of ['chunked', 'Chunked', ' chunked '])
    t.equal(await sent(`transfer-encoding: ${coding}`), 200, coding)
})

t.test('paths lead where they say and nowhere else', async (t) => {
  const before = upstream.requests.length
  for (const path of [
    '//v1/chat/completions',
    '/v1//chat/completions',
    '/v1/chat/completions/',
    '/v1/./chat/completions',
    '/v1/../v1/chat/completions',
    '/V1/chat/completions',
    '/v1/chat%2fcompletions',
    '/v1/chat/completions%00',
    '/v1/chat/completions;x=1',
    '/%76%31/../v1/chat/completions/%zz',
    '/adapters/openai/chat/completions',
    '/adapters/openai/../../v1/models/%2e%2e',
    '/metrics',
    '/livez',
    'http://evil.example/elsewhere',
    '*',
  ]) {
    const bytes = requestBytes(
      'POST',
      path,
      [['host', 'localhost'], ...Object.entries(AUTHORIZED), ['connection', 'close']],
      GOOD,
    )
    const response = await sendRaw(gateway.url, bytes)
    t.ok(response.status >= 400 && response.status < 500, `${path}: ${response.status}`)
    t.match(JSON.parse(response.body), { error: { message: /\S/, code: /\S/ } }, path)
  }
  t.equal(upstream.requests.length, before)
})

t.test('any byte in any header', async (t) => {
  for (let byte = 0; byte < 256; byte++) {
    const head = `GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${KEY}\r\nx-llm-flags: `
    const bytes = Buffer.concat([Buffer.from(head), Buffer.from([byte]), Buffer.from('\r\n\r\n')])
    const response = await sendRaw(gateway.url, bytes)
    t.ok([400, 200].includes(response.status), `byte ${byte}: ${response.status}`)
    t.doesNotThrow(() => JSON.parse(response.body), `byte ${byte}`)
  }
})

t.test('keys that are none, however they come', async (t) => {
  const heads = [
    [],
    ['authorization: Bearer'],
    ['authorization: Bearer '],
    [`authorization: Basic ${KEY}`],
    [`authorization: ${KEY}`],
    [`authorization: Bearer ${KEY}x`],
    [`authorization: Bearer ${KEY.slice(0, -1)}`],
    [`authorization: Bearer ${KEY}`, 'authorization: Bearer other'],
    [`authorization: Bearer ${KEY}, Bearer other`],
    ['authorization: Bearer __proto__'],
    ['authorization: Bearer constructor'],
    [`authorization: Bearer ${"' OR 1=1 --"}`],
    [`authorization: Bearer ${'x'.repeat(20_000)}`],
    [`x-api-key: ${KEY}`],
  ]
  for (const lines of heads) {
    const head = ['GET /v1/models HTTP/1.1', 'host: localhost:4000/#@x', 'connection: close', ...lines].join('\r\n')
    const response = await sendRaw(gateway.url, `${head}\r\n\r\n`)
    t.ok([400, 401].includes(response.status), `${lines.join(' | ').slice(0, 80)}: ${response.status}`)
    if (response.status === 401)
      t.match(JSON.parse(response.body), {
        error: {
          message:
            'The virtual key is missing or not valid, or two different ones were sent. It is read from "Authorization: Bearer KEY".',
          code: 'invalid_api_key',
        },
      })
  }
})

t.test('what Node would answer without a word is refused in words', async (t) => {
  const body = '{}'
  const cases: Readonly<Record<string, readonly [string, number, RegExp]>> = {
    'no Host': ['GET /v1/models HTTP/1.1\r\n\r\n', 400, /"param":"host"/],
    'two of them': ['GET /v1/models HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n', 400, /"param":"host"/],
    'no Host, for an Anthropic client': [
      `POST /adapters/anthropic/v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n${body}`,
      400,
      /^\{"type":"error"/,
    ],
    'an unknown expectation': [
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\ncontent-length: 2\r\n\r\n${body}`,
      417,
      /"param":"expect"/,
    ],
    'an unknown expectation, for a Gemini client': [
      `POST /adapters/gemini/v1/models/m:countTokens HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\ncontent-length: 2\r\n\r\n${body}`,
      417,
      /^\{"error":\{"code":417,/,
    ],
    'no such path in a whole address, for an Anthropic client': [
      'GET http://x:1/adapters/anthropic/v1/nothing HTTP/1.1\r\nhost: x:1\r\n\r\n',
      404,
      /^\{"type":"error"/,
    ],
    'a tunnel': ['CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n', 404, /"code":"route_not_found"/],
    'the server itself': ['OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n', 404, /"code":"route_not_found"/],
  }
  for (const [name, [bytes, status, shape]] of Object.entries(cases)) {
    const response = await sendRaw(gateway.url, bytes)
    t.equal(response.status, status, name)
    t.match(response.body, shape, name)
    t.ok(response.headers.has('x-request-id'), name)
    t.same(response.headers.get('x-should-retry'), ['false'], name)
  }
})

t.test('malformed HTTP and headers without end', async (t) => {
  const own: [bytes: string, status: number, shape: RegExp][] = [
    ['GARBAGE\r\n\r\n', 400, /^\{"error":\{"message":"The request is not valid HTTP: .+\."/],
    [
      `POST /adapters/anthropic/v1/messages HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
      431,
      /^\{"type":"error","error":\{"type":"invalid_request_error"/,
    ],
    [
      `GET /adapters/gemini/v1beta/models HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
      431,
      /^\{"error":\{"code":431,/,
    ],
  ]
  for (const [bytes, status, shape] of own) {
    let response = await sendRaw(gateway.url, bytes)
    // The path is known where it came in one piece with what is too large, which the kernel decides.
    for (let tries = 0; tries < 20 && !shape.test(response.body); tries++) response = await sendRaw(gateway.url, bytes)
    t.equal(response.status, status)
    t.match(response.body, shape)
    if (bytes.includes('anthropic')) t.same(response.headers.get('request-id'), response.headers.get('x-request-id'))
  }
  for (const bytes of [
    'GARBAGE\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    `GET /v1/models HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
  ]) {
    const response = await sendRaw(gateway.url, bytes)
    t.ok(response.status >= 400 && response.status < 500, String(response.status))
    t.match(JSON.parse(response.body), { error: { message: /\S/ } })
  }
  const smuggling = await sendRaw(
    gateway.url,
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  )
  t.equal(smuggling.status, 400)
})

t.test('a body that breaks is refused in the own shape of its client, and recorded as refused', async (t) => {
  const paths: [path: string, shape: RegExp][] = [
    [
      '/v1/chat/completions',
      /^\{"error":\{"message":"The request is not valid HTTP: .+","type":"invalid_request_error"/,
    ],
    ['/adapters/anthropic/v1/messages', /^\{"type":"error","error":\{"type":"invalid_request_error"/],
    ['/adapters/gemini/v1beta/models/m:generateContent', /^\{"error":\{"code":400,/],
  ]
  for (const [path, shape] of paths) {
    const client = openRaw(gateway.url)
    t.teardown(() => client.close())
    client.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nx-llm-tags: at=${path.length}\r\nauthorization: Bearer ${KEY}\r\nx-api-key: ${KEY}\r\n` +
        'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\nzz\r\n',
    )
    const answer = await client.read()
    t.equal(answer.status, 400)
    t.match(answer.body, shape)
    client.write('more of it')
    t.match(await client.read(), { status: 0, closed: true, bytes: { length: 0 } }, 'nothing else comes')
    const requestId = answer.headers.get('x-request-id')?.[0]
    const audit = await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === requestId)
    t.match(audit, { outcome: 'refused', error: 'invalid_request_error' })
  }
})

t.test('a client that leaves in the middle of its body', async (t) => {
  const connection = openRaw(gateway.url)
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n`
  const rest = 'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"mod'
  await new Promise((written) => connection.socket.write(head + rest, written))
  connection.close()
  const audit = await gateway.line((line) => line['type'] === 'audit' && line['outcome'] === 'client-gone')
  t.equal(audit['error'], 'client_closed_request')
})

t.test('nothing of all this reached the log as a prompt, a key or a stack', async (t) => {
  t.equal((await fetch(`${gateway.admin}/livez`)).status, 200)
  t.notMatch(gateway.output(), KEY)
  t.strictSame(
    gateway.lines.filter((line) => line['level'] === 'error'),
    [],
  )
})

/** Masks, and takes requests of any length. */
const startSmall = (t: Test, heapMiB: number, ...more: string[]) =>
  startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({
          name: 'p',
          url: upstream.url,
          models: ['{ name: m, capabilities: [chat, tools, streaming], contextWindow: 100000000 }'],
        }),
        virtualKey({ spec: '  policies: { flags: [pii-safe] }' }),
        ...more,
      ),
    },
    nodeFlags: [`--max-old-space-size=${heapMiB}`, '--max-semi-space-size=8'],
  })

t.test('arguments of 345,000 fields, each with a name of its own, end no small process', async (t) => {
  const small = await startSmall(t, 128)
  const fields = Array.from({ length: 345_000 }, (_, index) => [`f${index.toString(36)}`, 'abcdef'])
  const objects = Array.from({ length: 3_450 }, (_, index) =>
    Object.fromEntries(fields.slice(index * 100, index * 100 + 100)),
  )
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(objects) } }
  const messages = [
    { role: 'assistant', tool_calls: [call] },
    { role: 'user', content: 'mail a@example.com' },
  ]
  t.match(await (await small.chat({ messages })).text(), /hello/)
  t.notMatch(upstream.requests.at(-1)?.body.slice(-200), 'a@example.com')
})

t.test('more values than a model reads are refused before they end a process with a small heap', async (t) => {
  const small = await startSmall(t, 96)
  const answerTo = (count: number): Promise<Response> => {
    const addresses = Array.from({ length: count }, (_, index) => `a${index}@b.co`)
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(addresses) } }
    return small.chat({ messages: [{ role: 'assistant', tool_calls: [call] }] })
  }
  t.match(await (await answerTo(149_000)).json(), { error: { code: 'request_too_large' } })
  t.match(await (await answerTo(50_000)).text(), /hello/)
  t.notMatch(upstream.requests.at(-1)?.body, 'a49999@b.co')
})

t.test('texts of more values than a model reads, several at a time, end no process with a small heap', async (t) => {
  const small = await startSmall(t, 128)
  const content = Array.from({ length: 140_000 }, (_, index) => `a${index}@b.co`).join(' ')
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => small.chat({ messages: [{ role: 'user', content }] })),
  )
  const bodies = await Promise.all(answers.map((answer) => answer.text()))
  t.match(bodies.join('\n'), 'request_too_large')
  // Until one is known to have too many, the others may want the room that it has.
  for (const body of bodies) t.match(body, /"code":"(request_too_large|rate_limit_exceeded)"/)
})

t.test(
  'a text of nothing but network addresses, as large as a body may be, ends no process with a small heap',
  async (t) => {
    const masked = `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: default }
spec:
  grants:
  - { name: all, namespaceSelector: {} }
  compliance: { requiredFlags: [pii-safe], masking: { kinds: [IP] } }
`
    const small = await startSmall(t, 96, masked)
    const answer = await small.chat({ messages: [{ role: 'user', content: '1.1.1.1 '.repeat(1_200_000) }] })
    t.match(await answer.json(), { error: { code: 'request_too_large' } })
  },
)

t.test('as many values as one request may have, in several at a time, end no process with a small heap', async (t) => {
  const small = await startSmall(t, 96)
  const content = Array.from({ length: 49_000 }, (_, index) => `a${index}@b.co`).join(' ')
  const ask = () => small.chat({ messages: [{ role: 'user', content }] })
  const answers = await Promise.all(Array.from({ length: 16 }, ask))
  const statuses = answers.map(({ status }) => status)
  t.ok(statuses.includes(200) && statuses.includes(429))
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    t.ok(answer.headers.has('retry-after'))
    t.match(await answer.json(), { error: { code: 'rate_limit_exceeded' } })
  }
  t.match(await small.line((line) => line['msg'] === 'no memory for the request'), { reason: /values to be masked/ })
  t.equal((await ask()).status, 200, 'what they had is given back')
})
