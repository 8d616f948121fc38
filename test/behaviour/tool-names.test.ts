/** DESIGN: every adapter reaches every provider, also with tools whose names the vendor behind it would refuse. */
import t from 'tap'
import { asArray, asObject, asString } from '../../src/domain/json.ts'
import { sse, SSE_DONE } from '../helpers/answers.ts'
import { ok, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type Exchange } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

/** Anthropic takes up to 128 characters, OpenAI 64. */
const NAME = `mcp__a_server_with_a_long_name__${'x'.repeat(60)}`
const MODEL = '{ name: m, capabilities: [chat, tools, streaming] }'
/** Above what is read at once: such a request is forgotten when its stream has begun. */
const LARGE = 'word '.repeat(30_000)

t.test('a tool is called by the name that the client gave it, whole, streamed, and from the cache', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise((exchange) => callsTheTool(exchange)(exchange))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(provider({ name: 'openai', type: 'OpenAI', url: upstream.url, models: [MODEL] }), virtualKey()),
    },
  })
  const ask = async (content: string, isStream: boolean) => {
    const response = await fetch(`${gateway.url}/adapters/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'm',
        max_tokens: 10,
        stream: isStream,
        messages: [{ role: 'user', content }],
        tools: [{ name: NAME, input_schema: { type: 'object' } }],
      }),
    })
    const text = await response.text()
    t.equal(response.status, 200, text)
    return { text, cache: response.headers.get('x-gateway-cache') }
  }
  for (const [content, isStream] of [
    ['a', false],
    ['b', true],
    [LARGE, true],
  ] as const) {
    t.match(
      (await ask(content, isStream)).text,
      `"name":"${NAME}"`,
      `${content.length} characters, stream: ${isStream}`,
    )
  }
  const again = await ask('a', true)
  t.match(again, { text: `"name":"${NAME}"`, cache: 'hit-l1' })
  t.equal(upstream.requests.length, 3)
})

/** It refuses a tool's name as OpenAI does, and calls the first tool otherwise. */
function callsTheTool({ request }: Exchange) {
  const [tool] = asArray(request.json?.['tools'])
  const name = asString(asObject(asObject(tool)?.['function'])?.['name']) ?? ''
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw new Error(`the name of a tool: ${name}`)
  const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: '{}' } }
  const answer = { id: 'a', object: 'chat.completion', created: 1, model: 'm' }
  if (request.json?.['stream'] !== true)
    return ok({
      ...answer,
      choices: [
        { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    })
  const chunk = (delta: object, finish: string | null) =>
    sse({
      ...answer,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { ...delta }, finish_reason: finish }],
    })
  return stream([chunk({ role: 'assistant', tool_calls: [call] }, null), chunk({}, 'tool_calls'), SSE_DONE])
}
