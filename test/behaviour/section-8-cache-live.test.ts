/** DESIGN section 7, one flight per key: equal streams at the same time are one stream of the provider's, told to all as it comes. */
import t, { type Test } from 'tap'
import { chatStream } from '../helpers/answers.ts'
import { cutAfter, status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const MODELS = [
  '{ name: m, maxOutputTokens: 1000, pricing: { input: "1", output: "1" } }',
  '{ name: open, pricing: { input: "1", output: "1" } }',
]
const keyOf = (name: string) => `key-of-${name}-0123456789abcdef0123456789abcdef`
const key = (name: string, demask: boolean) =>
  virtualKey({
    name,
    namespace: 'ns-a',
    key: keyOf(name),
    spec: `  budgets: [{ window: Total, limitUSD: "1" }]\n  organizationRef: { name: a }\n  privileges: { demask: ${demask} }\n  policies: { flags: [pii-safe] }`,
  })
const ORGANIZATION = `apiVersion: v1
kind: Namespace
metadata: { name: ns-a, labels: { org: a } }
---
apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: a }
spec:
  grants: [{ name: all, namespaceSelector: { matchLabels: { org: a } }, privileges: [demask] }]
`
const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      ORGANIZATION,
      provider({ name: 'p', url: upstream.url, models: MODELS, spec: '  failover: { maxAttempts: 1 }' }),
      ...['one', 'two', 'three'].map((name) => key(name, true)),
      key('masked', false),
    ),
  },
})

/** A stream that goes on when the test says so. */
function stepwise(...chunks: string[]) {
  const steps = chunks.map(() => Promise.withResolvers<void>())
  const behaviour: Behaviour = async ({ response, stop, request }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [index, chunk] of chunks.entries()) {
      await Promise.race([steps[index]?.promise, new Promise((resolve) => stop.addEventListener('abort', resolve))])
      if (stop.aborted) return
      request.bodyBytesSent += chunk.length
      response.write(chunk)
    }
    response.end()
  }
  return {
    behaviour,
    step: (index: number) => steps[index]?.resolve(),
    rest: () => steps.forEach((step) => step.resolve()),
  }
}

interface Reader {
  readonly response: Response
  /** Reads until the text has come. */
  until(text: string): Promise<void>
  rest(): Promise<string>
  leave(): void
}

async function ask(name: string, content: string, body: object = {}): Promise<Reader> {
  const leaving = new AbortController()
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf(name)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }], ...body }),
    signal: leaving.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const more = async () => {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
    text += value ?? ''
    return !done
  }
  return {
    response,
    async until(wanted) {
      while (!text.includes(wanted)) if (!(await more())) throw new Error(`ended without ${wanted}: ${text}`)
    },
    async rest() {
      while (await more());
      return text
    },
    leave: () => leaving.abort(),
  }
}

const audit = (reader: Reader) =>
  gateway.line((line) => line['type'] === 'audit' && line['requestId'] === reader.response.headers.get('x-request-id'))

const spent = async (name: string) => {
  const headers = { authorization: `Bearer ${keyOf(name)}` }
  const usage = (await (await fetch(`${gateway.url}/v1/usage`, { headers })).json()) as { limits: { spent: string }[] }
  return usage.limits[0]?.spent
}

/** What a chat stream says, whatever its events. */
function said(events: string): string {
  const chunks = events.split('\n').filter((line) => line.startsWith('data: {'))
  const deltas = chunks.map((line) => JSON.parse(line.slice(6)) as { choices: { delta?: { content?: string } }[] })
  return deltas.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')
}

/** A leader whose first words have come, and what the provider still has to say. */
async function led(t: Test, content: string, words: string[], body: object = {}) {
  const chunks = chatStream(words)
  const steps = stepwise(...chunks)
  t.teardown(steps.rest)
  const before = upstream.requests.length
  upstream.enqueue(steps.behaviour)
  const first = chunks.findIndex((chunk) => chunk.includes(words[0] ?? ''))
  for (let index = 0; index <= first; index++) steps.step(index)
  const leader = await ask('one', content, body)
  await leader.until(words[0] ?? '')
  return { leader, next: () => steps.step(first + 1), rest: steps.rest, calls: () => upstream.requests.length - before }
}

t.test('who comes while an equal stream runs gets its parts as they come', async (t) => {
  const { leader, next, rest, calls } = await led(t, 'live', ['alpha ', 'beta ', 'gamma'])
  const follower = await ask('two', 'live')
  await follower.until('alpha')
  t.equal(follower.response.headers.get('x-gateway-cache'), 'hit-l1')
  t.equal(follower.response.headers.get('x-gateway-cost-usd'), '0.000000')
  t.match(follower.response.headers.get('age'), /^\d+$/)
  next()
  await Promise.all([leader.until('beta'), follower.until('beta')])
  const late = await ask('three', 'live', { stream_options: { include_usage: true } })
  const whole = ask('two', 'live', { stream: false })
  await late.until('beta')
  rest()
  const texts = await Promise.all([leader.rest(), follower.rest(), late.rest()])
  for (const text of texts) {
    t.equal(said(text), 'alpha beta gamma')
    t.match(text, /\[DONE\]/)
  }
  t.strictSame(
    texts.map((text) => text.includes('"usage":{')),
    [false, false, true],
    'each its own form',
  )
  t.match(await (await whole).rest(), /alpha beta gamma/)
  t.equal(calls(), 1)
  t.match(await audit(leader), { cache: 'miss', outcome: 'answered' })
  t.match(await audit(follower), { cache: 'hit-l1', outcome: 'answered', costMicroUsd: 0, attempts: [] })
  t.match((await ask('two', 'live')).response.headers.get('x-gateway-cache'), /hit-l1/, 'and it is kept')
})

