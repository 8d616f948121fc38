import t from 'tap'
import type { TextSpan } from '../../../../src/domain/completion/text-span.ts'
import { InvalidRequestError } from '../../../../src/domain/errors.ts'
import { renderRequestFor } from '../../../../src/domain/formats/registry.ts'
import { responses } from '../../../../src/domain/formats/responses/responses.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { fixture } from '../golden.ts'

const parse = (document: JsonObject) => responses.parseRequest(document)

function refused(document: JsonObject): { param: string | undefined; message: string } {
  try {
    parse(document)
  } catch (error) {
    if (error instanceof InvalidRequestError) return { param: error.details.param, message: error.message }
    throw error
  }
  return { param: 'nothing', message: 'was taken' }
}

const message = (content: JsonObject): JsonObject => ({ input: [{ role: 'user', content: [content] }] })

t.test('what cannot be understood is refused by its place', async (t) => {
  const cases: readonly (readonly [document: JsonObject, param: string])[] = [
    [{}, 'input'],
    [{ input: null }, 'input'],
    [{ input: [] }, 'input'],
    [
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'shell_call_output', call_id: '1', output: [] },
        ],
      },
      'input[1]',
    ],
    [{ input: 3 }, 'input'],
    [{ input: [{ type: 'web_search_call', id: 'ws_1' }] }, 'input[0]'],
    [{ input: [{ type: 'reasoning', summary: [] }] }, 'input'],
    [{ input: ['x'] }, 'input[0]'],
    [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ type: 'message', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ type: 3 }] }, 'input[0].type'],
    [{ input: [{ role: 'user' }] }, 'input[0].content'],
    [{ input: [{ role: 'user', content: ['x'] }] }, 'input[0].content[0]'],
    [message({ type: 'input_text' }), 'input[0].content[0].text'],
    [message({ type: 'input_image' }), 'input[0].content[0]'],
    [message({ type: 'input_file' }), 'input[0].content[0]'],
    [{ input: [{ type: 'function_call', call_id: '1', name: 'f' }] }, 'input[0].arguments'],
    [{ input: [{ type: 'custom_tool_call', call_id: '1', name: 'f' }] }, 'input[0].input'],
    [{ input: [{ type: 'function_call_output', call_id: '1' }] }, 'input[0].output'],
    [{ input: [{ type: 'function_call_output', output: 'x' }] }, 'input[0].call_id'],
    [{ input: 'x', instructions: ['y'] }, 'instructions'],
    [{ input: 'x', model: '' }, 'model'],
    [{ input: 'x', stream: 'yes' }, 'stream'],
    [{ input: 'x', max_output_tokens: 0 }, 'max_output_tokens'],
    [{ input: 'x', temperature: 'hot' }, 'temperature'],
    [{ input: 'x', tools: [{ type: 'function' }] }, 'tools[0].name'],
    [{ input: 'x', tools: [{ type: 'custom' }] }, 'tools[0].name'],
    [{ input: 'x', tools: [{}] }, 'tools[0].type'],
    [{ input: 'x', tools: [{ type: 'namespace' }] }, 'tools[0].name'],
    [
      { input: 'x', tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] },
      'tools[0].tools[0].name',
    ],
    [{ input: 'x', tools: [{ type: 'namespace', name: 'n', tools: 'x' }] }, 'tools[0].tools'],
    [{ input: 'x', tool_choice: 3 }, 'tool_choice'],
    [{ input: 'x', tool_choice: { type: 'function' } }, 'tool_choice.name'],
    [{ input: 'x', text: { format: { type: 'json_schema' } } }, 'text.format.name'],
    [{ input: 'x', reasoning: 'low' }, 'reasoning'],
    [{ input: 'x', Max_Output_Tokens: 3 }, 'Max_Output_Tokens'],
    [{ input: 'x', Previous_Response_Id: 'resp_1' }, 'Previous_Response_Id'],
  ]
  for (const [document, param] of cases) t.equal(refused(document).param, param, JSON.stringify(document))
})

