import t from 'tap'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import { isContent } from '../../../src/proxy/pipeline/provider-stream.ts'
import type { FormatName } from '../../../src/domain/completion/request.ts'

/** One event each of an answer that is no text: what a client of the same format would show. */
const PIECES: readonly (readonly [FormatName, object])[] = [
  ['chat-completions', { id: 'a', choices: [{ index: 0, delta: { audio: { id: 'b', data: 'AAAA' } } }] }],
  ['chat-completions', { id: 'a', choices: [{ index: 0, delta: { images: [{ image_url: { url: 'data:' } }] } }] }],
  [
    'messages',
    { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', id: 'c', input: {} } },
  ],
  [
    'generate-content',
    { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } }] },
  ],
]

t.test(
  'sound, pictures and the own tools of a vendor are content: a stream is not held back beyond them',
  async (t) => {
    for (const [format, event] of PIECES) {
      const parts = formatOf(format)
        .createStreamDecoder()
        .push({ data: JSON.stringify(event) })
      t.ok(parts.some(isContent), `${format} ${JSON.stringify(event)}`)
    }
  },
)

t.test('what a provider says beside its answer is none', async (t) => {
  const beside = [
    ['chat-completions', { object: 'progress', percent: 5 }],
    [
      'chat-completions',
      { id: 'a', choices: [{ index: 0, delta: { role: 'assistant', content: '', annotations: [] } }] },
    ],
    ['messages', { type: 'ping' }],
    ['messages', { type: 'queued', position: 3 }],
  ] as const
  for (const [format, event] of beside) {
    const parts = formatOf(format)
      .createStreamDecoder()
      .push({ data: JSON.stringify(event) })
    t.notOk(parts.some(isContent), `${format} ${JSON.stringify(event)}`)
  }
})
