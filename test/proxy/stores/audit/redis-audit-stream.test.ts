import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import t from 'tap'
import type { AuditRecord } from '../../../../src/domain/audit/audit-record.ts'
import { readAuditStream } from '../../../../src/proxy/stores/audit/read-audit-stream.ts'
import { readLines } from '../../../../src/proxy/stores/audit/read-lines.ts'
import { RedisAuditStream } from '../../../../src/proxy/stores/audit/redis-audit-stream.ts'
import { connectRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { startAclRedis, startRedis, until } from '../../../helpers/redis.ts'

const server = await startRedis()
t.teardown(() => server.stop())
const redis = connectRedis(server.url)
t.teardown(() => redis.close())
await redis.waitUntilReady(20_000)

const MAIN = new URL('../../../../src/main.ts', import.meta.url).pathname

function record(requestId: string, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    type: 'audit',
    time: new Date().toISOString(),
    requestId,
    adapter: 'native',
    operation: 'chat',
    outcome: 'answered',
    organization: 'acme',
    tags: {},
    model: { requested: 'm' },
    stream: false,
    attempts: [],
    removed: {},
    findings: {},
    guardrailBytes: {},
    warnings: [],
    latency: { totalMs: 1 },
    ...more,
  }
}

function write(stream: RedisAuditStream, ...records: AuditRecord[]): void {
  for (const one of records) stream.write(one, JSON.stringify(one))
}

async function idsOf(organization: string, sinceMs = 0): Promise<string[]> {
  const ids: string[] = []
  for await (const json of readAuditStream(redis, organization, sinceMs)) {
    ids.push((JSON.parse(json) as AuditRecord).requestId)
  }
  return ids
}

t.test('records are read back in order, over pages, each organization its own', async (t) => {
  const stream = new RedisAuditStream(redis)
  const ids = Array.from({ length: 1_234 }, (_, index) => `r${index}`)
  write(stream, ...ids.map((id) => record(id)), record('other', { organization: 'a}:b' }))
  await until(() => stream.waiting === 0)
  t.strictSame((await idsOf('acme')).toSorted(), ids.toSorted())
  t.strictSame(await idsOf('a}:b'), ['other'])
  t.strictSame(await idsOf('nobody'), [])
  t.strictSame(await idsOf('acme', Date.now() + 1_000), [])
  t.equal(stream.dropped, 0)
})

t.test('records that leave together are one call for each organization, and few bytes', async (t) => {
  const calls = async () =>
    Number(/cmdstat_eval(?:sha)?:calls=(\d+)/.exec(await server.cli('INFO', 'commandstats'))?.[1] ?? 0)
  const own = connectRedis(server.url)
  t.teardown(() => own.close())
  await own.waitUntilReady(20_000)
  const stream = new RedisAuditStream(own)
  write(stream, record('first', { organization: 'few' }))
  await until(() => stream.waiting === 0)
  await server.cli('CONFIG', 'RESETSTAT')
  const both = Array.from({ length: 20 }, (_, index) => [
    record(`f${index}`, { organization: 'few' }),
    record(`s${index}`, { organization: 'some' }),
  ])
  write(stream, ...both.flat())
  await until(() => stream.waiting === 0)
  t.equal(await calls(), 2)
  t.strictSame(
    await idsOf('some'),
    [...Array(20).keys()].map((index) => `s${index}`),
  )
  await server.cli('CONFIG', 'RESETSTAT')
  write(stream, ...Array.from({ length: 3 }, (_, index) => record(`l${index}`, { error: 'x'.repeat(30_000) })))
  await until(() => stream.waiting === 0)
  t.equal(await calls(), 2, 'two of these are as much as leaves at once')
})

