/** Specification section 4.2, rules 1 to 3, through the running gateway: what leaves, and what comes back to whom. */
import t from 'tap'
import type { Test } from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { ok, status, stream, streamByteByByte } from '../helpers/behaviours.ts'
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const EMAIL = 'ann.o-neil+tag@mail.example.com'
const SECRET = `sk-proj-${'Ab3dE6gH9jK2mN5pQ8rS1tU4'.repeat(2)}`
const CARD = '4111 1111 1111 1111'
const TOKEN = /\[\[LLM_REDACTED_[A-Z]+_[a-z0-9]{8}\]\]/g
const RESTORING = `restoring-${KEY}`
const FLAGGED = { 'x-llm-flags': 'pii-safe' }

const ORGANIZATION = `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: default }
spec:
  grants:
  - { name: all, namespaceSelector: {}, privileges: [demask, trace, overrideRouting, asyncBilling] }
`

async function start(t: Test) {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        ORGANIZATION,
        provider({
          name: 'p',
          url: upstream.url,
          models: ['{ name: m, capabilities: [chat, streaming, tools, vision] }'],
        }),
        virtualKey(),
        virtualKey({ name: 'restoring', key: RESTORING, spec: '  privileges: { demask: true }' }),
      ),
    },
  })
  return { upstream, gateway }
}

/** The tokens in what the provider was sent last, in order. */
function tokensSent(upstream: FakeProvider): string[] {
  return upstream.requests.at(-1)?.body.match(TOKEN) ?? []
}

t.test(
  'a password is the same token in what the user said and in the arguments that an agent sends back',
  async (t) => {
    const { upstream, gateway } = await start(t)
    upstream.otherwise(ok(chatCompletion('fine')))
    const password = 'hK9#mP2$vL5q'
    const login = { name: 'login', arguments: JSON.stringify({ user: 'bob', password }) }
    await gateway.chat(
      {
        messages: [
          { role: 'user', content: `log in, the password: ${password}` },
          { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: login }] },
          { role: 'tool', tool_call_id: 'call_1', content: 'done' },
        ],
      },
      FLAGGED,
    )
    t.notOk(upstream.requests[0]?.body.includes(password))
    const tokens = tokensSent(upstream)
    t.equal(tokens.length, 2)
    t.equal(new Set(tokens).size, 1)
  },
)

t.test('a password is found again where no word tells of it, in earlier texts too, and comes back', async (t) => {
  const { upstream, gateway } = await start(t)
  const password = 'hK9#mP2$vL5q'
  upstream.otherwise(async (exchange) => {
    await ok(chatCompletion(`it is ${exchange.request.body.match(TOKEN)?.[0]}`))(exchange)
  })
  const trying = { name: 'try', arguments: JSON.stringify({ text: `x ${password}` }) }
  const response = await gateway.chat(
    {
      messages: [
        { role: 'user', content: `Is ${password} strong?` },
        { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: trying }] },
        { role: 'tool', tool_call_id: 'call_1', content: `user=bob\n${password}\n` },
        { role: 'user', content: `My password is ${password}.` },
      ],
    },
    { ...FLAGGED, authorization: `Bearer ${RESTORING}` },
  )
  t.notOk(upstream.requests[0]?.body.includes(password))
  t.equal(tokensSent(upstream).length, 4)
  t.equal(new Set(tokensSent(upstream)).size, 1)
  t.match(await response.text(), `it is ${password}`)
})

t.test('e-mail addresses, keys and cards leave as tokens, wherever they stand', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.otherwise(ok(chatCompletion('fine')))
  const text = `mail ${EMAIL}, key ${SECRET}, card ${CARD}`
  await gateway.chat(
    {
      messages: [
        { role: 'system', content: `system ${text}` },
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'f', arguments: JSON.stringify({ deep: [{ line: `a\n${CARD}`, to: EMAIL }] }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: text },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: `writes to ${EMAIL}`, parameters: { type: 'object' } },
        },
      ],
    },
    FLAGGED,
  )
  const sent = upstream.requests[0]?.body ?? ''
  for (const value of [EMAIL, SECRET, CARD]) t.notOk(sent.includes(value), value)
  const tokens = tokensSent(upstream)
  t.equal(tokens.length, 12)
  t.equal(new Set(tokens).size, 3, 'the same value is the same token')
  t.strictSame([...new Set(tokens.map((token) => token.split('_')[2]))].toSorted(), ['CARD', 'EMAIL', 'KEY'])
  t.ok(sent.includes('iVBORw0KGgo='), 'the image is untouched')
  const audit = await gateway.line((line) => line['type'] === 'audit')
  t.strictSame(audit['findings'], { EMAIL: 5, KEY: 3, CARD: 4 })
  t.notMatch(gateway.output(), EMAIL)
})

