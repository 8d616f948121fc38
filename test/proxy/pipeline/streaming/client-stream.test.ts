import t from 'tap'
import type { ClientFormat, RenderContext } from '../../../../src/domain/formats/format.ts'
import type { StreamPart } from '../../../../src/domain/completion/stream-part.ts'
import { clientFormatOf, formatOf } from '../../../../src/domain/formats/registry.ts'
import { encodeSse } from '../../../../src/domain/formats/sse.ts'
import { CallCancellation } from '../../../../src/proxy/pipeline/call-cancellation.ts'
import { AnswerMemory } from '../../../../src/proxy/pipeline/memory/answer-memory.ts'
import { ClientStream } from '../../../../src/proxy/pipeline/streaming/client-stream.ts'
import { decodeItems, knownItems, type ItemStream } from '../../../../src/proxy/pipeline/streaming/item-stream.ts'
import type { Outcome } from '../../../../src/proxy/pipeline/request-record.ts'
import { endedRequests } from '../../../helpers/ended-requests.ts'

const CALLS = 5_000
const CLIENT = formatOf('chat-completions')
const SAID = { type: 'text', text: 'hi' } as const
const TEXT: readonly StreamPart[] = [
  { type: 'text-start', choice: 0, id: 't' },
  { type: 'text-delta', choice: 0, id: 't', delta: 'hi' },
]
const context: RenderContext = {
  request: CLIENT.parseRequest({ model: 'm', messages: [{ role: 'user', content: [SAID] }] }, {}),
  model: 'm',
  nowSeconds: 1,
  requestId: 'r',
}

/** Calls that stayed open until the answer's end, as a codec brings them out. */
function partsOfCalls(): StreamPart[] {
  const decoder = formatOf('messages').createStreamDecoder()
  const said = [
    { type: 'message_start', message: { id: 'a', model: 'm' } },
    ...Array.from({ length: CALLS }, (_, index) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `t${index}`, name: 'f', input: {} },
    })),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ]
  return said.flatMap((event) => decoder.push({ data: JSON.stringify(event) }))
}

function begin(
  parts: readonly StreamPart[],
  items: ItemStream = knownItems([{ parts }]),
  format: ClientFormat = CLIENT,
  answers = new AnswerMemory(Infinity),
) {
  const [ended] = endedRequests()
  const [candidate] = endedRequests().flatMap(({ record }) => record.plan?.candidates ?? [])
  if (ended === undefined || candidate === undefined) throw new Error('no request')
  const { deployment } = candidate
  const outcomes: Outcome[] = []
  const leaving = new CallCancellation()
  const stream = new ClientStream(
    { type: 'stream', deployment, format: formatOf('messages'), items },
    {
      request: context.request,
      format,
      headers: {},
      restorer: undefined,
      settle: async (outcome) => void outcomes.push(outcome),
    },
    context,
    ended.record,
    {
      now: () => 1,
      leaving,
      answers,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    },
  )
  return { stream, outcomes, leaving, record: ended.record }
}

