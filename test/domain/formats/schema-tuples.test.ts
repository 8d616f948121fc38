import t from 'tap'
import { chatCompletions } from '../../../src/domain/formats/chat-completions/chat-completions.ts'
import { renderRequestFor } from '../../../src/domain/formats/registry.ts'
import { newerTuples } from '../../../src/domain/formats/schema-tuples.ts'
import { asArray, asObject, type JsonObject } from '../../../src/domain/json.ts'

const PAIR = { type: 'array', items: [{ type: 'string' }, { type: 'number' }], minItems: 2 }
const NEWER = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2, items: {} }

t.test('a list that begins with certain items is written as JSON schema has it since 2020-12', async (t) => {
  t.strictSame(newerTuples(PAIR), NEWER)
  t.strictSame(newerTuples({ ...PAIR, additionalItems: false }), { ...NEWER, items: false })
  const inside = (pair: JsonObject) => ({
    type: 'object',
    properties: { a: pair, items: { anyOf: [pair, { type: 'null' }] } },
    $defs: { b: { type: 'array', items: pair } },
  })
  t.strictSame(newerTuples(inside(PAIR)), inside(NEWER))
  for (const same of [
    true,
    NEWER,
    { enum: [PAIR] },
    { default: PAIR },
    { properties: { items: {} } },
    { items: ['x'] },
  ])
    t.equal(newerTuples(same), same)
})

t.test('every other format gets it so, and OpenAI where the gateway has chosen its model', async (t) => {
  const parameters = { type: 'object', properties: { pair: PAIR } }
  const document = {
    model: 'auto',
    messages: [{ role: 'user', content: 'x' }],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: parameters } },
  }
  const request = chatCompletions.parseRequest(document)
  const sent = (format: 'chat-completions' | 'messages' | 'generate-content', model: string) => {
    const target = { model, maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }
    return renderRequestFor(format, request, target).document
  }
  const newer = { type: 'object', properties: { pair: NEWER } }
  t.strictSame(asObject(asArray(sent('messages', 'claude-opus-5').tools)[0])?.input_schema, newer)
  t.match(sent('generate-content', 'gemini-3-flash'), {
    tools: [{ functionDeclarations: [{ parametersJsonSchema: newer }] }],
    generationConfig: { responseJsonSchema: newer },
  })
  t.match(sent('chat-completions', 'gpt-4o'), {
    tools: [{ function: { parameters: newer } }],
    response_format: { json_schema: { schema: newer } },
  })
  t.equal(sent('chat-completions', 'llama').tools, document.tools)
})
