/**
 * DESIGN section 7: SIGTERM in the middle of everything. What has begun by then ends as it would have ended: large answers
 * that wait for their turn, streams with others that follow them, bodies that are still on their way, answers of the provider.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { delayed, ok, stream } from '../helpers/behaviours.ts'
import { openRaw } from '../helpers/raw-http.ts'
import type { RawConnection } from '../helpers/raw-http.ts'
import { chatBytes, startTightGateway } from '../helpers/unread-answers.ts'

const LARGE = 'p'.repeat(900 * 1024)
const CACHED: [string, string] = ['Cache-Control', 'max-age=60']
const FRESH: [string, string] = ['Cache-Control', 'no-store']
const EACH = 12
/** For all of it on a busy machine. */
const PATIENCE = { timeoutMs: 60_000 }

t.test('what has begun is finished', async (t) => {
  const { upstream, gateway } = await startTightGateway(t)
  upstream.otherwise((exchange) => {
    const document = exchange.request.json ?? {}
    if (document['stream'] === true) return stream(chatStream(['one ', 'two ', 'last']), { pauseMs: 300 })(exchange)
    const isLarge = JSON.stringify(document['messages']).includes('large')
    return (isLarge ? ok(chatCompletion(LARGE)) : delayed(700, ok(chatCompletion('plain'))))(exchange)
  })
  const large = (): Buffer => chatBytes({ messages: [{ role: 'user', content: 'large' }] }, [CACHED])
  const opened: RawConnection[] = []
  const send = (bytes: Buffer): RawConnection => {
    const client = openRaw(gateway.url)
    opened.push(client)
    client.write(bytes)
    return client
  }
  t.teardown(() => opened.forEach((client) => client.close()))
  await send(large()).read(PATIENCE)

  const slow = chatBytes({ messages: [{ role: 'user', content: 'slow body' }] }, [FRESH])
  const slowClients = times(() => send(slow.subarray(0, -20)))
  const streams = times(() => send(chatBytes({ stream: true }, [CACHED])))
  const plain = times((index) => send(chatBytes({ messages: [{ role: 'user', content: `plain ${index}` }] }, [FRESH])))
  await upstream.received(1 + 1 + EACH)
  const hits = times(() => send(large()))
  await Promise.race(hits.map(({ socket }) => once(socket, 'data')))
  const exit = once(gateway.process, 'exit')
  gateway.process.kill('SIGTERM')
  await sleep(200)
  for (const client of slowClients) client.write(slow.subarray(-20))

  const read = (clients: readonly RawConnection[]) => Promise.all(clients.map((client) => client.read(PATIENCE)))
  const [hit, streamed, answered, slowly] = await Promise.all([hits, streams, plain, slowClients].map(read))
  for (const [name, answers, end] of [
    ['hits', hit, LARGE.slice(-100)],
    ['streams', streamed, 'data: [DONE]'],
    ['answers', answered, 'plain'],
    ['slow bodies', slowly, 'plain'],
  ] as const) {
    const good = (answers ?? []).filter(
      ({ status, complete, body }) => status === 200 && complete && body.includes(end),
    )
    t.equal(
      good.length,
      EACH,
      `${name}: ${(answers ?? []).map(({ status, complete }) => `${status} ${complete}`).join(', ')}`,
    )
  }
  t.strictSame(await exit, [0, null])
  // Its output may come after its end.
  await gateway.line(({ msg }) => msg === 'stopped')
  t.match(gateway.lines.at(-1), { msg: 'stopped', finished: true })
})

function times<Made>(make: (index: number) => Made): Made[] {
  return Array.from({ length: EACH }, (_, index) => make(index))
}
