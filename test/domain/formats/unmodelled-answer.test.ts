import t from 'tap'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import { formatOf, renderResultFor } from '../../../src/domain/formats/registry.ts'
import { fixture } from './golden.ts'

const EXPECTED: Readonly<Record<ProviderFormatName, { to: ProviderFormatName; fields: string[] }>> = {
  'chat-completions': { to: 'messages', fields: [] },
  messages: { to: 'chat-completions', fields: ['content[3]'] },
  'generate-content': {
    to: 'messages',
    fields: [
      'candidates[0].content.parts[6].executableCode',
      'candidates[0].content.parts[7].codeExecutionResult',
      'candidates[0].content.parts[8].inlineData',
    ],
  },
}
const CONTEXT = {
  request: formatOf('chat-completions').parseRequest({ messages: [{ role: 'user', content: 'x' }] }, {}),
  model: 'm',
  nowSeconds: 1,
  requestId: 'r',
}

for (const from of ['chat-completions', 'messages', 'generate-content'] as const) {
  t.test(`what a whole ${from} answer loses on its way is named`, async (t) => {
    const result = formatOf(from).parseResult(JSON.parse(fixture(`${from}/responses/full.json`)))
    const { to, fields } = EXPECTED[from]
    const lost = renderResultFor(to, result, CONTEXT).warnings.filter((one) => one.message.startsWith('known to'))
    t.strictSame(
      lost.map((one) => one.field),
      fields,
    )
    t.strictSame(renderResultFor(from, result, CONTEXT).warnings, [], 'and nothing where the format is the same')
  })
}

t.test('citations, annotations, audio and grounding are losses', async (t) => {
  const warnings = (from: ProviderFormatName, document: Parameters<ReturnType<typeof formatOf>['parseResult']>[0]) =>
    renderResultFor(
      from === 'messages' ? 'chat-completions' : 'messages',
      formatOf(from).parseResult(document),
      CONTEXT,
    ).warnings.map((one) => one.field)
  const cited = { type: 'text', text: 'a', citations: [{ type: 'char_location' }] }
  t.strictSame(warnings('messages', { content: [cited] }), ['content[0].citations'])
  const message = { content: 'a', annotations: [{ type: 'url_citation' }], audio: { id: 'x' } }
  t.strictSame(warnings('chat-completions', { choices: [{ message }] }), [
    'choices[0].message.audio',
    'choices[0].message.annotations',
  ])
  const candidate = { content: { parts: [{ text: 'a' }] }, finishReason: 'STOP', groundingMetadata: { x: 1 } }
  t.strictSame(warnings('generate-content', { candidates: [candidate] }), ['candidates[0].groundingMetadata'])
})
