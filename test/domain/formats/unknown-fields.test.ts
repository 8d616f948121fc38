import t from 'tap'
import type { FormatName } from '../../../src/domain/completion/request.ts'
import type { TextSpan } from '../../../src/domain/completion/text-span.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const EMAIL = 'bob@b.example'

/** What a server that speaks a format of another vendor may put into the prompt. */
const UNKNOWN: JsonObject = {
  chat_template_kwargs: { note: EMAIL, documents: [{ [EMAIL]: EMAIL }], enable_thinking: false, n: 3 },
  chat_template: `{{ '${EMAIL}' }}`,
  guided_json: { type: 'object', properties: { a: { enum: [EMAIL] } } },
  suffix: EMAIL,
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
  const document: JsonObject = { model: 'm', messages: [], guided_regex: EMAIL, guided_grammar: EMAIL, seed: 1, n: 2 }
  const visited: string[] = []
  formatOf('chat-completions').visitRequestText(document, ({ text }) => (visited.push(text), text))
  t.strictSame(visited, [])
})
