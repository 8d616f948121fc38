import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const messages = [{ role: 'user', content: 'Hello' }]
const tools = [{ type: 'function', function: { name: 'f' } }]

function sent(fields: JsonObject, model: string, maxOutputTokens?: number) {
  const request = chatCompletions.parseRequest({ model: 'auto', messages, ...fields })
  const { document, warnings } = chatCompletions.renderRequest(request, {
    model,
    provider: 'openai',
    maxOutputTokens,
    defaultMaxOutputTokens: undefined,
    stream: false,
    outputLimitField: 'max_completion_tokens',
  })
  const { model: _model, messages: _messages, ...rest } = document
  return { rest, fields: warnings.map(({ field }) => field) }
}

t.test('what a model refuses that the gateway has chosen is left out, with a warning', async (t) => {
  const asked = { temperature: 0.2, top_p: 0.5, presence_penalty: 1, stop: 'x', seed: 3, top_k: 4, max_tokens: 100 }
  t.strictSame(sent(asked, 'o4-mini'), {
    rest: { seed: 3, top_k: 4, max_completion_tokens: 100 },
    fields: ['temperature', 'top_p', 'stop', 'presence_penalty'],
  })
  t.strictSame(sent(asked, 'gpt-4o'), { rest: asked, fields: [] })
  t.strictSame(sent(asked, 'llama-3.3-70b'), { rest: asked, fields: [] })
  t.strictSame(sent({ ...asked, model: 'o4-mini' }, 'o4-mini'), { rest: asked, fields: [] }, 'who names it is told')
  const named = 'openai/o4-mini'
  t.strictSame(sent({ ...asked, model: named }, 'o4-mini'), { rest: asked, fields: [] }, 'with the provider, too')
  t.strictSame(sent({ temperature: 1, top_p: 1, max_tokens: null }, 'gpt-5'), {
    rest: { temperature: 1, max_tokens: null },
    fields: [],
  })
})

t.test('a limit keeps its amount under the name that the model takes', async (t) => {
  t.strictSame(sent({ max_tokens: 100 }, 'gpt-5', 50).rest, { max_completion_tokens: 50 })
  t.strictSame(sent({ max_tokens: 10 }, 'gpt-5', 50).rest, { max_completion_tokens: 10 })
  t.strictSame(sent({}, 'gpt-5', 50).rest, { max_completion_tokens: 50 })
  t.strictSame(sent({ max_tokens: 100, max_completion_tokens: 90 }, 'gpt-5', 50).rest, { max_completion_tokens: 50 })
})

t.test('an effort is said as the model takes it, or not at all', async (t) => {
  const effort = (fields: JsonObject, model: string) => sent(fields, model).rest.reasoning_effort
  t.equal(effort({ reasoning_effort: 'high' }, 'gpt-4o'), undefined)
  t.equal(effort({ reasoning_effort: 'minimal' }, 'o3'), 'low')
  t.equal(effort({ reasoning_effort: 'low' }, 'o3'), 'low')
  t.equal(effort({ reasoning_effort: 'ultra' }, 'o3'), 'ultra', "a word of another vendor's")
  t.equal(effort({ tools }, 'gpt-5.6'), 'none')
  t.equal(effort({ tools, model: 'gpt-5.6' }, 'gpt-5.6'), undefined)
  const reasoning = { effort: 'high' }
  t.strictSame(sent({ reasoning }, 'gpt-4o'), { rest: { reasoning }, fields: [] }, "OpenRouter's shape")
  t.strictSame(sent({ reasoning_effort: 'high' }, 'gpt-4o').fields, ['reasoning'])
})
