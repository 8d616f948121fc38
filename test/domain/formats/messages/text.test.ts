import fc from 'fast-check'
import t from 'tap'
import type { TextSpan } from '../../../../src/domain/completion/text-span.ts'
import type { SseEvent, StreamTextRewriter } from '../../../../src/domain/formats/format.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import { SseDecoder } from '../../../../src/domain/formats/sse.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { casesOf, fixture, matchGolden } from '../golden.ts'

const mask = (text: string): string => text.replaceAll('a@b.example', '[[X]]')
const json = (path: string): JsonObject => JSON.parse(fixture(path))

t.test('every text of the full request is visited, with its scope and role', async (test) => {
  const spans: TextSpan[] = []
  const changed = messages.visitRequestText(
    json('messages/requests/full.json'),
    (span) => (spans.push(span), span.text),
  )
  test.equal(changed, false)
  matchGolden(test, 'messages/requests/full.spans.golden.json', spans)
})

t.test('every text of the full answer is visited, with its scope and role', async (test) => {
  const spans: TextSpan[] = []
  messages.visitResultText(json('messages/responses/full.json'), (span) => (spans.push(span), span.text))
  matchGolden(test, 'messages/responses/full.spans.golden.json', spans)
})

t.test(
  'a value is masked wherever it stands: under ids and types of a tool, too, and in signed thinking',
  async (test) => {
    for (const path of ['messages/requests/full.json', 'messages/responses/full.json']) {
      const document = json(path)
      const visit = path.includes('requests') ? messages.visitRequestText : messages.visitResultText
      test.equal(
        visit(document, (span) => mask(span.text)),
        true,
      )
      test.strictSame(document, JSON.parse(mask(fixture(path))))
    }
  },
)

t.test('media, ids, signatures and what the vendor has encrypted are never visited', async (test) => {
  const media = 'A'.repeat(2000)
  const document: JsonObject = {
    model: 'seen',
    system: [{ type: 'text', text: '', cache_control: { type: 'seen' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'seen', data: media } },
          { type: 'document', source: { type: 'base64', media_type: 'seen', data: media } },
          { type: 'container_upload', file_id: 'seen' },
          { type: 'tool_result', tool_use_id: 'seen' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 'seen' },
          { type: 'redacted_thinking', data: 'seen' },
          { type: 'tool_use', id: 'seen', name: 'seen', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 'seen', content: [{ encrypted_content: 'seen' }] },
        ],
      },
    ],
    tools: [{ name: 'seen', input_schema: { type: 'object', required: ['seen'] } }],
  }
  messages.visitRequestText(document, ({ text, isName }) => {
    if (isName !== true) test.fail(`visited ${text.slice(0, 20)}`)
    return text
  })
})

t.test('what stands beside the prompt is visited as a parameter', async (test) => {
  const fields = {
    stop_sequences: ['word', 'word'],
    metadata: { user_id: 'word' },
    tools: [{ type: 'web_search_20250305', user_location: { city: 'word' } }],
  }
  const document: JsonObject = { messages: [], ...fields }
  const scopes: string[] = []
  messages.visitRequestText(document, (span) => (scopes.push(span.scope), 'changed'))
  test.strictSame(
    scopes,
    Array.from({ length: 4 }, () => 'parameter'),
  )
  test.strictSame(document, JSON.parse(JSON.stringify({ messages: [], ...fields }).replaceAll('word', 'changed')))
})

t.test('the stop sequence that an answer ended with is restored, whole and streamed', async (test) => {
  const answer: JsonObject = { content: [], stop_reason: 'stop_sequence', stop_sequence: 'a@b.example' }
  test.ok(messages.visitResultText(answer, (span) => mask(span.text)))
  test.equal(answer.stop_sequence, '[[X]]')
  const patcher = messages.createStreamTextPatcher(new Restorer())
  const ending = { type: 'message_delta', delta: { stop_reason: 'stop_sequence', stop_sequence: TOKEN } }
  const [event] = patcher.push({ event: 'message_delta', data: JSON.stringify(ending) })
  test.match(JSON.parse(event?.data ?? ''), { delta: { stop_reason: 'stop_sequence', stop_sequence: VALUE } })
})

const TOKEN = '[[X]]'
const VALUE = 'a "quoted"\nvalue'

/** Restores TOKEN wherever it is whole, holding back what may be its beginning. */
class Restorer implements StreamTextRewriter {
  readonly #held = new Map<string, { kind: 'text' | 'json'; text: string }>()

