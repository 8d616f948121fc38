import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import type { JsonObject, JsonValue } from '../../../../src/domain/json.ts'

const user = (content: JsonValue): JsonObject => ({ role: 'user', content })
const assistant = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content })
const thinking = (text: string): JsonObject => ({ type: 'thinking', thinking: text, signature: 's' })
const redacted: JsonObject = { type: 'redacted_thinking', data: 'x' }
const text: JsonObject = { type: 'text', text: 'Fine.' }
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: id })

function sent(model: string, ...list: JsonObject[]) {
  const request = messages.parseRequest({ max_tokens: 9, messages: list })
  const { document, warnings } = chatCompletions.renderRequest(request, {
    model,
    maxOutputTokens: undefined,
    defaultMaxOutputTokens: undefined,
    stream: false,
  })
  const answers = (document.messages as JsonObject[]).filter(({ role }) => role === 'assistant')
  return { thinking: answers.map((answer) => answer.reasoning_content), warned: warnings.map(({ field }) => field) }
}

const LOOP = [
  user('Hi'),
  assistant(thinking('I '), thinking('look.'), use('a')),
  user([result('a')]),
  assistant(text, use('b')),
  user([result('b')]),
  assistant(thinking('Done.'), text),
  user('And?'),
]

t.test('DeepSeek gets the thinking back with which its model called tools, a space where there was none', async (t) => {
  t.strictSame(sent('deepseek-chat', ...LOOP), { thinking: ['I look.', ' ', 'Done.'], warned: [] })
  t.strictSame(sent('gpt-5.2', ...LOOP), {
    thinking: [undefined, undefined, undefined],
    warned: ['messages[1].thinking', 'messages[5].thinking'],
  })
})

t.test('what is encrypted, and what stands alone, is left out with a warning', async (t) => {
  const turn = sent('deepseek-chat', assistant(redacted, use('a')), user([result('a')]), assistant(thinking('Hm.')))
  t.strictSame(turn, { thinking: [' '], warned: ['messages[0].thinking', 'messages[2].thinking'] })
})

t.test('a conversation without calls needs none', async (t) => {
  const turn = sent('deepseek-chat', user('Hi'), assistant(thinking('Hm.'), text), user('And?'))
  t.strictSame(turn, { thinking: [undefined], warned: ['messages[1].thinking'] })
})

const NAMES: Readonly<Record<string, boolean>> = {
  'deepseek-chat': true,
  'deepseek-reasoner': true,
  'deepseek-v4-pro': true,
  'deepseek/deepseek-v4-flash:free': true,
  'deepseek-ai/DeepSeek-V3.2': true,
  'deepseek-v3-2-251201': true,
  'deepseek-v3-250324': false,
  'deepseek-v3-1-250821': false,
  'deepseek-ai/DeepSeek-V3.1': false,
  'deepseek-v3': false,
  'deepseek-r1:8b': false,
  'deepseek-r1-distill-llama-70b': false,
  'deepseek-coder-v2': false,
  'gpt-5.2': false,
  'my-deepseek': false,
}

for (const [name, isSent] of Object.entries(NAMES)) {
  t.test(`${name} ${isSent ? 'demands' : 'takes no'} earlier thinking`, async (t) => {
    t.equal(sent(name, ...LOOP).thinking[0], isSent ? 'I look.' : undefined)
  })
}
