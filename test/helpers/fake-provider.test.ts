import t from 'tap'
import type { Test as T } from 'tap'
import { chatCompletion, chatStream, SSE_DONE } from './answers.ts'
import * as behaviours from './behaviours.ts'
import { startFakeProvider } from './fake-provider.ts'
import type { FakeProvider } from './fake-provider.ts'
import { openRaw, requestBytes, sendRaw } from './raw-http.ts'

const {
  cutAfter,
  delayed,
  endless,
  freeze,
  freezeAfterHeaders,
  inTurn,
  ok,
  rawAnswer,
  reset,
  stallAfter,
  status,
  stream,
  streamByteByByte,
} = behaviours

async function provider(test: T): Promise<FakeProvider> {
  const started = await startFakeProvider()
  test.teardown(() => started.close())
  return started
}

function call(url: string, model = 'm', signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({ model, messages: [] })
  return fetch(`${url}/v1/chat/completions?x=1`, { method: 'POST', body, ...(signal === undefined ? {} : { signal }) })
}

t.test('queued behaviours answer one request each, then the standing one', async (test) => {
  const fake = await provider(test)
  fake.otherwise(ok(chatCompletion('standing')))
  fake.enqueue(status(500, { error: 'no' }, { 'retry-after': '7' }))
  const first = await call(fake.url)
  test.equal(first.status, 500)
  test.equal(first.headers.get('retry-after'), '7')
  test.match(await (await call(fake.url)).json(), { choices: [{ message: { content: 'standing' } }] })
  test.match(fake.requests, [{ path: '/v1/chat/completions', model: 'm', json: { messages: [] } }, {}])
})

t.test('a behaviour for a model leaves other models alone', async (test) => {
  const fake = await provider(test)
  fake.enqueueFor({ model: 'bad' }, status(503))
  fake.otherwise(inTurn(status(201), status(202)), { path: /completions$/ })
  test.equal((await call(fake.url, 'good')).status, 201)
  test.equal((await call(fake.url, 'bad')).status, 503)
  test.equal((await call(fake.url, 'good')).status, 202)
})

t.test('a request without a plan is answered 599 and recorded', async (test) => {
  const fake = await provider(test)
  test.equal((await call(fake.url)).status, 599)
  test.equal(fake.unplanned.length, 1)
})

t.test('a stream arrives whole, in chunks or byte by byte', async (test) => {
  const fake = await provider(test)
  const chunks = chatStream(['one ', 'två'])
  fake.enqueue(stream(chunks), streamByteByByte(chunks))
  test.equal(await (await call(fake.url)).text(), chunks.join(''))
  test.equal(await (await call(fake.url)).text(), chunks.join(''))
  test.equal(chunks.at(-1), SSE_DONE)
  test.equal(await fake.requests[0]?.ended, 'answered')
})

t.test('a cut and a reset break the body, before or after the headers', async (test) => {
  const fake = await provider(test)
  fake.enqueue(cutAfter(['data: 1\n\n']), reset(['data: 1\n\n']), reset())
  await test.rejects((await call(fake.url)).text())
  await test.rejects(call(fake.url).then((response) => response.text()))
  await test.rejects(call(fake.url))
})

t.test('a frozen or stalled request ends when the client goes, and the record says so', async (test) => {
  const fake = await provider(test)
  fake.enqueue(freeze(), freezeAfterHeaders(), stallAfter(['data: 1\n\n']), delayed(60_000, ok({})))
  for (const answers of [false, true, true, false]) {
    const abort = new AbortController()
    const pending = call(fake.url, 'm', abort.signal)
    if (answers) test.equal((await pending).status, 200)
    else await fake.received(fake.requests.length + 1)
    abort.abort()
    if (!answers) await test.rejects(pending)
    test.equal(await fake.requests.at(-1)?.ended, 'closed-early')
  }
})

t.test('an endless stream waits for a client that does not read', async (test) => {
  const fake = await provider(test)
  fake.enqueue(endless('x'.repeat(65_536)))
  const connection = openRaw(fake.url)
  connection.pause()
  connection.write(requestBytes('POST', '/', []))
  const [request] = await fake.received(1)
  let before = -1
  while (request !== undefined && before !== request.bodyBytesSent) {
    before = request.bodyBytesSent
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  test.ok(before > 0, 'it came to a stop by itself')
  connection.close()
  test.equal(await request?.ended, 'closed-early')
})

t.test('close ends what is frozen and kills the sockets', async (test) => {
  const fake = await startFakeProvider()
  fake.enqueue(freeze())
  const pending = call(fake.url)
  pending.catch(() => {})
  await fake.received(1)
  await fake.close()
  await test.rejects(pending)
  test.equal(fake.openConnections(), 0)
  await fake.close()
})

t.test('raw bytes get their raw answer, whole or not', async (test) => {
  const fake = await provider(test)
  fake.enqueue(ok({ a: 1 }), stream(['ab', 'cd']), rawAnswer('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'))
  const post = requestBytes('POST', '/', [['X-Odd', '\xff']], '{}')
  test.match(await sendRaw(fake.url, post), { status: 200, body: '{"a":1}', complete: true })
  test.match(await sendRaw(fake.url, [post.subarray(0, 9), post.subarray(9)], { pauseMs: 1 }), {
    body: 'abcd',
    complete: true,
  })
  test.match(await sendRaw(fake.url, post), { status: 200, body: 'abc', complete: false, closed: true })
  test.equal(fake.requests[0]?.headers['x-odd'], '\xff')
  test.match(await sendRaw(fake.url, 'nonsense\r\n\r\n'), { status: 400 })
})

t.test('two answers on one connection are read one after the other', async (test) => {
  const fake = await provider(test)
  fake.enqueue(ok({ a: 1 }), ok({ a: 2 }))
  const connection = openRaw(fake.url)
  test.teardown(() => connection.close())
  const get = requestBytes('GET', '/', [['Connection', 'keep-alive']])
  connection.write(Buffer.concat([get, get]))
  test.equal((await connection.read()).body, '{"a":1}')
  test.equal((await connection.read()).body, '{"a":2}')
})
