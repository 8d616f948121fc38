import t from 'tap'
import type { RenderContext } from '../../../src/domain/formats/format.ts'
import type { StreamPart } from '../../../src/domain/completion/stream-part.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import { encodeSse } from '../../../src/domain/formats/sse.ts'
import { ClientStream } from '../../../src/proxy/pipeline/client-stream.ts'
import { knownItems } from '../../../src/proxy/pipeline/item-stream.ts'
import type { Outcome } from '../../../src/proxy/pipeline/request-record.ts'
import { endedRequests } from '../../helpers/ended-requests.ts'

const CALLS = 5_000
const CLIENT = formatOf('chat-completions')
const SAID = { type: 'text', text: 'hi' } as const
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

function begin(parts: readonly StreamPart[]) {
  const [ended] = endedRequests()
  const [candidate] = endedRequests().flatMap(({ record }) => record.plan?.candidates ?? [])
  if (ended === undefined || candidate === undefined) throw new Error('no request')
  const { deployment } = candidate
  const outcomes: Outcome[] = []
  const stream = new ClientStream(
    { type: 'stream', deployment, format: formatOf('messages'), items: knownItems([{ parts }]) },
    {
      request: context.request,
      format: CLIENT,
      headers: {},
      restorer: undefined,
      settle: async (outcome) => void outcomes.push(outcome),
    },
    context,
    ended.record,
    { now: () => 1, log: { debug() {}, info() {}, warn() {}, error() {} } },
  )
  return { stream, outcomes }
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
