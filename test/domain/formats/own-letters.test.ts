/** Against servers that take a field by any case of its name: the gateway would decide by one field, and they obey another. */
import t from 'tap'
import { parseEmbeddingsRequest } from '../../../src/domain/formats/embeddings/request.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

const PARSERS: Readonly<Record<string, (document: JsonObject) => unknown>> = {
  'chat-completions': (fields) => formatOf('chat-completions').parseRequest({ ...CHAT, ...fields }, {}),
  messages: (fields) => formatOf('messages').parseRequest({ ...CHAT, max_tokens: 9, ...fields }, {}),
  'generate-content': (fields) => formatOf('generate-content').parseRequest({ ...CONTENTS, ...fields }, {}),
  embeddings: (fields) => parseEmbeddingsRequest({ model: 'm', input: 'hi', ...fields }),
}

t.test('what stands for a field in other letters is refused, be the field itself there or not', async (t) => {
  for (const [format, fields, param, field] of [
    ['chat-completions', { Model: 'dear-model' }, 'Model', 'model'],
    ['chat-completions', { MAX_TOKENS: 100_000 }, 'MAX_TOKENS', 'max_tokens'],
    [
      'chat-completions',
      { ['max_completion_to\u212Aens']: 100_000 },
      'max_completion_to\u212Aens',
      'max_completion_tokens',
    ],
    ['chat-completions', { ['me\u017F\u017Fages']: 'hi' }, 'me\u017F\u017Fages', 'messages'],
    ['chat-completions', { N: 128 }, 'N', 'n'],
    ['messages', { Max_tokens: 100_000 }, 'Max_tokens', 'max_tokens'],
    ['messages', { ['\u017Fystem']: 'other' }, '\u017Fystem', 'system'],
    ['generate-content', { generationconfig: {} }, 'generationconfig', 'generationConfig'],
    ['generate-content', { System_instruction: {} }, 'System_instruction', 'system_instruction'],
    [
      'generate-content',
      { generationConfig: { maxoutputtokens: 9 } },
      'generationConfig.maxoutputtokens',
      'maxOutputTokens',
    ],
    ['embeddings', { Input: 'other' }, 'Input', 'input'],
  ] as const) {
    t.throws(
      () => PARSERS[format]?.(structuredClone(fields) as JsonObject),
      {
        code: 'invalid_request_error',
        message: `The field '${param}' is not known; write it as '${field}'.`,
        details: { param },
      },
      `${format}: ${param}`,
    )
  }
})

t.test(
  'fields that the gateway does not know stay, in any letters, and so does what a client names itself',
  async (t) => {
    const named = { name: 'f', parameters: { type: 'object', properties: { Model: {}, model: {} } } }
    for (const [format, fields] of [
      ['chat-completions', { Custom: 1, top_K: 2, metadata: { Model: 'x', model: 'y' } }],
      ['chat-completions', { tools: [{ type: 'function', function: named }] }],
      ['messages', { Custom: 1, metadata: { User_ID: 'x' } }],
      ['generate-content', { Custom: 1, labels: { Contents: 'x' } }],
      ['embeddings', { Custom: 1 }],
    ] as const) {
      t.doesNotThrow(() => PARSERS[format]?.(structuredClone(fields) as JsonObject), JSON.stringify(fields))
    }
  },
)