t.test('what refers to something that the vendor keeps is refused, with what to do instead', async (t) => {
  const cases: readonly (readonly [document: JsonObject, param: string, instead: RegExp])[] = [
    [{ input: 'x', previous_response_id: 'resp_1' }, 'previous_response_id', /whole conversation in 'input'/],
    [{ input: 'x', conversation: { id: 'conv_1' } }, 'conversation', /whole conversation in 'input'/],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', /'instructions' or 'input'/],
    [{ input: 'x', background: true }, 'background', /wait/],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]', /'store: false'/],
    [{ input: [{ id: 'msg_1' }] }, 'input[0]', /'store: false'/],
  ]
  for (const [document, param, instead] of cases) {
    const { param: named, message: words } = refused(document)
    t.equal(named, param)
    t.match(words, instead)
  }
  t.ok(parse({ input: 'x', previous_response_id: null, conversation: null, background: false, prompt: null }))
})

t.test('instructions are the system prompt, and so is what stands first of system and developer', async (t) => {
  const { system, messages } = parse({
    instructions: 'a',
    input: [
      { role: 'system', content: 'b' },
      { role: 'developer', content: [{ type: 'input_text', text: 'c' }] },
      { role: 'user', content: 'd' },
      { role: 'system', content: 'e' },
    ],
  })
  t.strictSame(
    system.map(({ text }) => text),
    ['a', 'b', 'c'],
  )
  t.strictSame(
    messages.map(({ role }) => role),
    ['user', 'system'],
  )
  t.strictSame(parse({ input: [{ role: 'system', content: 'b' }] }).messages, [])
})

t.test('every text of a request is seen by the guardrails, with its scope', async (t) => {
  const document: JsonObject = JSON.parse(fixture('responses/requests/full.json'))
  const scopes: Record<string, string> = {}
  const spans: TextSpan[] = []
  responses.visitRequestText(document, (span) => {
    spans.push(span)
    if (span.isName !== true) scopes[span.text] = `${span.scope} ${span.role}`
    return span.text
  })
  t.match(scopes, {
    'You are a clerk.': 'system system',
    'Be short.': 'system system',
    'What is on these?': 'message user',
    'a.pdf': 'message user',
    'Two pictures.': 'message assistant',
    'Let me look.': 'message assistant',
    Rome: 'tool-input assistant',
    '*** Begin\n"x"': 'tool-input assistant',
    sunny: 'tool-output tool',
    done: 'tool-output tool',
    'Answer in German.': 'system system',
    'The weather of a city': 'tool-definition system',
    'Changes files': 'tool-definition system',
    lark: 'tool-definition system',
    'start: "*** Begin"': 'tool-definition system',
    'Tools of the server docs': 'tool-definition system',
    'Looks a word up': 'tool-definition system',
    a: 'parameter user',
    k: 'parameter user',
    'u-1': 'parameter user',
  })
  const hidden = ['gpt-5.2', 'call_1', 'fc_1', 'gAAAA', 'weather', 'mcp__docs', 'search', 'apply_patch', 'iVBORw0KGgo=']
  for (const text of hidden) t.notOk(text in scopes, text)
  // Masking each text and reading again finds what was put there.
  responses.visitRequestText(document, ({ text, isName }) => (isName ? text : `<${text}>`))
  const seen: string[] = []
  responses.visitRequestText(document, ({ text, isName }) => (isName || seen.push(text), text))
  t.ok(seen.every((text) => text.startsWith('<')))
  t.equal(seen.length, spans.filter(({ isName }) => isName !== true).length)
})

t.test('what a namespace holds beside functions and custom tools is left out and told', async (t) => {
  const inner = { type: 'namespace', name: 'm', tools: [{ type: 'function', name: 'f' }] }
  const tools = [{ type: 'namespace', name: 'n', tools: [inner, { type: 'custom', name: 'c' }] }]
  t.strictSame(
    parse({ input: 'x', tools }).tools.map(({ name }) => name),
    ['n__c'],
  )
  t.match(responses.unmodelledFields({ input: 'x', tools }), [{ field: 'tools[0].tools[0]' }])
})

