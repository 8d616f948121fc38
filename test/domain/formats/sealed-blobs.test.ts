import t from 'tap'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const seal = 'CpkBAVSoXO6/AIzaSyD3adAb3dE6gH9jK2mN5pQ8rS1tU4vWx+y=='

function seen(format: ProviderFormatName, document: JsonObject): string[] {
  const texts: string[] = []
  formatOf(format).visitRequestText(document, ({ text }) => (texts.push(text), text))
  return texts
}

function assistant(fields: JsonObject): JsonObject {
  return { messages: [{ role: 'assistant', content: 'x', ...fields }] }
}

const SEALED: readonly (readonly [what: string, format: ProviderFormatName, document: JsonObject])[] = [
  [
    'reasoning_details',
    'chat-completions',
    assistant({ reasoning_details: [{ type: 'reasoning.encrypted', data: seal }] }),
  ],
  ['thinking_blocks', 'chat-completions', assistant({ thinking_blocks: [{ type: 'redacted_thinking', data: seal }] })],
  ["a message's own signature", 'chat-completions', assistant({ thought_signature: seal })],
  ['a signature in an unknown field', 'chat-completions', assistant({ gemini: { thoughtSignature: seal } })],
]

for (const [what, format, document] of SEALED) {
  t.test(`what a vendor has sealed stays as it is: ${what}`, async (t) => {
    t.notOk(seen(format, document).includes(seal))
    const spoken = JSON.parse(JSON.stringify(document).replaceAll(seal, 'mail ada@example.com'))
    t.ok(seen(format, spoken).includes('mail ada@example.com'), 'words are no seal')
  })
}

t.test('data of another type, and in arguments, is a text', async (t) => {
  t.ok(seen('chat-completions', assistant({ notes: [{ type: 'note', data: seal }] })).includes(seal))
  const call = { name: 'f', arguments: JSON.stringify({ type: 'redacted_thinking', data: seal }) }
  t.ok(seen('chat-completions', assistant({ tool_calls: [{ type: 'function', function: call }] })).includes(seal))
})
