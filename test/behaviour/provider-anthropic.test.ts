/** DESIGN section 3: a provider that speaks Anthropic's format behind a client that speaks OpenAI's. */
import t from 'tap'
import { ResultAssembler } from '../../src/domain/completion/assemble.ts'
import { chatCompletions } from '../../src/domain/formats/chat-completions/chat-completions.ts'
import { SseDecoder } from '../../src/domain/formats/sse.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { anthropicStream, sse } from '../helpers/answers.ts'
import { stream } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

t.test('an OpenAI client over an Anthropic provider', async (t) => {
  const anthropic = await startFakeProvider()
  t.teardown(() => anthropic.close())
  const models = ['{ name: same, maxOutputTokens: 500, capabilities: [chat, streaming, tools] }']
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(provider({ name: 'a', url: anthropic.url, type: 'Anthropic', models }), virtualKey()),
    },
  })
  const user = { role: 'user', content: 'hello' }
  const event = (type: string, fields: JsonObject): string => sse({ type, ...fields }, type)
  const [start = ''] = anthropicStream([])
  const block = { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }
  const piece = (text: string) =>
    event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: text } })
  anthropic.enqueue(
    stream([
      start,
      event('content_block_start', { index: 0, content_block: block }),
      piece('{"mail"'),
      piece(':"x"}'),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 8 } }),
      event('message_stop', {}),
    ]),
  )
  const parameters = { type: 'object', properties: {} }
  const response = await gateway.chat({
    model: 'same',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'system', content: 'Short.' }, user, user],
    tools: [{ type: 'function', function: { name: 'look_up', parameters } }],
    tool_choice: 'required',
    reasoning_effort: 'low',
  })
  const decoder = chatCompletions.createStreamDecoder()
  const sseDecoder = new SseDecoder()
  const assembler = new ResultAssembler()
  for (const one of sseDecoder.push(new Uint8Array(await response.arrayBuffer()))) {
    for (const part of decoder.push(one)) assembler.push(part)
  }
  t.strictSame(decoder.end(), [])
  t.match(assembler.result('chat-completions'), {
    choices: [
      {
        content: [{ type: 'tool-call', id: 'toolu_1', name: 'look_up', arguments: '{"mail":"x"}' }],
        finish: { reason: 'tool-calls' },
      },
    ],
    usage: { input: 5, output: 8 },
  })
  const text = { type: 'text', text: 'hello' }
  t.strictSame(anthropic.requests.at(-1)?.json, {
    model: 'same',
    max_tokens: 500,
    system: 'Short.',
    messages: [{ role: 'user', content: [text, text] }],
    stream: true,
    tools: [{ name: 'look_up', input_schema: parameters }],
    tool_choice: { type: 'any' },
  })
  t.match(anthropic.requests.at(-1)?.headers, { 'anthropic-version': '2023-06-01' })
})

t.test(
  'arguments nested deeper than some releases of Node can write reach the client, and break nothing',
  async (t) => {
    const anthropic = await startFakeProvider()
    t.teardown(() => anthropic.close())
    const models = ['{ name: same, maxOutputTokens: 500, capabilities: [chat, streaming, tools] }']
    const gateway = await startGateway(t, {
      manifests: {
        'all.yaml': yaml(provider({ name: 'a', url: anthropic.url, type: 'Anthropic', models }), virtualKey()),
      },
    })
    const event = (type: string, fields: JsonObject): string => sse({ type, ...fields }, type)
    const [start = ''] = anthropicStream([])
    const nested = `{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    anthropic.otherwise(
      stream([
        start,
        event('content_block_start', {
          index: 0,
          content_block: { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} },
        }),
        event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: nested } }),
        event('content_block_stop', { index: 0 }),
        event('message_delta', {
          delta: { stop_reason: 'tool_use', stop_sequence: null },
          usage: { output_tokens: 8 },
        }),
        event('message_stop', {}),
      ]),
    )
    // The second comes from the cache where they can be written.
    for (let round = 0; round < 2; round++) {
      const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }]
      const response = await gateway.chat({ model: 'same', stream: true, tools }, { 'cache-control': '' })
      const text = await response.text()
      t.ok(text.includes(nested.slice(9, -1)))
      t.match(text, /data: \[DONE\]\n\n$/)
    }
    t.equal(gateway.process.exitCode, null)
  },
)
