/** Specification section 4.1: LangChain for JavaScript, an orchestration library over the first adapter. */
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import t from 'tap'
import { chatCompletion, chatStream, sse, SSE_DONE } from '../helpers/answers.ts'
import { ok, status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const CAPABILITIES = 'capabilities: [chat, streaming, tools]'

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({ name: 'p', url: upstream.url, models: [`{ name: m, ${CAPABILITIES} }`] }),
      provider({ name: 'q', url: upstream.url, priority: 200, models: [`{ name: backup, ${CAPABILITIES} }`] }),
      virtualKey(),
    ),
  },
})

/** `headers` go out with every call, as an application sets control headers. */
function chat(options: { model?: string; headers?: Record<string, string>; apiKey?: string } = {}) {
  return new ChatOpenAI({
    model: options.model ?? 'm',
    apiKey: options.apiKey ?? KEY,
    maxRetries: 0,
    configuration: {
      baseURL: `${gateway.url}/adapters/openai/v1`,
      ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    },
  })
}

t.test('a whole answer with its usage', async (t) => {
  upstream.enqueue(ok(chatCompletion('good day')))
  const answer = await chat().invoke([new SystemMessage('be kind'), new HumanMessage('hello')])
  t.equal(answer.text, 'good day')
  t.match(answer.usage_metadata, { input_tokens: 5, output_tokens: 3 })
  t.match(upstream.requests.at(-1)?.json, { model: 'm', messages: [{ content: 'be kind' }, { content: 'hello' }] })
})

t.test('a stream with the usage that LangChain asks for', async (t) => {
  upstream.enqueue(stream(chatStream(['good ', 'day'])))
  const chunks = await Array.fromAsync(await chat().stream('hello, slowly'))
  t.equal(chunks.map((chunk) => chunk.text).join(''), 'good day')
  t.match(chunks.reduce((sum, chunk) => sum.concat(chunk)).usage_metadata, { input_tokens: 5, output_tokens: 3 })
})

t.test('a tool call, whole and streamed', async (t) => {
  const weather = {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  }
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }
  const expected = { name: 'weather', args: { city: 'Rome' }, id: 'call_1' }
  const model = chat().bindTools([weather])

  const message = { role: 'assistant', content: null, tool_calls: [call] }
  upstream.enqueue(
    ok({ ...chatCompletion(''), choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }] }),
  )
  t.match((await model.invoke('what is the weather?')).tool_calls, [expected])
  t.match(upstream.requests.at(-1)?.json, { tools: [weather] })

  const part = (toolCall: object, finishReason: string | null = null) =>
    sse({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', tool_calls: [{ index: 0, ...toolCall }] },
          finish_reason: finishReason,
        },
      ],
    })
  upstream.enqueue(
    stream([
      part({ ...call, function: { name: 'weather', arguments: '' } }),
      part({ function: { arguments: '{"city":' } }),
      part({ function: { arguments: '"Rome"}' } }, 'tool_calls'),
      SSE_DONE,
    ]),
  )
  const chunks = await Array.fromAsync(await model.stream('and tomorrow?'))
  t.match(chunks.reduce((sum, chunk) => sum.concat(chunk)).tool_calls, [expected])
})

t.test('control headers as default headers of the client', async (t) => {
  upstream.enqueueFor({ model: 'backup' }, ok(chatCompletion('from the other')))
  const answer = await chat({ model: 'auto', headers: { 'X-LLM-Exclude-Providers': 'p' } }).invoke('hello, other')
  t.equal(answer.text, 'from the other')
})

t.test('a failover is invisible', async (t) => {
  upstream.enqueueFor({ model: 'm' }, status(500))
  upstream.enqueueFor({ model: 'backup' }, ok(chatCompletion('from the backup')))
  t.equal((await chat().invoke('hello, backup')).text, 'from the backup')
})

t.test('refusals arrive as errors with their status', async (t) => {
  const statusOf = (model: ChatOpenAI) =>
    model.invoke('hello').then(
      () => 200,
      (error: { status?: unknown }) => error.status,
    )
  t.equal(await statusOf(chat({ apiKey: 'none' })), 401)
  t.equal(await statusOf(chat({ model: 'nothing' })), 404)
  t.equal(await statusOf(chat({ headers: { 'X-LLM-Flags': 'pii-saf' } })), 400)
})
