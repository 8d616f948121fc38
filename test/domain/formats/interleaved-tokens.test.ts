/** A token in pieces, between which a piece of another text comes: thinking beside the answer. */
import t from 'tap'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import type { SseEvent } from '../../../src/domain/formats/format.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import { StreamRestorer } from '../../../src/domain/guardrails/masking/restoring/stream-restorer.ts'
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts'

const TOKEN = '[[LLM_REDACTED_EMAIL_abcdefgh]]'
const VALUE = 'ann@example.com'
const values = { tokens: () => [TOKEN], valueOf: (token: string) => (token === TOKEN ? VALUE : undefined) }

type Piece = readonly ['thinking' | 'text', string]

/** Whatever of both texts a client joins. */
function joined(events: readonly SseEvent[]): Record<Piece[0], string> {
  const texts = { thinking: '', text: '' }
  const add = (holder: JsonObject) => {
    if (typeof holder.thinking === 'string') texts.thinking += holder.thinking
    if (typeof holder.reasoning_content === 'string') texts.thinking += holder.reasoning_content
    if (typeof holder.content === 'string') texts.text += holder.content
    if (typeof holder.text === 'string') texts[holder.thought === true ? 'thinking' : 'text'] += holder.text
    for (const value of Object.values(holder)) for (const item of [value].flat()) if (isJsonObject(item)) add(item)
  }
  for (const { data } of events) if (data.startsWith('{')) add(JSON.parse(data) as JsonObject)
  return texts
}

const event = (document: JsonObject): SseEvent => ({ data: JSON.stringify(document) })

const EVENTS: Record<ProviderFormatName, (piece: Piece) => SseEvent> = {
  'chat-completions': ([kind, text]) =>
    event({ choices: [{ index: 0, delta: { [kind === 'text' ? 'content' : 'reasoning_content']: text } }] }),
  messages: ([kind, text]) =>
    event({
      type: 'content_block_delta',
      index: kind === 'text' ? 1 : 0,
      delta: { type: `${kind}_delta`, [kind]: text },
    }),
  'generate-content': ([kind, text]) =>
    event({
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ text, ...(kind === 'text' ? {} : { thought: true }) }] } },
      ],
    }),
}

for (const name of ['chat-completions', 'messages', 'generate-content'] as const) {
  t.test(`a token in pieces is restored where thinking and text of ${name} come in turns`, async (test) => {
    for (let cut = 1; cut < TOKEN.length; cut++) {
      const pieces: Piece[] = [
        ['thinking', `so ${TOKEN.slice(0, cut)}`],
        ['text', `to ${TOKEN.slice(0, cut)}`],
        ['thinking', `${TOKEN.slice(cut)} [`],
        ['text', `${TOKEN.slice(cut)}.`],
      ]
      const patcher = formatOf(name).createStreamTextPatcher(new StreamRestorer(values))
      const events = [...pieces.flatMap((piece) => patcher.push(EVENTS[name](piece))), ...patcher.end()]
      test.strictSame(joined(events), { thinking: `so ${VALUE} [`, text: `to ${VALUE}.` }, `cut at ${cut}`)
    }
  })
}

t.test('what is held of both stands before a call, and at the finish behind the text of its kind', async (test) => {
  const partsOf = (one: SseEvent | undefined) => JSON.parse(one?.data ?? '{}').candidates[0].content.parts as unknown
  const patcher = formatOf('generate-content').createStreamTextPatcher(new StreamRestorer(values))
  const push = (...parts: JsonObject[]) => patcher.push(event({ candidates: [{ index: 0, content: { parts } }] }))
  const call = { functionCall: { name: 'f', args: {} } }
  push({ text: 'a [', thought: true }, { text: 'b [[' })
  test.strictSame(partsOf(push(call)[0]), [{ text: '[', thought: true }, { text: '[[' }, call])
  push({ text: '[', thought: true })
  const last = { index: 0, content: { parts: [{ text: 'c [' }] }, finishReason: 'STOP' }
  test.strictSame(partsOf(patcher.push(event({ candidates: [last] }))[0]), [
    { text: 'c [' },
    { text: '[', thought: true },
  ])
})