t.test('each follower gets its own masked values back, whatever the pieces', async (t) => {
  const leading = Promise.withResolvers<string>()
  const going = Promise.withResolvers<void>()
  upstream.enqueue(async (exchange) => {
    const token = /\[\[LLM_REDACTED_EMAIL_\w+\]\]/.exec(exchange.request.body)?.[0] ?? ''
    leading.resolve(token)
    const [begin = '', ...more] = chatStream([
      'You are ',
      token.slice(0, 9),
      token.slice(9, 25),
      `${token.slice(25)}, right`,
    ])
    exchange.response.writeHead(200, { 'content-type': 'text/event-stream' })
    exchange.response.write(begin + (more[0] ?? ''))
    await going.promise
    for (const chunk of more.slice(1)) {
      exchange.response.write(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    exchange.response.end()
  })
  const before = upstream.requests.length
  const leader = await ask('one', 'who is anna@example.com')
  await leader.until('You are')
  const [same, other, masked] = await Promise.all([
    ask('two', 'who is anna@example.com'),
    ask('two', 'who is bob@example.org'),
    ask('masked', 'who is carl@example.net'),
  ])
  for (const follower of [same, other, masked]) await follower.until('You are')
  going.resolve()
  const token = await leading.promise
  t.equal(said(await leader.rest()), 'You are anna@example.com, right')
  t.equal(said(await same.rest()), 'You are anna@example.com, right')
  t.equal(said(await other.rest()), 'You are bob@example.org, right')
  const own = said(await masked.rest())
  t.match(own, /^You are \[\[LLM_REDACTED_EMAIL_\w+\]\], right$/)
  t.notMatch(own, token, "not the leader's token")
  t.equal(upstream.requests.length, before + 1)
})

t.test('when the client of the first one goes the others get all, and its key pays', async (t) => {
  const before = await spent('one')
  const { leader, next, rest, calls } = await led(t, 'going', ['alpha ', 'beta ', 'gamma'])
  const follower = await ask('two', 'going')
  await follower.until('alpha')
  leader.leave()
  next()
  await follower.until('beta')
  const late = await ask('three', 'going')
  await late.until('beta')
  rest()
  t.equal(said(await follower.rest()), 'alpha beta gamma')
  t.equal(said(await late.rest()), 'alpha beta gamma')
  t.equal(calls(), 1)
  const record = await audit(leader)
  t.match(record, { outcome: 'client-gone', cache: 'miss', tokens: { estimated: false, output: Number } })
  t.ok(Number(await spent('one')) > Number(before))
  t.equal(await spent('three'), '0.000000')
  t.equal((await ask('two', 'going')).response.headers.get('x-gateway-cache'), 'hit-l1', 'and it is kept')
})

t.test('when all have gone the call is ended', async (t) => {
  const { leader, calls } = await led(t, 'all gone', ['alpha ', 'beta ', 'gamma'])
  const follower = await ask('two', 'all gone')
  await follower.until('alpha')
  leader.leave()
  follower.leave()
  t.equal(await upstream.requests.at(-1)?.ended, 'closed-early')
  t.equal(calls(), 1)
  t.match(await audit(leader), { outcome: 'client-gone' })
})

t.test('a cut after the first content is a cut for all, and is not kept', async (t) => {
  const going = Promise.withResolvers<void>()
  const chunks = chatStream(['alpha ', 'beta'])
  upstream.enqueue(async (exchange) => {
    exchange.response.writeHead(200, { 'content-type': 'text/event-stream' })
    exchange.response.write(chunks.slice(0, 2).join(''))
    await going.promise
    await cutAfter([])({
      ...exchange,
      response: Object.assign(exchange.response, { writeHead: () => exchange.response }),
    })
  })
  const leader = await ask('one', 'cut')
  await leader.until('alpha')
  const follower = await ask('two', 'cut')
  await follower.until('alpha')
  going.resolve()
  for (const reader of [leader, follower]) t.match(await reader.rest(), /alpha[\s\S]*upstream_format_error/)
  t.match(await audit(follower), { outcome: 'cut', cache: 'hit-l1' })
  upstream.enqueue(stream(chatStream(['anew'])))
  t.equal(said(await (await ask('two', 'cut')).rest()), 'anew')
})

t.test('where the first one fails before its first content the others are answered all the same', async (t) => {
  const going = Promise.withResolvers<void>()
  upstream.enqueue(async (exchange) => {
    await going.promise
    await status(400, { error: { message: 'no' } })(exchange)
  })
  upstream.otherwise(stream(chatStream(['good'])))
  const before = upstream.requests.length
  const leader = ask('one', 'fails')
  await upstream.received(before + 1)
  const followers = [ask('two', 'fails'), ask('three', 'fails')]
  await new Promise((resolve) => setTimeout(resolve, 50))
  going.resolve()
  t.equal((await leader).response.status, 400)
  for (const follower of followers) t.equal(said(await (await follower).rest()), 'good')
})

t.test('a stream whose length a budget may cut is waited for, not followed', async (t) => {
  const open = { model: 'open' }
  const { leader, next, rest, calls } = await led(t, 'not followed', ['alpha ', 'beta ', 'gamma'], open)
  let begun = false
  const waiting = ask('two', 'not followed', open).then((follower) => {
    begun = true
    return follower
  })
  next()
  await leader.until('beta')
  t.equal(begun, false)
  rest()
  t.equal(said(await leader.rest()), 'alpha beta gamma')
  const follower = await waiting
  t.equal(said(await follower.rest()), 'alpha beta gamma')
  t.equal(calls(), 1)
})
