import t from 'tap'
import { chatCompletions } from '../../../src/domain/formats/chat-completions/chat-completions.ts'
import { renderRequestFor } from '../../../src/domain/formats/registry.ts'
import { asArray, asObject, type JsonObject } from '../../../src/domain/json.ts'

const user = (content: string | JsonObject[]): JsonObject => ({ role: 'user', content })
const assistant = { role: 'assistant', content: 'Well?' }
const sound = user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])

/** The roles of the turns, the last one's text, and the fields of the warnings. */
function sent(format: 'messages' | 'generate-content', ...list: JsonObject[]) {
  const { document, warnings } = renderRequestFor(format, chatCompletions.parseRequest({ messages: list }), {
    model: format === 'messages' ? 'claude-sonnet-4-5' : 'gemini-2.5-flash',
    maxOutputTokens: undefined,
    defaultMaxOutputTokens: 100,
    stream: false,
  })
  const turns = asArray(document.messages ?? document.contents).map((turn) => asObject(turn) ?? {})
  const content = turns.at(-1)?.content ?? turns.at(-1)?.parts
  return {
    roles: turns.map(({ role }) => role),
    text: typeof content === 'string' ? content : asObject(asArray(content)[0])?.text,
    fields: warnings.map(({ field }) => field),
  }
}

for (const format of ['messages', 'generate-content'] as const) {
  const model = format === 'messages' ? 'assistant' : 'model'
  const text = '(The message is empty.)'

  t.test(`an empty message is sent to ${format} as a text that says so`, async (test) => {
    for (const content of ['', [], [{ type: 'text', text: '' }]]) {
      test.strictSame(sent(format, user(content)), { roles: ['user'], text, fields: ['messages[0]'] })
    }
  })

  t.test(`an empty message at the end leaves ${format} no answer to go on with`, async (test) => {
    const roles = ['user', model, 'user']
    test.strictSame(sent(format, user('x'), assistant, user('')), { roles, text, fields: ['messages[2]'] })
  })

  t.test(`an empty message beside others is left out for ${format}`, async (test) => {
    test.strictSame(sent(format, user('x'), user('')), { roles: ['user'], text: 'x', fields: [] })
    const answered = sent(format, user('x'), user(''), assistant)
    test.strictSame(answered, { roles: ['user', model], text: 'Well?', fields: [] })
    const system = { role: 'system', content: 'Speak.' }
    test.match(sent(format, system, user('')), { roles: ['user'], text: 'Speak.' })
  })
}

t.test('what a format cannot carry is no empty message', async (test) => {
  test.strictSame(sent('messages', sound), { roles: [], text: undefined, fields: ['messages[0].content[0]'] })
})
