/** `tollgate_overhead_seconds`: what a request waits for others is none of the gateway's own time. */
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { delayed, ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { requestBytes, sendRaw } from '../helpers/raw-http.ts'

/** Far more than the gateway's own time of a few requests. */
const WAIT_MS = 1_500

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
upstream.otherwise(delayed(WAIT_MS, ok(chatCompletion('hello'))))

const gateway = await startGateway(t, {
  manifests: { 'all.yaml': yaml(provider({ name: 'first', url: upstream.url }), virtualKey()) },
})

/** Of all whole answers so far. */
async function overheadSeconds(): Promise<number> {
  const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
  return Number(/^tollgate_overhead_seconds_sum\{adapter="native"\} (\S+)$/m.exec(metrics)?.[1] ?? 0)
}

/** Seconds that `call` has added; `count` answers come of it. */
async function addedBy(call: () => Promise<unknown>, count: number): Promise<number> {
  const before = await overheadSeconds()
  const audits = () => gateway.lines.filter((line) => line['type'] === 'audit').length
  const ended = audits() + count
  await call()
  await gateway.line(() => audits() >= ended)
  return (await overheadSeconds()) - before
}

t.test('an equal request that waits for the first one', async (t) => {
  const ask = async () => (await gateway.chat({}, { 'cache-control': 'max-age=60' })).headers.get('x-gateway-cache')
  const seconds = await addedBy(async () => {
    t.same((await Promise.all([ask(), ask(), ask()])).toSorted(), ['hit-l1', 'hit-l1', 'miss'])
  }, 3)
  t.ok(seconds < WAIT_MS / 1_000, `${seconds} s`)
})

t.test('a request whose body comes slowly', async (t) => {
  const fields = [
    ['authorization', `Bearer ${KEY}`],
    ['content-type', 'application/json'],
  ] as const
  const bytes = requestBytes('POST', '/v1/chat/completions', fields, '{"messages":[{"role":"user","content":"slow"}]}')
  const pieces = [bytes.subarray(0, -10), bytes.subarray(-10)]
  const seconds = await addedBy(async () => {
    t.equal((await sendRaw(gateway.url, pieces, { pauseMs: WAIT_MS })).status, 200)
  }, 1)
  t.ok(seconds < WAIT_MS / 1_000, `${seconds} s`)
})