  push(channel: string, kind: 'text' | 'json', delta: string): string {
    const escaped = kind === 'json' ? JSON.stringify(VALUE).slice(1, -1) : VALUE
    const text = ((this.#held.get(channel)?.text ?? '') + delta).replaceAll(TOKEN, escaped)
    let keep = Math.min(TOKEN.length - 1, text.length)
    while (keep > 0 && !TOKEN.startsWith(text.slice(text.length - keep))) keep--
    this.#held.set(channel, { kind, text: text.slice(text.length - keep) })
    return text.slice(0, text.length - keep)
  }

  flush(channel: string): string {
    const { text } = this.#held.get(channel) ?? { text: '' }
    this.#held.delete(channel)
    return text
  }
}

const event = (document: JsonObject): SseEvent => ({ event: String(document.type), data: JSON.stringify(document) })

function patch(events: readonly SseEvent[]): SseEvent[] {
  const patcher = messages.createStreamTextPatcher(new Restorer())
  return [...events.flatMap((one) => patcher.push(one)), ...patcher.end()]
}

/** The texts of each block as a client joins them, by delta type. */
function joined(events: readonly SseEvent[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const { data } of events) {
    const { index, delta = {} } = JSON.parse(data)
    const piece = delta.text ?? delta.thinking ?? delta.partial_json
    if (piece !== undefined) texts[`${index}:${delta.type}`] = (texts[`${index}:${delta.type}`] ?? '') + piece
  }
  return texts
}

const KINDS = [
  { start: { type: 'text', text: '' }, delta: (text: string) => ({ type: 'text_delta', text }) },
  {
    start: { type: 'thinking', thinking: '', signature: '' },
    delta: (thinking: string) => ({ type: 'thinking_delta', thinking }),
  },
  {
    start: { type: 'tool_use', id: 'c', name: 'f', input: {} },
    delta: (partial_json: string) => ({ type: 'input_json_delta', partial_json }),
  },
]

t.test(
  'tokens cut at any place are restored in text, thinking and arguments before their block stops',
  async (test) => {
    const blocks = fc.array(
      fc.record({
        kind: fc.nat(2),
        pieces: fc.array(fc.constantFrom('[', '[[', 'X', ']]', ']', 'a', TOKEN, `b${TOKEN}`)),
      }),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(blocks, (list) => {
        const events: SseEvent[] = []
        const expected: Record<string, string> = {}
        list.forEach(({ kind, pieces }, index) => {
          const { start, delta } = KINDS[kind] ?? { start: {}, delta: () => ({ type: '' }) }
          const isTool = kind === 2
          events.push(event({ type: 'content_block_start', index, content_block: start }))
          const texts = isTool ? ['{"a":"', ...pieces, '"}'] : pieces
          for (const text of texts) events.push(event({ type: 'content_block_delta', index, delta: delta(text) }))
          if (kind === 1)
            events.push(
              event({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: 's' } }),
            )
          events.push(event({ type: 'content_block_stop', index }))
          const value = isTool ? JSON.stringify(VALUE).slice(1, -1) : VALUE
          if (texts.length > 0) expected[`${index}:${delta('').type}`] = texts.join('').replaceAll(TOKEN, value)
        })
        const patched = patch(events)
        test.strictSame(joined(patched), expected)
        let open = -1
        let signed = false
        for (const { data } of patched) {
          const { type, index, delta } = JSON.parse(data)
          if (type === 'content_block_start') [open, signed] = [index, false]
          else if (index !== open || signed !== (type === 'content_block_stop' && signed))
            test.fail('a piece out of place')
          if (delta?.type === 'signature_delta') signed = true
          if (type === 'content_block_stop') open = -1
        }
      }),
      { numRuns: 150 },
    )
  },
)

t.test('input that stands whole in the start of a block is restored', async (test) => {
  const content_block = { type: 'tool_use', id: 'c', name: 'f', input: { id: TOKEN, deep: [`x ${TOKEN}`] } }
  const [patched] = patch([event({ type: 'content_block_start', index: 0, content_block })])
  test.match(JSON.parse(patched?.data ?? ''), { content_block: { input: { id: VALUE, deep: [`x ${VALUE}`] } } })
})

t.test(
  'what stands whole in an event is restored: citations, and the results of a tool of the vendor',
  async (test) => {
    const cited = (text: string) =>
      event({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'citations_delta', citation: { type: 'char_location', cited_text: text, start_char_index: 0 } },
      })
    test.strictSame(patch([cited(`to ${TOKEN}`)]), [cited(`to ${VALUE}`)])
    const found = (title: string) =>
      event({
        type: 'content_block_start',
        index: 1,
        content_block: {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [{ type: 'web_search_result', title, encrypted_content: TOKEN }],
        },
      })
    test.strictSame(patch([found(TOKEN)]), [found(VALUE)])
    const compacted = (content: string) =>
      event({
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'compaction_delta', content, encrypted_content: 'AAA' },
      })
    test.strictSame(patch([compacted(`of ${TOKEN}`)]), [compacted(`of ${VALUE}`)])
  },
)

t.test('what is held back goes out before an error, the message’s end, or the end of the stream', async (test) => {
  const held = event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a[[' } })
  const rest = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '[[' } }
  for (const last of [event({ type: 'error', error: {} }), event({ type: 'message_delta' }), { data: 'no json' }]) {
    const patched = patch([held, event({ type: 'ping' }), last])
    test.strictSame(patched.map((one) => one.data).slice(-2), [JSON.stringify(rest), last.data])
  }
  test.strictSame(patch([held]).at(-1), event(rest))
})

t.test('events without anything to restore are the very events that came', async (test) => {
  const keep: StreamTextRewriter = { push: (_channel, _kind, delta) => delta, flush: () => '' }
  for (const name of casesOf('messages/streams', '.chunks.txt')) {
    const bytes = new TextEncoder().encode(fixture(`messages/streams/${name}.chunks.txt`))
    const patcher = messages.createStreamTextPatcher(keep)
    for (const one of new SseDecoder().push(bytes)) {
      const [same, ...more] = patcher.push(one)
      test.equal(same, one)
      test.strictSame(more, [])
    }
    test.strictSame(patcher.end(), [])
  }
})
