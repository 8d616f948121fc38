import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
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
