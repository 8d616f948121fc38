import t from 'tap'
import type { FormatName } from '../../../src/domain/completion/request.ts'
import type { TextSpan } from '../../../src/domain/completion/text-span.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const EMAIL = 'bob@b.example'

/** What a server that speaks a format of another vendor may put into the prompt. */
const UNKNOWN: JsonObject = {
  chat_template_kwargs: { note: EMAIL, documents: [{ [EMAIL]: EMAIL }], customer_id: EMAIL, id: EMAIL, n: 3 },
  chat_template: `{{ '${EMAIL}' }}`,
  suffix: EMAIL,
  user_id: EMAIL,
  type: EMAIL,
  [EMAIL]: 1,
}

const REQUESTS: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': { model: 'm', messages: [], instructions: EMAIL },
  messages: { model: 'm', max_tokens: 1, messages: [], prompt: EMAIL },
  'generate-content': { contents: [], input: EMAIL },
}

for (const [name, known] of Object.entries(REQUESTS)) {
  const format = formatOf(name as FormatName)
  t.test(`${name}: fields of the request that the vendor does not know are texts of the user`, async (t) => {
    const document: JsonObject = { ...structuredClone(known), ...structuredClone(UNKNOWN) }
    const spans: TextSpan[] = []
    const changed = format.visitRequestText(document, (span) => {
      spans.push(span)
      return span.text.replaceAll(EMAIL, '[[X]]')
    })
    t.ok(changed)
    const expected = JSON.stringify({ ...known, ...UNKNOWN }).replaceAll(EMAIL, '[[X]]')
    t.strictSame(document, JSON.parse(expected))
    t.strictSame(new Set(spans.map(({ scope, role }) => `${scope} ${role}`)), new Set(['message user']))
  })
}

t.test('grammars and settings stay as they are', async (t) => {
  const document: JsonObject = {
    model: 'm',
    messages: [],
    guided_regex: EMAIL,
    guided_grammar: EMAIL,
    grammar: EMAIL,
    ebnf: EMAIL,
    regex: EMAIL,
    structured_outputs: { regex: EMAIL, grammar: EMAIL, structural_tag: EMAIL },
    guided_json: { properties: { [EMAIL]: { pattern: EMAIL } }, required: [EMAIL] },
    data_sources: [
      { type: 'azure_search', parameters: { authentication: { type: 'api_key', key: EMAIL }, endpoint: EMAIL } },
    ],
    tools: [{ type: 'function', function: { name: EMAIL, parameters: { properties: { [EMAIL]: {} } }, strict: true } }],
    seed: 1,
    n: 2,
  }
  const visited: string[] = []
  formatOf('chat-completions').visitRequestText(document, ({ text }) => (visited.push(text), text))
  t.strictSame(visited, [])
})

t.test('the words beside them are texts', async (t) => {
  const schema = { properties: { a: { description: EMAIL, enum: [EMAIL] } } }
  const document: JsonObject = {
    model: 'm',
    messages: [],
    guided_json: schema,
    json_schema: JSON.stringify(schema),
    structured_outputs: { json: schema, choice: [EMAIL] },
    data_sources: [{ parameters: { role_information: EMAIL, filter: `author eq '${EMAIL}'` } }],
    tools: [{ type: 'function', function: { name: 'f', note: { [EMAIL]: EMAIL } } }],
  }
  const expected = JSON.stringify(document).replaceAll(EMAIL, '[[X]]')
  formatOf('chat-completions').visitRequestText(document, ({ text }) => text.replaceAll(EMAIL, '[[X]]'))
  t.strictSame(document, JSON.parse(expected))
})