t.test('without the flag or a policy nothing is changed', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.otherwise(ok(chatCompletion('fine')))
  await gateway.chat({ messages: [{ role: 'user', content: EMAIL }] })
  t.match(upstream.requests[0]?.body, EMAIL)
})

for (const [who, key, restored] of [
  ['with the privilege', RESTORING, true],
  ['without the privilege', KEY, false],
] as const) {
  t.test(`a whole answer ${who}`, async (t) => {
    const { upstream, gateway } = await start(t)
    const echo = { get: () => tokensSent(upstream) }
    upstream.otherwise(async (exchange) => {
      const [token = ''] = exchange.request.body.match(TOKEN) ?? []
      const message = {
        role: 'assistant',
        content: `written to ${token}`,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify({ to: token }) } }],
      }
      await ok({ ...chatCompletion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })(exchange)
    })
    const value = 'pass"word@quotes.example.com'.replace('"', '')
    const response = await gateway.chat(
      { messages: [{ role: 'user', content: `write to ${value}` }] },
      { ...FLAGGED, authorization: `Bearer ${key}` },
    )
    const [choice] = (
      (await response.json()) as {
        choices: { message: { content: string; tool_calls: { function: { arguments: string } }[] } }[]
      }
    ).choices
    const expected = restored ? value : echo.get()[0]
    t.equal(choice?.message.content, `written to ${expected}`)
    t.strictSame(JSON.parse(choice?.message.tool_calls[0]?.function.arguments ?? ''), { to: expected })
  })

  t.test(`a stream ${who}, cut at every byte`, async (t) => {
    const { upstream, gateway } = await start(t)
    upstream.otherwise(async (exchange) => {
      const [token = ''] = exchange.request.body.match(TOKEN) ?? []
      const pieces = [`written to ${token.slice(0, 5)}`, token.slice(5, 20), token.slice(20), ' and [[ that is all']
      await streamByteByByte(chatStream(pieces))(exchange)
    })
    const response = await gateway.chat(
      { stream: true, messages: [{ role: 'user', content: `write to ${EMAIL}` }] },
      { ...FLAGGED, authorization: `Bearer ${key}` },
    )
    const text = textOf(await response.text())
    t.equal(text, `written to ${restored ? EMAIL : tokensSent(upstream)[0]} and [[ that is all`)
  })
}

t.test('an answer without a token goes to a restoring client as the provider wrote it', async (t) => {
  const { upstream, gateway } = await start(t)
  const written = JSON.stringify(chatCompletion('nothing to put back'), null, 3)
  upstream.otherwise(status(200, Buffer.from(written)))
  const response = await gateway.chat(
    { messages: [{ role: 'user', content: EMAIL }] },
    { ...FLAGGED, authorization: `Bearer ${RESTORING}` },
  )
  t.equal(await response.text(), written)
})

t.test('a token that the provider writes in escaped letters is restored', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.otherwise(async (exchange) => {
    const [token = ''] = exchange.request.body.match(TOKEN) ?? []
    const written = JSON.stringify(chatCompletion(`to ${token}`)).replace('LLM_', '\\u004c\\u004C\\u004d_')
    await status(200, Buffer.from(written))(exchange)
  })
  const response = await gateway.chat(
    { messages: [{ role: 'user', content: EMAIL }] },
    { ...FLAGGED, authorization: `Bearer ${RESTORING}` },
  )
  t.match(await response.text(), `to ${EMAIL}`)
})

t.test('tokens of others and forged ones are never restored', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.otherwise(ok(chatCompletion('fine')))
  await gateway.chat(
    { messages: [{ role: 'user', content: EMAIL }] },
    { ...FLAGGED, authorization: `Bearer ${RESTORING}` },
  )
  const [foreign = ''] = tokensSent(upstream)
  upstream.otherwise(stream(chatStream([`${foreign} [[LLM_REDACTED_EMAIL_aaaaaaaa]]`])))
  const response = await gateway.chat(
    { stream: true, messages: [{ role: 'user', content: 'other@mail.example.com' }] },
    { ...FLAGGED, authorization: `Bearer ${RESTORING}` },
  )
  t.equal(textOf(await response.text()), `${foreign} [[LLM_REDACTED_EMAIL_aaaaaaaa]]`)
})

function textOf(events: string): string {
  return events
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map(
      (line) =>
        (JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '',
    )
    .join('')
}
