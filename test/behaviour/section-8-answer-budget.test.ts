/** Section 8, limits: more of large answers at once than the process has memory for. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { chatCompletion, chatStream, sse } from '../helpers/answers.ts'
import { endless, ok } from '../helpers/behaviours.ts'
import type { Behaviour } from '../helpers/fake-provider.ts'
import { chatBytes, startTightGateway, unread } from '../helpers/unread-answers.ts'

const COUNT = 8
const MIB = 1024 * 1024

const { upstream, gateway } = await startTightGateway(t)

function residentMiB(): number {
  const status = readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const TEXT = 'p'.repeat(64 * 1024)

/** Sends `mib` MiB in the middle of a stream or a whole answer, and its end when the gate opens. */
function large(before: string, piece: string, after: string, mib: number, gate: Promise<void>): Behaviour {
  return async ({ request, response, stop }) => {
    const type = request.json?.['stream'] === true ? 'text/event-stream' : 'application/json'
    response.writeHead(200, { 'content-type': type })
    response.write(before)
    for (let count = 0; count < mib * 16 && !stop.aborted; count++) {
      if (response.write(piece)) continue
      await new Promise<void>((resolve) => {
        response.once('drain', resolve)
        stop.addEventListener('abort', () => resolve())
      })
    }
    await gate
    response.end(after)
  }
}

/** What is not read keeps its room, and how much of it fetch reads by itself depends on its version. */
async function statusOfRead(call: Promise<Response>): Promise<number> {
  const response = await call
  await response.arrayBuffer()
  return response.status
}

const DONE = chatStream(['hello'])
const CALL = (index: number, text: string) =>
  sse({
    id: 'c',
    choices: [
      { index: 0, delta: { tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: text } }] } },
    ],
  })
const [head = '', tail = ''] = JSON.stringify(chatCompletion('|')).split('|')

/** What it is, whether streamed, how large (as large as it may be), and what is sent. */
const KINDS: readonly (readonly [string, boolean, number, string, string, string])[] = [
  ['a whole answer', false, 31, head, TEXT, tail],
  ['what comes before the first content', true, 11, '', sse({ object: 'progress', text: TEXT }), DONE.join('')],
  [
    'calls that wait for one before them',
    true,
    11,
    CALL(0, '{"a":"'),
    CALL(1, TEXT),
    `${CALL(0, '"}')}${DONE.slice(-3).join('')}`,
  ],
]

for (const [what, isStream, mib, before, piece, after] of KINDS) {
  t.test(`${what}, large and many at once: they take turns, small ones go on, all come`, async (t) => {
    upstream.otherwise(large(before, piece, after, mib, Promise.resolve()), { model: 'm' })
    const all = Array.from({ length: COUNT }, async () => {
      const response = await gateway.chat({ model: 'm', stream: isStream })
      return { status: response.status, bytes: (await response.arrayBuffer()).byteLength }
    })
    const small = await gateway.chat({ model: 'small' })
    t.equal(small.status, 200)
    for (const { status, bytes } of await Promise.all(all)) {
      t.equal(status, 200)
      t.ok(bytes > mib * 16 * TEXT.length, `${bytes} bytes`)
    }
    t.ok(residentMiB() < 700, `${COUNT * mib} MiB of answers, ${residentMiB()} MiB resident`)
  })
}

t.test(
  'an answer that finds no room is a momentary refusal; its provider is not to blame, nobody else is asked',
  async (t) => {
    const gate = Promise.withResolvers<void>()
    const [, , , begin, text, end] = KINDS[0] ?? []
    upstream.otherwise(large(begin ?? head, text ?? TEXT, end ?? tail, 16, gate.promise), { model: 'm' })
    const asked = upstream.requests.length
    const calls = [gateway.chat(), gateway.chat()]
    const refused = await Promise.race(calls)
    t.equal(refused.status, 429)
    t.equal(refused.headers.get('retry-after'), '5')
    t.match(await refused.clone().json(), { error: { code: 'rate_limit_exceeded' } })
    const audited = await gateway.line((line) => line['type'] === 'audit' && line['error'] === 'rate_limit_exceeded')
    t.match(audited['attempts'], [{ deploymentId: 'p/m', result: 'error', reason: 'no-room', ms: Number }])
    t.equal(upstream.requests.length - asked, 2)
    t.equal(await statusOfRead(gateway.chat({ model: 'small' })), 200)
    gate.resolve()
    const answers = await Promise.all(calls)
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    const statuses = answers.map(({ status }) => status)
    t.strictSame(statuses.toSorted(), [200, 429])
    t.equal(await statusOfRead(gateway.chat()), 200, 'the provider is not cooling down')
  },
)

