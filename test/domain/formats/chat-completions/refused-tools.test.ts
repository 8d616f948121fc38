import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { messages as anthropic } from '../../../../src/domain/formats/messages/messages.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const messages = [{ role: 'user', content: 'Hello' }]
const tools = [{ type: 'function', function: { name: 'f' } }]
const functions = [{ name: 'f' }]

function refusal(fields: JsonObject, model: string, dialect?: 'mistral') {
  const request = chatCompletions.parseRequest({ model: 'auto', messages, ...fields })
  return chatCompletions.refusesTools(request, { model, dialect })
}

t.test('models that call functions over another interface only are told by their names', async (t) => {
  for (const model of ['gpt-6-astra', 'gpt-6.1-sol', 'gpt-6.1-sol-2026-10-01']) {
    t.match(refusal({ tools }, model), 'no function tools', model)
    t.match(refusal({ functions }, model), 'no function tools', model)
    t.equal(refusal({}, model), undefined)
  }
  for (const model of [
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-6.1-terra',
    'gpt-5.6',
    'gpt-6-chat-latest',
    'openai/gpt-6-astra',
    'llama',
  ])
    t.equal(refusal({ tools }, model), undefined, model)
})

t.test("Mistral's API knows no `functions`", async (t) => {
  t.match(refusal({ functions }, 'mistral-large-latest', 'mistral'), 'functions')
  t.equal(refusal({ functions, tools }, 'mistral-large-latest', 'mistral'), undefined, 'both: the newer ones are read')
  t.equal(refusal({ tools }, 'mistral-large-latest', 'mistral'), undefined)
  t.equal(refusal({ functions }, 'mistral-large-latest'), undefined, 'served by others')
})

t.test(
  "names that OpenAI's API, Mistral's and DeepSeek's refuse are a client's of its format for other servers",
  async (t) => {
    const named = (name: string) => ({ tools: [{ type: 'function', function: { name } }] })
    for (const name of ['ns.tool', 'a:b', 'x'.repeat(65), 'été']) {
      t.match(refusal(named(name), 'gpt-4o'), 'names of tools', name)
      t.match(refusal(named(name), 'mistral-large-latest', 'mistral'), 'names of tools', name)
      t.match(refusal(named(name), 'deepseek-flash'), 'names of tools', name)
      t.equal(refusal(named(name), 'deepseek-ai/DeepSeek-V3.2'), undefined, 'served by others')
      t.equal(refusal(named(name), 'mistral-large-latest'), undefined, 'served by others')
      t.equal(refusal(named(name), 'openai/gpt-4o'), undefined)
      t.equal(refusal(named(name), 'qwen3'), undefined)
    }
    for (const name of ['f', 'a-b_C9', 'x'.repeat(64)]) t.equal(refusal(named(name), 'gpt-4o'), undefined, name)
    const other = anthropic.parseRequest(
      { model: 'm', max_tokens: 9, messages, tools: [{ name: 'x'.repeat(65), input_schema: { type: 'object' } }] },
      {},
    )
    t.equal(chatCompletions.refusesTools(other, { model: 'gpt-4o' }), undefined, 'it is renamed')
  },
)
