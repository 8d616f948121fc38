import t from 'tap'
import type { RenderTarget } from '../../../../src/domain/formats/format.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { canBeStrict } from '../../../../src/domain/formats/chat-completions/strict-schema.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import type { JsonObject, JsonValue } from '../../../../src/domain/json.ts'

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

/** An object of `properties`, closed, all of them required. */
const closed = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const text = { type: 'string' }

t.test(
  'strict is sent with schemas that OpenAI is strict about, and left out with a warning of others',
  async (test) => {
    const sent = (schema: JsonObject) => {
      const { document, warnings } = fromMessages({
        tools: [{ name: 'f', input_schema: schema, strict: true }],
        output_config: { format: { type: 'json_schema', schema } },
      })
      test.match(document, {
        response_format: { json_schema: { schema } },
        tools: [{ function: { parameters: schema } }],
      })
      return { document, fields: warnings.map(({ field }) => field) }
    }
    const kept = sent(closed({ a: text }))
    test.match(kept.document, {
      response_format: { json_schema: { strict: true } },
      tools: [{ function: { strict: true } }],
    })
    test.strictSame(kept.fields, [])
    const lost = sent({ ...closed({ a: text, b: text }), required: ['a'] })
    test.notMatch(JSON.stringify(lost.document), 'strict')
    test.strictSame(lost.fields.toSorted(), ['response_format', 'tools[0].strict'])
  },
)

t.test('a client’s own request to a server of its format keeps its strict', async (test) => {
  const json_schema = { name: 'n', strict: true, schema: { type: 'object', properties: { a: text } } }
  const document = { model: 'm', messages: [user], response_format: { type: 'json_schema', json_schema } }
  test.equal(chatCompletions.renderRequest(chatCompletions.parseRequest(document), TARGET).document, document)
})

t.test('which schemas OpenAI is strict about', async (test) => {
  const inner: [taken: boolean, schema: JsonValue][] = [
    [true, text],
    [true, { type: ['string', 'null'] }],
    [true, { enum: ['a'] }],
    [true, { type: 'string', format: 'date', pattern: '^a', minLength: 1 }],
    [true, { type: 'array', items: closed({ b: text }), minItems: 2 }],
    [true, { anyOf: [closed({ b: text }), { type: 'null' }] }],
    [true, { ...closed({ b: text }), type: ['object', 'null'] }],
    [true, { $ref: '#/$defs/a' }],
    [true, closed({ allOf: text })],
    [false, { $ref: '#/$defs/a', description: 'd' }],
    [false, { type: 'object' }],
    [false, { ...closed({ b: text }), additionalProperties: {} }],
    [false, { ...closed({ b: text }), required: [] }],
    [false, { type: ['object', 'null'], properties: { b: text } }],
    [false, { properties: { b: text } }],
    [false, { allOf: [closed({ b: text })] }],
    [false, { type: 'array', items: { type: 'object' } }],
    [false, { anyOf: [{ type: 'object' }, { type: 'null' }] }],
    [false, { type: 'array', items: text, uniqueItems: true }],
    [false, { type: 'string', format: 'uri' }],
    [false, { type: 'string', default: 'a' }],
    [false, { description: 'anything' }],
    [false, true],
  ]
  for (const [taken, schema] of inner) {
    test.equal(canBeStrict(closed({ a: schema })), taken, JSON.stringify(schema))
    test.equal(canBeStrict({ ...closed({}), $defs: { a: schema } }), taken, JSON.stringify(schema))
  }
  for (const schema of [undefined, text, { ...closed({}), anyOf: [closed({})] }, { $ref: '#' }]) {
    test.notOk(canBeStrict(schema), JSON.stringify(schema))
  }
})
