/**
 * The machine's clock is put right while the gateway runs: the first look at a time server, a laptop that has slept (the
 * monotonic clock sleeps with it), somebody with a wrist watch.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { HOUR_MS } from '../helpers/clock.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const SHORT_KEY = 'short-key-0123456789abcdef0123456789abcdef'
/** Puts the process's clock off by the milliseconds in the file that CLOCK_FILE names. */
const ADJUSTABLE = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs'
  const real = Date.now
  Date.now = () => real() + Number(readFileSync(process.env.CLOCK_FILE, 'utf8'))
`)}`

t.test('what has a date goes by the clock as it is now; what takes a time does not', async (t) => {
  const clockFile = join(t.testdir({ clock: '0' }), 'clock')
  const setClock = (offMs: number) => writeFileSync(clockFile, String(offMs))
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const expiresAt = new Date(Date.now() + 12 * HOUR_MS).toISOString()
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url }),
        virtualKey({ spec: '  tokenQuotas: [{ window: Day, kind: Total, limit: 330 }]' }),
        virtualKey({ name: 'short', key: SHORT_KEY, spec: `  expiresAt: "${expiresAt}"` }),
      ),
    },
    nodeFlags: ['--import', ADJUSTABLE],
    env: { CLOCK_FILE: clockFile },
  })
  let lastId: string | null = null
  const call = async (headers = {}) => {
    const answer = await gateway.chat({ max_tokens: 256 }, headers)
    await answer.body?.cancel()
    lastId = answer.headers.get('x-request-id')
    return answer.status
  }
  const short = { authorization: `Bearer ${SHORT_KEY}` }
  const spend = async () => {
    for (let left = 20; left > 0; left--) if ((await call()) === 429) return true
    return false
  }

  t.ok(await spend(), "the day's quota is used up")
  t.equal(await call(short), 200)
  setClock(24 * HOUR_MS)
  t.equal(await call(), 200, 'another day has begun')
  t.equal(await call(short), 401, 'a key has expired')
  const refusedId = lastId
  t.ok(await spend())

  t.equal(await call(), 429)
  setClock(0)
  t.equal(await call(short), 200, 'no longer')

  await gateway.line((line) => line['requestId'] === lastId)
  const refusal = await gateway.line((line) => line['requestId'] === refusedId)
  t.match(
    refusal,
    { type: 'audit', error: 'invalid_api_key', virtualKey: 'default/short' },
    'which one, the record says',
  )
  t.notOk('organization' in refusal, 'it does not take room among the records of its organization')
  const records = gateway.lines.filter((line) => line['type'] === 'audit')
  const tomorrow = records.filter((line) => Date.parse(String(line['time'])) > Date.now() + 12 * HOUR_MS)
  t.ok(tomorrow.length > 2 && tomorrow.length < records.length, 'records bear the date of their time')
  const times = records.map((line) => (line['latency'] as { totalMs: number }).totalMs)
  t.ok(
    times.every((ms) => ms >= 0 && ms < 60_000),
    'no request took a day, or less than nothing',
  )
})
