import t from 'tap'
import type { ProviderFormatName } from '../../../../src/domain/completion/request.ts'
import { formatOf } from '../../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { AnswerMemory } from '../../../../src/proxy/pipeline/memory/answer-memory.ts'
import { isContent, providerItems } from '../../../../src/proxy/pipeline/attempts/provider-stream.ts'
import { sse, SSE_DONE } from '../../../helpers/answers.ts'

/** One event each of an answer that is no text: what a client of the same format would show. */
const PIECES: readonly (readonly [ProviderFormatName, object])[] = [
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

const END = [sse({ id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }), SSE_DONE]
const MIB = 1024 * 1024
const PADDING = 'x'.repeat(64 * 1024)
const chunk = (delta: JsonObject, more: JsonObject = {}) => sse({ id: 'a', choices: [{ index: 0, delta }], ...more })
const call = (index: number, text: string) =>
  chunk({ tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: text } }] })

function open(events: readonly (string | Uint8Array)[], type: string | undefined = 'text/event-stream') {
  const budget = new AnswerMemory(256 * MIB)
  const body = (async function* () {
    for (const event of events) yield Buffer.from(event)
  })()
  const reply = { status: 200, headers: { 'content-type': type }, body, firstContentSeen() {} }
  const items = providerItems(reply, formatOf('chat-completions'), () => budget.open(new AbortController().signal))
  return { budget, items }
}

t.test('events that say nothing, and nothing is kept of, break off no stream however many they are', async (t) => {
  const empty = chunk({ content: '' }, { obfuscation: PADDING })
  const { budget, items } = open([chunk({ content: 'a' }), ...Array.from({ length: 20 * 16 }, () => empty), ...END])
  const read: string[] = []
  for await (const batch of items) for (const { parts } of batch) read.push(...parts.map(({ type }) => type))
  t.equal(read.at(-1), 'finish')
  t.equal(budget.heldBytes, 0)
})

t.test('what waited for its turn is not held any more when it has come out', async (t) => {
  const waiting = Array.from({ length: 8 }, () => call(1, PADDING))
  const { budget, items } = open([call(0, '{"a":"'), ...waiting, call(0, '"}'), call(1, '{}'), ...END])
  const held: number[] = []
  for await (const batch of items) if (batch.length > 0) held.push(budget.heldBytes)
  t.ok(
    held.some((bytes) => bytes > MIB / 2),
    'while it waited',
  )
  t.equal(held.at(-1), 0)
})

const textOf = async (events: readonly (string | Uint8Array)[], type: string | undefined): Promise<string> => {
  let text = ''
  for await (const batch of open(events, type).items) {
    for (const { parts } of batch) for (const part of parts) if (part.type === 'text-delta') text += part.delta
  }
  return text
}

t.test('whether an answer came whole or as events is told by how it begins, whatever it is called', async (t) => {
  const document = JSON.stringify({
    id: 'a',
    choices: [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }],
  })
  const events = [chunk({ content: 'h' }), chunk({ content: 'i' }), ...END]
  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'text/json', 'text/plain', '']) {
    t.equal(await textOf(events, type), 'hi', `events called "${type}"`)
    t.equal(await textOf([' \r\n', '\n', ...events], type), 'hi', `after blank lines, "${type}"`)
    t.equal(await textOf([...events.join('')], type), 'hi', `character by character, "${type}"`)
    t.equal(await textOf([document], type), 'hi', `a document called "${type}"`)
    t.equal(await textOf(['\ufeff', '\n', ...document], type), 'hi', `in pieces, "${type}"`)
    for (const text of [document, events.join('')]) {
      const marked = Buffer.from(`\ufeff${text}`)
      for (const at of [1, 2, 3])
        t.equal(await textOf([marked.subarray(0, at), marked.subarray(at)], type), 'hi', `parted at ${at}, "${type}"`)
    }
  }
  t.equal(await textOf(events, 'Text/Event-Stream'), 'hi')
})

const PAGE = '<!doctype html>\n<html><body>\n<p>data: none</p>\n</body></html>\n'

t.test('what is neither events nor a document is no answer, where it came whole', async (t) => {
  for (const body of [PAGE, 'upstream connect error\n', '"ok"', 'error: no healthy upstream'])
    for (const type of ['text/html', 'application/json', 'text/event-stream', ''])
      await t.rejects(textOf([body], type), { name: 'UpstreamFormatError' }, `"${body}" called "${type}"`)
  await t.rejects(textOf(['{"object":"list","data":[]}'], 'text/event-stream'), { name: 'UpstreamFormatError' })
  for (const type of ['text/html', 'application/json', ''])
    await t.rejects(textOf([' \n'], type), { name: 'UpstreamFormatError' }, `nothing, called "${type}"`)
})

t.test('events that end before an answer are cut, whatever else has come', async (t) => {
  for (const body of [[], [': ping\n\nretry: 5\n\n'], [chunk({ content: 'a' }), PAGE], [PAGE, chunk({ content: 'a' })]])
    await t.rejects(textOf(body, 'text/event-stream'), { name: 'AttemptError', kind: 'cut' }, JSON.stringify(body))
})

t.test('an event that is no JSON object is no answer; one that reports an error is', async (t) => {
  const begun = chunk({ content: 'a' })
  for (const event of ['data: {"choices":[{"del\n\n', 'data: none\n\n'])
    await t.rejects(textOf([begun, event], 'text/event-stream'), { name: 'UpstreamFormatError' }, event)
  const reported = sse({ error: { message: 'overloaded' } })
  await t.rejects(textOf([begun, reported], 'text/event-stream'), { name: 'AttemptError', kind: 'protocol' })
})

t.test('who reads events that are called JSON gets them as they come, and ends their source by leaving', async (t) => {
  let sent = 0
  let isOpen = true
  const budget = new AnswerMemory(256 * MIB)
  const body = (async function* () {
    try {
      for (;;) yield Buffer.from(chunk({ content: `${sent++}` }))
    } finally {
      isOpen = false
    }
  })()
  const reply = { status: 200, headers: { 'content-type': 'application/json' }, body, firstContentSeen() {} }
  const items = providerItems(reply, formatOf('chat-completions'), () => budget.open(new AbortController().signal))
  await items.next()
  t.ok(sent <= 2)
  await items.return()
  t.notOk(isOpen)
})