t.test('what an item says beside what others can be given is told', async (t) => {
  const input: JsonObject[] = [
    { role: 'user', content: 'x', id: null, phase: null },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
    { role: 'assistant', content: 'Let me see.', phase: 'commentary', status: 'completed' },
    { type: 'function_call', call_id: 'c', name: 'f', namespace: 'n', arguments: '{}', caller: { type: 'direct' } },
    { type: 'function_call_output', call_id: 'c', output: 'y' },
  ]
  t.strictSame(
    responses.unmodelledFields({ input }).map(({ field }) => field),
    ['input[1].encrypted_content', 'input[2].phase', 'input[3].caller'],
  )
})

t.test('what chat completions has a field for, too, goes to OpenAI itself, and to nobody else', async (t) => {
  const asked: JsonObject = {
    input: 'x',
    prompt_cache_key: 'thread-7',
    prompt_cache_retention: '24h',
    service_tier: 'flex',
    text: { verbosity: 'low' },
    metadata: { team: 'a' },
  }
  const limits = { maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }
  const send = (document: JsonObject, model: string, dialect?: 'openai' | 'mistral') => {
    const rendered = renderRequestFor('chat-completions', parse(document), { ...limits, model, dialect })
    const { prompt_cache_key: key, prompt_cache_retention: kept, service_tier: tier, verbosity } = rendered.document
    return { sent: [key, kept, tier, verbosity], lost: rendered.warnings.map(({ field }) => field) }
  }
  t.strictSame(send(asked, 'gpt-5.5', 'openai'), { sent: ['thread-7', '24h', 'flex', 'low'], lost: ['metadata'] })
  const nothing = [undefined, undefined, undefined, undefined]
  const all = ['prompt_cache_key', 'prompt_cache_retention', 'service_tier', 'metadata', 'text.verbosity']
  t.strictSame(send(asked, 'gpt-5.5'), { sent: nothing, lost: all }, 'a compatible server')
  t.strictSame(send(asked, 'mistral-large-latest', 'mistral'), { sent: nothing, lost: all })
  t.strictSame(
    send({ input: 'x', prompt_cache_key: 'k'.repeat(65), text: { verbosity: 'low' } }, 'gpt-4o', 'openai'),
    { sent: nothing, lost: ['prompt_cache_key', 'text.verbosity'] },
    'what the vendor would refuse',
  )
  const { prompt_cache_retention: kept } = asked
  t.strictSame(
    send({ input: 'x', prompt_cache_retention: kept ?? null }, 'gpt-5.6', 'openai'),
    { sent: nothing, lost: ['prompt_cache_retention'] },
    'what the model would refuse',
  )
  for (const [service_tier, model] of [
    ['flex', 'gpt-4o'],
    ['ultrafast', 'gpt-5.6-sol'],
  ] as const)
    t.strictSame(send({ input: 'x', service_tier }, model, 'openai'), { sent: nothing, lost: ['service_tier'] })
})

t.test('what is said of a tool that others cannot be told is lost with a warning', async (t) => {
  const member = { type: 'function', name: 'g', parameters: {}, strict: true, defer_loading: true }
  const tools = [
    {
      type: 'function',
      name: 'f',
      description: 'd',
      async: true,
      output_schema: { type: 'string' },
      defer_loading: false,
    },
    { type: 'custom', name: 'c', format: { type: 'text' }, allowed_callers: ['programmatic'] },
    { type: 'namespace', name: 'n', tools: [member] },
  ]
  t.strictSame(
    responses.unmodelledFields({ input: 'x', tools }).map(({ field }) => field),
    ['tools[0].async', 'tools[0].output_schema', 'tools[1].allowed_callers', 'tools[2].tools[0].defer_loading'],
  )
})

