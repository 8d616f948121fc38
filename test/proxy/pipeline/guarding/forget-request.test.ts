import t from 'tap'
import { clientFormatOf, formatOf } from '../../../../src/domain/formats/registry.ts'
import type { FormatName } from '../../../../src/domain/completion/request.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { MOST_TOOLS, ToolNames } from '../../../../src/domain/formats/tool-names.ts'
import { forgetContents } from '../../../../src/proxy/pipeline/guarding/forget-request.ts'

const DOCUMENTS: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    n: 2,
    max_tokens: 7,
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'a long text' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'a long text' } }],
  },
  messages: {
    model: 'm',
    stream: true,
    max_tokens: 7,
    system: 'be brief',
    messages: [{ role: 'user', content: 'a long text' }],
    tools: [{ name: 'f', description: 'a long text', input_schema: {} }],
  },
  'generate-content': {
    systemInstruction: { parts: [{ text: 'be brief' }] },
    contents: [{ role: 'user', parts: [{ text: 'a long text' }] }],
    generationConfig: { maxOutputTokens: 7 },
  },
  responses: {
    model: 'm',
    stream: true,
    max_output_tokens: 7,
    instructions: 'be brief',
    input: 'a long text',
    tools: [
      {
        type: 'namespace',
        name: 'n',
        description: 'a long text',
        tools: [{ type: 'custom', name: 'f', description: 'a long text' }],
      },
    ],
  },
}

for (const name of ['chat-completions', 'messages', 'generate-content', 'responses'] as const) {
  t.test(`of a request in ${name} nothing stays but what says how it is to be answered`, async (t) => {
    const document = structuredClone(DOCUMENTS[name])
    const request = clientFormatOf(name).parseRequest(document, { model: 'm', stream: true })
    const { model, stream, streamUsage, sampling } = structuredClone(request)
    const guarded = { request, bytes: new Uint8Array(3), redactions: undefined, restorer: undefined }
    forgetContents(guarded)
    t.equal(guarded.bytes, undefined)
    t.strictSame(document, {})
    t.notMatch(JSON.stringify(request), 'a long text')
    t.match(request, { model, stream, streamUsage, sampling })
  })
}

t.test('a tool of a namespace that takes a text does so in the answer of a request that is forgotten', async (t) => {
  const { parseRequest, createStreamEncoder } = clientFormatOf('responses')
  const request = parseRequest(structuredClone(DOCUMENTS.responses), {})
  forgetContents({ request, bytes: undefined, redactions: undefined, restorer: undefined })
  const encoder = createStreamEncoder({ request, model: 'm', nowSeconds: 1, requestId: 'r' })
  const call = { type: 'tool-input-start', choice: 0, id: 'c', toolCallId: '1', toolName: 'n__f' } as const
  const said = JSON.stringify(encoder.push(call))
  t.match(said, 'custom_tool_call')
  t.match(said, '"namespace\\":\\"n\\",\\"name\\":\\"f\\"')
})

t.test('names of tools stay, for the calls in the answer, but not those of more than any vendor takes', async (t) => {
  const kept = (count: number) => {
    const tools = Array.from({ length: count }, (_unused, index) => ({ name: `f${index}`, input_schema: {} }))
    const request = formatOf('messages').parseRequest(
      { max_tokens: 7, messages: [{ role: 'user', content: 'a' }], tools },
      { model: 'm', stream: true },
    )
    forgetContents({ request, bytes: undefined, redactions: undefined, restorer: undefined })
    return request.tools.length
  }
  t.equal(kept(MOST_TOOLS), MOST_TOOLS)
  t.equal(kept(MOST_TOOLS + 1), 0)
})

t.test('of what may be called and where the answer ends nothing stays that its calls do not need', async (t) => {
  const names = ['a', 'b']
  const document = {
    contents: [{ role: 'user', parts: [{ text: 'a' }] }],
    tools: [{ functionDeclarations: names.map((name) => ({ name })) }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: names } },
    generationConfig: { stopSequences: names },
  }
  const request = formatOf('generate-content').parseRequest(document, { model: 'm', stream: true })
  t.match(request, { toolChoice: { among: names }, sampling: { stop: names } })
  forgetContents({ request, bytes: undefined, redactions: undefined, restorer: undefined })
  t.strictSame(request.toolChoice, { type: 'required' })
  t.equal(request.sampling.stop, undefined)
})

t.test('a choice of one of more tools than any vendor takes gives no name of theirs to another', async (t) => {
  const tools = Array.from({ length: MOST_TOOLS }, (_unused, index) => ({ name: `f${index}` }))
  const functions = [...tools, { name: 'ns_tool' }].map((tool) => ({ type: 'function', function: tool }))
  const request = formatOf('chat-completions').parseRequest(
    {
      messages: [{ role: 'user', content: 'a' }],
      tools: functions,
      tool_choice: { type: 'function', function: { name: 'ns.tool' } },
    },
    { model: 'm', stream: true },
  )
  forgetContents({ request, bytes: undefined, redactions: undefined, restorer: undefined })
  t.equal(ToolNames.of(request, formatOf('messages').toolNames), undefined)
})