t.test('the stream is bounded, and so is what waits', async (t) => {
  const stream = new RedisAuditStream(redis, { streamLength: 100, maxWaiting: 500 })
  for (let round = 0; round < 4; round++) {
    write(
      stream,
      ...Array.from({ length: 500 }, (_, index) => record(`${round}-${index}`, { organization: 'bounded' })),
    )
    await until(() => stream.waiting === 0)
  }
  const length = Number(await server.cli('XLEN', 'tg:audit:{bounded}'))
  t.ok(length >= 100 && length < 400, `${length} records are kept`)
  write(stream, ...Array.from({ length: 501 }, (_, index) => record(`x${index}`, { organization: 'bounded' })))
  t.equal(stream.dropped, 1)
  const { organization: _, ...nobodys } = record('nobody')
  write(stream, nobodys, record('large', { error: 'x'.repeat(40_000) }))
  t.equal(stream.dropped, 2, 'a record of nobody is none that was dropped')
  await stream.close()
  t.equal(stream.dropped, 2, 'closing wrote out what waited')
  write(stream, record('late'))
  t.equal(stream.dropped, 3)
})

t.test('what Redis will never take is dropped, not tried for ever', async (t) => {
  await server.cli('SET', 'tg:audit:{wrong}', 'no stream')
  const refusals: string[] = []
  const stream = new RedisAuditStream(redis, { onRefused: (...words) => void refusals.push(words.join(': ')) })
  write(stream, record('r', { organization: 'wrong' }), record('r', { organization: 'right' }))
  write(stream, record('r2', { organization: 'wrong' }))
  await until(() => stream.waiting === 0)
  t.equal(stream.dropped, 2)
  t.strictSame(await idsOf('right'), ['r'], 'that of another organization is taken')
  t.match(refusals, [/^wrong: WRONGTYPE /])
})

t.test('a Redis that was frozen or away gets what waited; closing is bounded meanwhile', async (t) => {
  const refusals: string[] = []
  const onRefused = (_: string, reason: string) => void refusals.push(reason)
  const stream = new RedisAuditStream(redis, { retryMs: 20, onRefused })
  server.freeze()
  write(stream, record('frozen', { organization: 'away' }))
  const hopeless = new RedisAuditStream(redis, { closeMs: 50 })
  write(hopeless, record('lost', { organization: 'lost' }))
  await hopeless.close()
  t.equal(hopeless.dropped, 1)
  server.thaw()
  await until(() => stream.waiting === 0)
  await server.kill()
  write(stream, record('killed', { organization: 'away' }))
  await until(() => !redis.ready)
  await server.restart()
  await until(() => stream.waiting === 0)
  t.ok((await idsOf('away')).includes('killed'))
  t.equal(stream.dropped, 0)
  t.strictSame(refusals, [], 'who is not there refuses nothing')
})

