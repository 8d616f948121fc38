/** DESIGN section 7: large answers of the cache are read in turns, and only for clients that are still there. */
import t from 'tap'
import type { Test } from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import type { Gateway, LogLine } from '../helpers/gateway.ts'
import { openRaw } from '../helpers/raw-http.ts'
import { chatBytes, startTightGateway } from '../helpers/unread-answers.ts'

/** All of them wait while the first one's answer is read. */
const CLIENTS = 48

t.test('what waits for its turn when its client goes is not read', async (t) => {
  const { upstream, gateway } = await startTightGateway(t)
  upstream.otherwise(ok(chatCompletion('p'.repeat(900 * 1024))), { model: 'm' })
  await (await gateway.chat({}, { 'cache-control': 'max-age=60' })).arrayBuffer()
  let left: readonly LogLine[] = []
  // Where the gateway is faster than the test, it has answered all when they go: then once more.
  for (let round = 0; round < 20 && left.length === 0; round++) left = await leftUnread(t, gateway)
  t.not(left.length, 0)
})

/** The records of clients that went before their turn, of as many as go when the first of them is answered. */
async function leftUnread(t: Test, gateway: Gateway): Promise<readonly LogLine[]> {
  const before = gateway.lines.length
  const clients = Array.from({ length: CLIENTS }, () => openRaw(gateway.url))
  t.teardown(() => clients.forEach((client) => client.close()))
  for (const client of clients) client.write(chatBytes({}))
  await Promise.race(clients.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))))
  for (const client of clients) client.close()
  // This one's turn comes after theirs.
  const last = await gateway.chat({}, { 'cache-control': 'max-age=60' })
  await last.arrayBuffer()
  const id = last.headers.get('x-request-id')
  await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === id)
  t.equal(last.headers.get('x-gateway-cache'), 'hit-l1')
  return gateway.lines
    .slice(before)
    .filter((line) => line['error'] === 'client_closed_request' && line['cache'] !== 'hit-l1')
}
