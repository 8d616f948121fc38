import t from 'tap'
import type { RenderTarget } from '../../../../src/domain/formats/format.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const user = { role: 'user', content: 'Hello' }
const TARGET = { model: 'm', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }

/** What an Anthropic client's request becomes. */
function fromMessages(document: JsonObject, target: Partial<RenderTarget> = {}) {
  const request = messages.parseRequest({ max_tokens: 100, messages: [user], ...document })
  return chatCompletions.renderRequest(request, { ...TARGET, ...target })
}

t.test('the schema of a tool without arguments has properties, which OpenAI demands', async (test) => {
  const parameters = (schema: JsonObject) =>
    fromMessages({ tools: [{ name: 'f', input_schema: schema }] }).document.tools
  const tool = (schema: JsonObject) => [{ type: 'function', function: { name: 'f', parameters: schema } }]
  const closed = { type: 'object', additionalProperties: false }
  test.strictSame(parameters({ type: 'object' }), tool({ type: 'object', properties: {} }))
  test.strictSame(parameters(closed), tool({ ...closed, properties: {} }))
  const full = { type: 'object', properties: { a: { type: 'object' } } }
  test.strictSame(parameters(full), tool(full))
})