t.test('what comes out at once is written in turns with others, whole and in order', async (t) => {
  const parts = partsOfCalls()
  const encoder = CLIENT.createStreamEncoder(context)
  const expected = [...parts.flatMap((part) => encoder.push(part)), ...encoder.end()].map(encodeSse).join('')
  const { stream, outcomes } = begin(parts)
  let turns = 0
  const count = (): void => {
    turns += 1
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  const written: string[] = []
  for await (const text of stream) written.push(text)
  clearImmediate(immediate)
  t.equal(written.join('') === expected, true)
  t.ok(turns > CALLS / 512, `${turns} turns`)
  t.strictSame(outcomes, ['answered'])
})

t.test('a client that leaves between two turns ends it once', async (t) => {
  const { stream, outcomes } = begin(partsOfCalls())
  t.equal((await stream.next()).done, false)
  const pending = stream.next()
  await stream.return()
  t.equal((await pending).done, true)
  t.strictSame(outcomes, ['client-gone'])
})

t.test('a process that leaves says so at the end of what it cuts, whether its client waits or not', async (t) => {
  for (const isWaiting of [true, false]) {
    const { items, ends } = openItems(TEXT)
    const { stream, outcomes, leaving, record } = begin([], items)
    t.match((await stream.next()).value, /"hi"/)
    const waiting = isWaiting ? stream.next() : undefined
    leaving.abort()
    t.match(await (waiting ?? stream.next()), { done: false, value: /shutting down/ })
    t.same(await stream.next(), { done: true, value: undefined })
    t.strictSame(outcomes, ['cut'])
    t.equal(record.errorCode, 'not_ready')
    t.equal(ends.length, 1, 'the provider is left')
  }
})

t.test('a client that has read nothing since is told of as cut, too', async (t) => {
  const { stream, outcomes, leaving } = begin([], openItems(TEXT).items)
  await stream.next()
  leaving.abort()
  await stream.return()
  t.strictSame(outcomes, ['cut'])
})

t.test('a stream that begins when the process has left says so', async (t) => {
  const { items, ends } = openItems(TEXT)
  const { stream, outcomes, leaving, record } = begin([], items)
  const signal = new CallCancellation()
  Object.assign(record.incoming, { signal })
  signal.abort()
  leaving.abort()
  t.match(await stream.next(), { done: false, value: /shutting down/ })
  t.same(await stream.next(), { done: true, value: undefined })
  t.strictSame(outcomes, ['cut'])
  t.equal(ends.length, 1, 'the provider is left')
})

t.test('an answer that is complete is nothing that a process cuts', async (t) => {
  const { stream, outcomes, leaving } = begin(TEXT)
  for await (const _ of stream);
  leaving.abort()
  t.strictSame(outcomes, ['answered'])
})

/** Of an answer that goes on after what it said, until it is left; and how it ended. */
function openItems(said: readonly StreamPart[]) {
  const left = Promise.withResolvers<IteratorResult<readonly StreamPart[], undefined>>()
  const end = { done: true, value: undefined } as const
  let isSaid = false
  const pieces: AsyncIterator<readonly StreamPart[], undefined> = {
    next() {
      if (isSaid) return left.promise
      isSaid = true
      return Promise.resolve({ done: false, value: said })
    },
    async return() {
      left.resolve(end)
      return end
    },
  }
  const decoder = { push: (parts: readonly StreamPart[]) => [{ parts }], end: () => [] }
  const items = decodeItems({ [Symbol.asyncIterator]: () => pieces }, decoder)
  const ends: string[] = []
  items.watch({ ended: ({ type }) => ends.push(type) })
  return { items, ends }
}

t.test('a format that says a text again at its end keeps it, as far as there is memory', async (t) => {
  const megabyte = 'x'.repeat(1024 * 1024)
  const parts: StreamPart[] = [
    { type: 'text-start', choice: 0, id: 't' },
    { type: 'text-delta', choice: 0, id: 't', delta: megabyte },
    { type: 'text-end', choice: 0, id: 't' },
  ]
  const whole = async (bytes: number) => {
    const answers = new AnswerMemory(bytes)
    const { stream, record, outcomes } = begin(parts, knownItems([{ parts }]), clientFormatOf('responses'), answers)
    const text = (await Array.fromAsync(stream)).join('')
    const held = answers.heldBytes
    record.memory.releaseAll()
    t.equal(answers.heldBytes, 0)
    return { text, held, outcomes }
  }
  const kept = await whole(8 * megabyte.length)
  t.strictSame(kept.outcomes, ['answered'])
  t.match(kept.text, 'event: response.completed')
  t.ok(kept.held >= megabyte.length, 'it is counted')
  // Another request reads: who begins first may go beyond the bound.
  const crowded = new AnswerMemory(megabyte.length)
  await crowded.open(new CallCancellation()).hold(1)
  const { stream, outcomes } = begin(parts, knownItems([{ parts }]), clientFormatOf('responses'), crowded)
  const cut = (await Array.fromAsync(stream)).join('')
  t.strictSame(outcomes, ['cut'])
  t.match(cut, /event: error\n.*rate_limit_exceeded/)
  t.notMatch(cut, 'response.completed')
})
