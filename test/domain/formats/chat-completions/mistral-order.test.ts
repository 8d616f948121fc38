import t from 'tap'
import type { TranslationWarning } from '../../../../src/domain/completion/request.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { inItsOrder } from '../../../../src/domain/formats/chat-completions/mistral-order.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const user = { role: 'user', content: 'Hello' }
const system = { role: 'system', content: 'Be brief.' }
const said = { role: 'assistant', content: 'Well' }
const call = { id: 'abcdef123', type: 'function', function: { name: 'f', arguments: '{}' } }
const called = { role: 'assistant', content: '', tool_calls: [call] }
const result = { role: 'tool', tool_call_id: 'abcdef123', content: '5' }
const bridge = { role: 'assistant', content: 'OK.' }
const goOn = { role: 'user', content: '(Continue.)' }
const prefix = { ...said, prefix: true }
const late = { role: 'user', content: 'Be brief.' }

function ordered(messages: JsonObject[]) {
  const warnings: TranslationWarning[] = []
  return { messages: inItsOrder(messages, warnings), fields: warnings.map(({ field }) => field) }
}

t.test('messages go in the order that Mistral takes', async (t) => {
  const cases: [string, JsonObject[], JsonObject[], string[]][] = [
    ['as they are', [system, user, said, user, system, user], [system, user, said, user, system, user], []],
    ['calls and results', [user, called, result], [user, called, result], []],
    ['several results', [user, called, result, result, said, user], [user, called, result, result, said, user], []],
    ['a user behind a tool', [user, called, result, user], [user, called, result, bridge, user], ['messages[3]']],
    ['a system behind the model', [user, said, system, user], [user, said, late, user], ['messages[2]']],
    ['at the end', [user, system], [user, late], ['messages[1]']],
    [
      'behind a tool',
      [user, called, result, system],
      [user, called, result, bridge, late],
      ['messages[3]', 'messages[3]'],
    ],
    ["the model's last word", [user, said], [user, said, goOn], ['messages[1]']],
    ['a prefix of its own', [user, prefix], [user, prefix], []],
    ['an empty turn', [user, { ...said, content: '' }, user], [user, user], []],
    ['an empty turn at the end', [user, { ...said, content: null }], [user], []],
    ['an instruction before one', [user, system, { ...said, content: '' }], [user, late], ['messages[1]']],
    ['its calls', [user, called], [user, called], []],
  ]
  for (const [name, messages, expected, fields] of cases)
    t.strictSame(ordered(messages), { messages: expected, fields }, name)
})

t.test('of a client that did not name the model, with a temperature that it takes', async (t) => {
  const sent = (model: string) => {
    const request = chatCompletions.parseRequest({ model, messages: [user, said], temperature: 1.8 })
    const target = {
      model: 'mistral-large-latest',
      maxOutputTokens: undefined,
      defaultMaxOutputTokens: undefined,
      stream: false,
    }
    const { document, warnings } = chatCompletions.renderRequest(request, { ...target, dialect: 'mistral' })
    return [document.messages, document.temperature, warnings.map(({ field }) => field)]
  }
  t.strictSame(sent('auto'), [[user, said, goOn], 1.5, ['messages[1]', 'temperature']])
  t.strictSame(sent('mistral-large-latest'), [[user, said], 1.8, []], 'who names it is told')
})