t.test('a choice of a tool that is not there is refused, as the vendor does', async (t) => {
  const tools = [{ type: 'function', name: 'f' }, { type: 'web_search' }]
  const allowed = (...list: JsonObject[]) => ({ type: 'allowed_tools', mode: 'auto', tools: list })
  const [f, g] = [
    { type: 'function', name: 'f' },
    { type: 'function', name: 'g' },
  ]
  for (const [tool_choice, param] of [
    [g, 'tool_choice.name'],
    [{ type: 'custom', name: 'g' }, 'tool_choice.name'],
    [allowed(f, g), 'tool_choice.tools[1].name'],
    [allowed({ type: 'function' }), 'tool_choice.tools[0].name'],
  ] as const)
    t.equal(refused({ input: 'x', tools, tool_choice }).param, param)
  t.equal(refused({ input: 'x', tool_choice: f }).param, 'tool_choice.name', 'there is none')
  const others = allowed(f, { type: 'web_search' }, { type: 'mcp', server_label: 'x', name: 'y' })
  t.strictSame(parse({ input: 'x', tools, tool_choice: others }).toolChoice, { type: 'auto', among: ['f'] })
})

t.test('a tool of a namespace that would be offered under the name of another tool is refused', async (t) => {
  const [own, twin] = [
    { type: 'function', name: 'a__b' },
    { type: 'function', name: 'b' },
  ]
  const space = (name: string, ...tools: JsonObject[]) => ({ type: 'namespace', name, tools })
  for (const tools of [
    [own, space('a', twin)],
    [space('a', twin), own],
    [space('a', { type: 'function', name: 'b__c' }), space('a__b', { type: 'custom', name: 'c' })],
  ])
    t.strictSame(refused({ input: 'x', tools }).param, 'tools')
  t.equal(parse({ input: 'x', tools: [twin, space('a', twin), space('b', twin)] }).tools.length, 3)
  t.equal(parse({ input: 'x', tools: [own, own] }).tools.length, 2, "the vendor's to refuse")
})

t.test('a choice names a tool of a namespace by both names', async (t) => {
  const members = [
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'c' },
  ]
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'namespace', name: 'n', tools: members },
  ]
  const choice = (fields: JsonObject) => parse({ input: 'x', tools, tool_choice: fields }).toolChoice
  t.strictSame(choice({ type: 'function', name: 'f' }), { type: 'tool', name: 'f' })
  t.strictSame(choice({ type: 'function', name: 'n.f' }), { type: 'tool', name: 'n__f' })
  t.strictSame(choice({ type: 'custom', name: 'n.c' }), { type: 'tool', name: 'n__c' })
  const allowed = [
    { type: 'function', name: 'n.f' },
    { type: 'function', name: 'f' },
  ]
  t.strictSame(choice({ type: 'allowed_tools', mode: 'required', tools: allowed }), {
    type: 'required',
    among: ['n__f', 'f'],
  })
})

t.test('forced JSON adds to the orders and to the conversation, and leaves the document alone', async (t) => {
  const turns = [{ role: 'user', text: 'again' }] as const
  const document: JsonObject = { input: 'x', instructions: 'a', text: { verbosity: 'low' } }
  const revised = responses.reviseRequest(document, { responseFormat: { type: 'json' }, instruction: 'b', turns })
  t.strictSame(revised, {
    input: [
      { role: 'user', content: 'x' },
      { role: 'user', content: 'again' },
    ],
    instructions: 'a\n\nb',
    text: { verbosity: 'low', format: { type: 'json_object' } },
  })
  t.strictSame(document, { input: 'x', instructions: 'a', text: { verbosity: 'low' } })
  const items = [
    { role: 'developer', content: 'a' },
    { role: 'user', content: 'x' },
  ]
  t.strictSame(responses.reviseRequest({ input: items }, { instruction: 'b' }).input, [
    items[0],
    { role: 'developer', content: 'b' },
    items[1],
  ])
  t.strictSame(responses.reviseRequest({ input: 'x' }, { instruction: 'b' }), { input: 'x', instructions: 'b' })
})
