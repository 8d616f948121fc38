/** Masking and restoring through the Anthropic adapter (specification section 4.2): signed thinking, tool input, text. */
import Anthropic from '@anthropic-ai/sdk'
import t from 'tap'
import type { JsonObject } from '../../src/domain/json.ts'
import { anthropicStream, sse } from '../helpers/answers.ts'
import { ok, streamByteByByte } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

/** An organization whose keys may have masked values back. */
const MAY_RESTORE = `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: default }
spec:
  grants:
  - { name: all, namespaceSelector: {}, privileges: [demask] }
`

t.test('masked values: what the provider gets, and what comes back to a key that may have them', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        MAY_RESTORE,
        provider({
          name: 'a',
          url: upstream.url,
          type: 'Anthropic',
          models: ['{ name: same, capabilities: [chat, streaming, tools] }'],
        }),
        virtualKey({ spec: '  privileges: { demask: true }' }),
      ),
    },
  })
  const client = new Anthropic({
    apiKey: KEY,
    baseURL: `${gateway.url}/adapters/anthropic`,
    maxRetries: 0,
    defaultHeaders: { 'x-llm-flags': 'pii-safe' },
  })
  const mail = 'jane.doe@example.com'
  const call = { type: 'tool_use' as const, id: 'toolu_1', name: 'f', input: { user_id: mail } }
  const prompt = {
    model: 'same',
    system: `Serve ${mail}.`,
    messages: [
      { role: 'user' as const, content: `I am ${mail}` },
      {
        role: 'assistant' as const,
        content: [{ type: 'thinking' as const, thinking: `It is ${mail}`, signature: 'sig' }, call],
      },
      { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: 'toolu_1', content: mail }] },
    ],
  }
  const sent = () => upstream.requests.at(-1)?.body ?? ''

  await t.test('count_tokens shows the provider no value', async (t) => {
    upstream.enqueue(ok({ input_tokens: 9 }))
    t.strictSame(await client.messages.countTokens(prompt), { input_tokens: 9 })
    t.notMatch(sent(), mail)
    t.equal(sent().split('[[LLM_REDACTED_EMAIL_').length, 6)
  })

  await t.test('a stream is restored in text, thinking and arguments, cut anywhere', async (t) => {
    upstream.enqueue(async (exchange) => {
      const token = /\[\[LLM_REDACTED_EMAIL_[^\]]*\]\]/.exec(exchange.request.body)?.[0] ?? ''
      await streamByteByByte(restorable(token))(exchange)
    })
    const final = await client.messages.stream({ ...prompt, max_tokens: 10 }).finalMessage()
    t.notMatch(sent(), mail)
    t.match(final.content, [
      { type: 'thinking', thinking: `of ${mail}`, signature: 'sig' },
      { type: 'text', text: `to ${mail}` },
      { type: 'tool_use', input: { to: mail } },
    ])
  })
})

/** A stream that says `token` in every kind of block, in pieces that cut it. */
function restorable(token: string): string[] {
  const event = (type: string, fields: JsonObject): string => sse({ type, ...fields }, type)
  const [start = ''] = anthropicStream([])
  const block = (index: number, content_block: JsonObject, deltas: JsonObject[]): string[] => [
    event('content_block_start', { index, content_block }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
  const [head, tail] = [token.slice(0, 9), token.slice(9)]
  return [
    start,
    ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: `of ${head}` },
      { type: 'thinking_delta', thinking: tail },
      { type: 'signature_delta', signature: 'sig' },
    ]),
    ...block(1, { type: 'text', text: '' }, [
      { type: 'text_delta', text: `to ${head}` },
      { type: 'text_delta', text: tail },
    ]),
    ...block(2, { type: 'tool_use', id: 'toolu_2', name: 'f', input: {} }, [
      { type: 'input_json_delta', partial_json: `{"to":"${head}` },
      { type: 'input_json_delta', partial_json: `${tail}"}` },
    ]),
    event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 8 } }),
    event('message_stop', {}),
  ]
}