t.test('a stream that finds no more room once it has begun ends with that error, and nothing else does', async (t) => {
  const gate = Promise.withResolvers<void>()
  const [, , , begin = '', text = '', end = ''] = KINDS[2] ?? []
  upstream.otherwise(large(begin, text, end, 8, gate.promise), { model: 'm' })
  const texts = [gateway.chat({ stream: true }), gateway.chat({ stream: true })].map(async (call) =>
    (await call).text(),
  )
  t.match(await Promise.race(texts), 'rate_limit_exceeded')
  t.equal(await statusOfRead(gateway.chat({ model: 'small' })), 200)
  gate.resolve()
  const cut = (await Promise.all(texts)).filter((text) => text.includes('rate_limit_exceeded'))
  t.equal(cut.length, 1)
  upstream.otherwise(ok(chatCompletion('again')), { model: 'm' })
  t.equal(await statusOfRead(gateway.chat()), 200, 'the provider is not cooling down')
})

/** So often that the kernel's buffers do not take all of the cached answers. */
const HITS = 8
const HIT_CLIENTS = 48

for (const [what, isStream] of [
  ['whole', false],
  ['streamed', true],
] as const) {
  t.test(
    `cached answers (${what}) that nobody reads keep to the budget, and give it back with their connections`,
    async (t) => {
      upstream.otherwise(ok(chatCompletion('p'.repeat(900 * 1024))), { model: 'm' })
      const path = '/adapters/anthropic/v1/messages'
      const body = { model: 'm', max_tokens: 1_000_000, stream: isStream, messages: [{ role: 'user', content: what }] }
      const kept = await gateway.chat({ ...body, stream: false }, { 'cache-control': 'max-age=60' }, path)
      t.equal(kept.status, 200)
      await kept.arrayBuffer()
      const clients = Array.from({ length: HIT_CLIENTS }, () =>
        unread(t, gateway, ...Array.from({ length: HITS }, () => chatBytes(body, [], path))),
      )
      const before = gateway.lines.length
      const isRefusedHit = (line: Record<string, unknown>) =>
        line['error'] === 'rate_limit_exceeded' &&
        line['cache'] === 'hit-l1' &&
        line['stream'] === isStream &&
        gateway.lines.indexOf(line) >= before
      const small = await gateway.chat({ model: 'small' })
      t.equal(small.status, 200)
      t.match(await gateway.line(isRefusedHit), {
        type: 'audit',
        attempts: [],
      })
      t.ok(residentMiB() < 700, `${residentMiB()} MiB resident`)
      for (const client of clients) client.close()
      upstream.otherwise(ok(chatCompletion('p'.repeat(8 * 1024 * 1024))), { model: 'm' })
      t.equal(await statusOfRead(gateway.chat()), 200, 'there is room again')
    },
  )
}

t.test('an answer that was repaired and is not read keeps nobody from going beyond the budget', async (t) => {
  const says = (text: string) => ok(chatCompletion(text))
  upstream.enqueueFor({ model: 'small' }, endless(chatStream([TEXT])[1] ?? ''))
  upstream.enqueueFor({ model: 'm' }, says('p'.repeat(5 * MIB)), says(JSON.stringify({ a: 'p'.repeat(MIB) })))
  const asked = upstream.requests.length
  // The kernel's buffers take some of the first answer and nothing of the one behind it.
  const ahead = chatBytes({ model: 'small', stream: true })
  const forced = chatBytes({ stream: true }, [['X-LLM-Flags', 'force-json']])
  unread(t, gateway, ahead, forced)
  await upstream.received(asked + 3)
  upstream.otherwise(says('p'.repeat(5 * MIB)), { model: 'm' })
  t.equal(await statusOfRead(gateway.chat()), 200)
})