t.test('a Redis without memory, or that lacks a right, says so, and gets what waited afterwards', async (t) => {
  const full = await startRedis()
  t.teardown(() => full.stop())
  const own = connectRedis(full.url)
  t.teardown(() => own.close())
  await own.waitUntilReady(20_000)
  const refusals: string[] = []
  const onRefused = (organization: string, reason: string) => void refusals.push(`${organization}: ${reason}`)
  const stream = new RedisAuditStream(own, { retryMs: 20, onRefused })
  const refused = async (reason: RegExp) => {
    write(stream, record('waiting'))
    await until(() => refusals.length > 0)
    t.match(refusals.splice(0)[0], reason)
    t.equal(stream.waiting, 1)
  }
  await full.cli('CONFIG', 'SET', 'maxmemory', '100kb')
  await refused(/^acme: OOM /)
  await full.cli('CONFIG', 'SET', 'maxmemory', '0')
  await until(() => stream.waiting === 0)
  refusals.length = 0
  await full.cli('ACL', 'SETUSER', 'default', 'resetkeys')
  await refused(/^acme: NOPERM /)
  await full.cli('ACL', 'SETUSER', 'default', 'allkeys')
  await until(() => stream.waiting === 0)
  refusals.length = 0
  await full.cli('ACL', 'SETUSER', 'default', '-xadd')
  await refused(/^acme: .*(?:can't run this command|no permissions)/)
  await full.cli('ACL', 'SETUSER', 'default', '+xadd')
  await until(() => stream.waiting === 0)
  t.equal(stream.dropped, 0)
})

t.test('a login for one organization suffices', async (t) => {
  const acl = await startAclRedis('acme', 'pw', '~tg:audit:{acme} +eval +evalsha +xadd +ping +hello +client')
  t.teardown(() => acl.stop())
  const bound = connectRedis(acl.url)
  t.teardown(() => bound.close())
  t.ok(await bound.waitUntilReady(20_000))
  const stream = new RedisAuditStream(bound)
  write(stream, record('mine'))
  await until(() => stream.waiting === 0)
  t.equal((await acl.cli('XLEN', 'tg:audit:{acme}')).trim(), '1')
})

t.test('an organization whose stream may not be written to does not hold up the others', async (t) => {
  const closed = await startAclRedis('sidecar', 'secret', '+eval +evalsha +xadd ~tg:audit:{acme}')
  t.teardown(() => closed.stop())
  const own = connectRedis(closed.url)
  t.teardown(() => own.close())
  await own.waitUntilReady(20_000)
  const stream = new RedisAuditStream(own, { retryMs: 50 })
  const others = Array.from({ length: 100 }, (_, index) => record(`other-${index}`, { organization: 'other' }))
  write(stream, ...others, record('mine'))
  await until(() => stream.waiting === others.length)
  write(stream, record('mine too'))
  await until(() => stream.waiting === others.length)
  t.equal(stream.dropped, 0, 'the rules may change')
  await stream.close()
  t.equal(stream.dropped, others.length)
})

t.test('lines are bounded and whole whatever the chunks', async (t) => {
  const chunks = ['{"a":', '1}\n\nsecond\nx', 'x'.repeat(700_000), 'x'.repeat(700_000), '\nlast: \u00e9']
  const lines: string[] = []
  const bytes = chunks.flatMap((chunk) => {
    const whole = Buffer.from(chunk)
    return whole.length < 100 ? Array.from(whole, (byte) => Buffer.of(byte)) : [whole]
  })
  for await (const line of readLines(Readable.from(bytes))) lines.push(line)
  t.strictSame(lines, ['{"a":1}', '', 'second', 'last: \u00e9'])
})

t.test('the tool filters and sums what is in Redis, each request once', async (t) => {
  const stream = new RedisAuditStream(redis)
  const cost = (requestId: string, tag: string, costMicroUsd: number) =>
    record(requestId, { organization: 'tool', virtualKey: 'team/app', tags: { team: tag }, costMicroUsd })
  write(stream, cost('1', 'blue', 10), cost('2', 'blue', 5), cost('3', 'red', 20), cost('3', 'red', 20))
  await until(() => stream.waiting === 0)
  const audit = async (...args: string[]) => {
    const all = [MAIN, 'audit', '--redis', server.url, '--organization', 'tool', ...args]
    return (await promisify(execFile)(process.execPath, all)).stdout
  }
  t.equal(
    await audit('--sum-by', 'tag:team', '--format', 'csv', '--since', '1h', '--key', 'team/app'),
    'tag:team,requests,input_tokens,output_tokens,cost_usd,unpriced,estimated\n' +
      'red,1,0,0,0.000020,0,0\nblue,2,0,0,0.000015,0,0\n',
  )
  t.match(JSON.parse(await audit('--sum-by', 'key', '--tag', 'team=blue', '--format', 'json')), {
    groups: [{ key: 'team/app', requests: 2, cost_usd: '0.000015' }],
    total: { requests: 2 },
  })
  t.match(await audit(), /^time +request +organization[^]*\n[^\n]* 0\.000010 +team=blue\n/)
  t.equal(await audit('--until', '1h', '--format', 'json'), '')
  t.equal(await audit('--organization', 'other-tool', '--format', 'json'), '', 'the last of a flag counts')
  for (const wrong of [
    ['--format', 'xml'],
    ['--since', 'noon'],
    ['--tag', 'x'],
    ['--sum-by', 'a b'],
    ['--sum-by', 'modle'],
    ['--sum-by', 'tag:'],
    ['--key', 'app'],
    ['--project', 'No Such'],
    ['--tag', 'a b=c'],
    ['--since', '1h', '--until', '2h'],
    ['--file', '-'],
    ['stray'],
  ]) {
    await t.rejects(audit(...wrong), { code: 2 }, wrong.join(' '))
  }
})
