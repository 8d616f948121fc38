import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import { inspect } from 'node:util'
import t from 'tap'
import { RedisUnavailableError } from '../../../../src/proxy/stores/redis/redis-errors.ts'
import { connectRedis, unconnectedRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { redisScript } from '../../../../src/crypto/redis-script.ts'
import type { RedisConnection, RedisOptions } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { createAuthority } from '../../../helpers/certificates.ts'
import {
  startAclRedis,
  startCluster,
  startRedis,
  startSentinels,
  startTlsRedis,
  until,
} from '../../../helpers/redis.ts'

/** Where the test is not about bounds: the machine may be busy. */
const PATIENT: RedisOptions = { callTimeoutMs: 20_000 }
const READY_MS = 30_000

t.test('calls and runs scripts on a server, and again after it has forgotten them', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  const increment = redisScript("return redis.call('INCRBY', KEYS[1], ARGV[1])")
  t.equal(await redis.run(increment, ['n'], ['2']), 2)
  t.equal(await redis.run(increment, ['n'], ['3']), 5)
  await server.cli('SCRIPT', 'FLUSH')
  t.equal(await redis.run(increment, ['n'], ['1']), 6)
  t.equal(await redis.send('n', ['GET', 'n']), '6')
  t.same(await redis.send('n', ['GET', 'n'], { returnBuffers: true }), Buffer.from('6'))
  t.equal(redis.inFlight, 0)
})

t.test('an error of the script is thrown as it is and the connection stays', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  await redis.send('s', ['SET', 's', 'text'])
  const error = await redis.send('s', ['INCR', 's']).catch((thrown: unknown) => thrown)
  t.notOk(error instanceof RedisUnavailableError)
  t.ok(redis.ready)
})

t.test('logs in as an ACL user and is bound to its rules', async (t) => {
  const server = await startAclRedis('app', 'p@ss:word/', '~tg:q:* +eval +evalsha +get +set')
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  t.equal(await redis.send('tg:q:a', ['SET', 'tg:q:a', '1']), 'OK')
  await t.rejects(redis.send('other', ['SET', 'other', '1']), RedisUnavailableError)
})

t.test('never becomes ready with a wrong password, and refuses calls at once', async (t) => {
  const server = await startAclRedis('app', 'right', '~* +@all')
  t.teardown(() => server.stop())
  const causes: unknown[] = []
  const redis = connectRedis(server.url.replace('right', 'wrong'), { onChange: (_ready, cause) => causes.push(cause) })
  t.teardown(() => redis.close())
  await until(() => causes.length >= 2)
  t.notOk(redis.ready)
  t.match(String(causes[0]), /WRONGPASS/)
  t.match(await redis.send('k', ['GET', 'k']).catch((error: unknown) => error), { maybeExecuted: false })
})

t.test('says in words of its own that the address lacks the password that is asked for', async (t) => {
  const server = await startRedis(['--requirepass', 'other'], ['-a', 'other'])
  t.teardown(() => server.stop())
  const reasonFor = async (url: string) => {
    const redis = connectRedis(url)
    t.teardown(() => redis.close())
    const error = await redis.requireReady(500).catch((thrown: unknown) => thrown)
    return error instanceof Error ? error.message : ''
  }
  const [host, asked] = [`127.0.0.1:${server.port}`, 'NOAUTH HELLO must be called']
  t.match(await reasonFor(`redis://${host}`), `Redis refuses the connection: the address has no password: ${asked}`)
  t.match(await reasonFor(`redis://:@${host}`), `Redis refuses the connection: the address has no password: ${asked}`)
  t.match(await reasonFor(`redis+cluster://${host}`), `for the others: the address has no password: ${asked}`)
  t.match(await reasonFor(`redis+sentinel://${host}/m`), `master: the address has no login of the Sentinels: ${asked}`)
  t.match(await reasonFor(`redis://:wrong@${host}`), /^Redis refuses the connection: WRONGPASS /)
  const refused = 'master: the Sentinel refuses the login that the address has for it (?sentinel=): WRONGPASS'
  t.match(await reasonFor(`redis+sentinel://${host}/m?sentinel=:wrong`), refused)
})

t.test('what a server before Redis 6 says of the login that it does not know tells nobody the password', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      const [name, ...args] = String(chunk)
        .split('\r\n')
        .filter((part) => part !== '' && !/^[*$]/.test(part))
      const sent = args.map((arg) => `\`${arg}\`, `).join('')
      socket.write(`-ERR unknown command \`${name}\`, with args beginning with: ${sent}\r\n`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const url of [
    `redis://user:hunter2@${host}`,
    `redis+cluster://user:hunter2@${host}`,
    `redis+sentinel://${host}/m?sentinel=user:hunter2`,
  ]) {
    const causes: unknown[] = []
    const redis = connectRedis(url, { onChange: (_ready, cause) => causes.push(cause) })
    t.teardown(() => redis.close())
    await until(() => causes.length > 0)
    const error = await redis.requireReady(1).catch((thrown: unknown) => thrown)
    t.match(error, { message: /^Redis refuses the connection: .*unknown command `HELLO`$/ })
    t.notMatch(inspect([error, causes], { depth: 9 }), 'hunter2')
  }
})

t.test('is told its address later, and goes over to another login without a gap', async (t) => {
  const server = await startAclRedis('first', 'one', '~* +@all')
  t.teardown(() => server.stop())
  const redis = unconnectedRedis(PATIENT)
  t.teardown(() => redis.close())
  await t.rejects(redis.send('n', ['PING']), RedisUnavailableError)
  redis.redirect(server.url)
  t.ok(await redis.waitUntilReady(READY_MS))
  const whoAmI = () => redis.send('n', ['ACL', 'WHOAMI'])
  t.equal(await whoAmI(), 'first')
  redis.redirect(server.url.replace('first:one', 'second:two'))
  t.equal(await whoAmI(), 'first', 'a login that is refused so far does not end the one in use')
  await server.cli('ACL', 'SETUSER', 'second', 'on', '>two', '~*', '+@all')
  await until(async () => (await whoAmI()) === 'second')
  t.throws(() => redis.redirect('http://127.0.0.1'), TypeError)
})

t.test('speaks TLS with a given authority, and with no other', async (t) => {
  const server = await startTlsRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url, { tls: { ca: server.ca } })
  t.equal(await redis.send('k', ['SET', 'k', '1']), 'OK')
  let refusal: Error | undefined
  const distrusting = connectRedis(server.url, { onChange: (_ready, error) => (refusal = error) })
  t.teardown(() => distrusting.close())
  await until(() => refusal !== undefined)
  t.notOk(distrusting.ready)
  t.match(refusal, { message: /^the authority of its certificate is not known here: NODE_EXTRA_CA_CERTS names/ })
  await t.rejects(distrusting.requireReady(1), { message: /^Redis cannot be reached: the authority of/ })
})

t.test('tells TLS the name of the server, and no address', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const authority = createAuthority()
  const { certificate: cert, privateKey: key } = authority.issue()
  const names: unknown[] = []
  const front = createTlsServer({ cert, key }, (socket) => {
    names.push(socket.servername)
    const behind = connect(server.port, '127.0.0.1')
    pipeline(socket, behind, socket, () => undefined)
  })
  t.teardown(() => front.close())
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const { port } = front.address() as AddressInfo
  for (const host of ['localhost', '127.0.0.1']) {
    const redis = await connected(t, `rediss://${host}:${port}`, { tls: { ca: authority.ca } })
    t.equal(await redis.send('k', ['SET', 'k', '1']), 'OK')
    await redis.close()
  }
  t.same(names, ['localhost', false])
})

t.test('says why nothing is reached, whatever the kind of servers', async (t) => {
  for (const kind of ['redis://', 'redis+sentinel://', 'redis+cluster://']) {
    const master = kind.includes('sentinel') ? '/m' : ''
    const redis = connectRedis(`${kind}127.0.0.1:1${master}`)
    t.teardown(() => redis.close())
    await t.rejects(redis.requireReady(1_000), { message: /^Redis cannot be reached: .*ECONNREFUSED/ }, kind)
  }
})

t.test('names a Sentinel that is frozen, from the first word on or later', async (t) => {
  for (const answers of [0, 1]) {
    let left = answers
    const frozen = createServer((socket) => {
      socket.on('data', () => left-- > 0 && socket.write('+OK\r\n'))
      socket.on('error', () => socket.destroy())
    })
    frozen.listen(0, '127.0.0.1')
    await once(frozen, 'listening')
    t.teardown(() => frozen.close())
    const { port } = frozen.address() as AddressInfo
    const redis = connectRedis(`redis+sentinel://127.0.0.1:${port}/m`)
    t.teardown(() => redis.close())
    const message = new RegExp(`no Sentinel named a reachable master: the Sentinel 127.0.0.1:${port} did not answer`)
    await t.rejects(redis.requireReady(5_000), { message })
  }
})

t.test('serves every slot of a cluster, and other slots while one master is away', async (t) => {
  const cluster = await startCluster()
  t.teardown(() => cluster.stop())
  const redis = await connected(t, cluster.url, { callTimeoutMs: 500 })
  const keys = Array.from({ length: 30 }, (_, index) => `{${index}}k`)
  for (const key of keys) t.equal(await redis.send(key, ['SET', key, '1'], { timeoutMs: 20_000 }), 'OK')
  await cluster.nodes[0]?.cli('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')
  await cluster.nodes[1]?.cli('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')
  await cluster.nodes[2]?.kill()
  const isServed = async (key: string) => (await redis.send(key, ['GET', key]).catch(() => undefined)) === '1'
  let served = 0
  await until(async () => {
    served = (await Promise.all(keys.map(isServed))).filter(Boolean).length
    return served > 0
  })
  t.ok(served < keys.length, 'those of the dead master are refused')
})

t.test('says why no node of a cluster is reached any more, and when one is again', async (t) => {
  const cluster = await startCluster()
  t.teardown(() => cluster.stop())
  const told: (string | undefined)[] = []
  const redis = await connected(t, cluster.url, {
    onChange: (ready, cause) => told.push(ready ? 'ready' : cause?.message),
  })
  for (const node of cluster.nodes) {
    await node.cli('CONFIG', 'SET', 'requirepass', 'other')
    await node.cli('-a', 'other', 'CLIENT', 'KILL', 'TYPE', 'normal')
  }
  await until(async () => {
    await redis.send('k', ['GET', 'k']).catch(() => undefined)
    return told.some((reason) => /NOAUTH|WRONGPASS/.test(reason ?? ''))
  })
  told.length = 0
  for (const node of cluster.nodes) await node.cli('-a', 'other', 'CONFIG', 'SET', 'requirepass', '')
  await until(() => told.includes('ready'))
})

t.test('follows Sentinels, which ask for a password, to the new master', async (t) => {
  const sentinels = await startSentinels('pass@of/sentinels')
  t.teardown(() => sentinels.stop())
  const redis = await connected(t, sentinels.url)
  t.equal(await redis.send('k', ['SET', 'k', '1']), 'OK')
  await until(async () => (await sentinels.replica.cli('GET', 'k')).trim() === '1')
  await sentinels.master.kill()
  await until(async () => (await redis.send('k', ['SET', 'k', '2']).catch(() => undefined)) === 'OK', 60_000)
  t.equal((await sentinels.replica.cli('GET', 'k')).trim(), '2')
})

t.test('leaves a master that was frozen and then demoted', async (t) => {
  const sentinels = await startSentinels()
  t.teardown(() => sentinels.stop())
  const redis = await connected(t, sentinels.url, { callTimeoutMs: 100, stallMs: 100 })
  sentinels.master.freeze()
  await until(async () => (await redis.send('k', ['SET', 'k', '2']).catch(() => undefined)) === 'OK', 60_000)
  t.equal((await sentinels.replica.cli('GET', 'k')).trim(), '2')
  sentinels.master.thaw()
})

t.test('a call to a frozen server ends, tells that it may have been executed, and nothing piles up', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url, { callTimeoutMs: 50, stallMs: 200, maxInFlight: 20 })
  server.freeze()
  const calls = Array.from({ length: 100 }, () => redis.send('n', ['INCR', 'n']))
  const errors = (await Promise.allSettled(calls)).map((result) => result.status === 'rejected' && result.reason)
  t.ok(errors.every((error) => error instanceof RedisUnavailableError))
  t.equal(errors.filter((error) => error.maybeExecuted).length, 20, 'as many as may be in flight')
  await until(() => !redis.ready)
  t.equal(redis.inFlight, 0)
  t.match(await redis.send('n', ['INCR', 'n']).catch((error: unknown) => error), { maybeExecuted: false })
  server.thaw()
  t.ok(await redis.waitUntilReady(READY_MS))
  t.type(await redis.send('n', ['GET', 'n'], PATIENT_CALL), 'string', 'what was sent was executed after all')
})

t.test('calls in flight are each given up at their own bound, and owed until they are answered', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url, { stallMs: 20_000 })
  server.freeze()
  let isPatientOver = false
  const patient = redis.send('k', ['SET', 'k', '1'], PATIENT_CALL).finally(() => (isPatientOver = true))
  for (const timeoutMs of [20, 40]) {
    const error: unknown = await redis.send('k', ['GET', 'k'], { timeoutMs }).catch((thrown: unknown) => thrown)
    t.match(error, { maybeExecuted: true, message: `no answer of Redis within ${timeoutMs} ms` })
  }
  t.notOk(isPatientOver)
  t.equal(redis.inFlight, 3)
  server.thaw()
  t.equal(await patient, 'OK')
  await until(() => redis.inFlight === 0)
})

t.test('waits for a server that is busy answering others', async (t) => {
  const server = await startRedis(['--enable-debug-command', 'yes'])
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url, { callTimeoutMs: 400 })
  // Redis reads 16 KiB at a time and answers all that was in them together: with this between them, calls are answered one by one.
  const padding = 'x'.repeat(20_000)
  // The last is answered after twice its bound, but never does the server stay silent for one.
  const busy = Array.from({ length: 8 }, () => {
    const answer = redis.send('k', ['DEBUG', 'SLEEP', '0.1'])
    return Promise.all([answer, redis.send('k', ['ECHO', padding])])
  })
  t.strictSame(
    await Promise.all(busy),
    Array.from({ length: 8 }, () => ['OK', padding]),
  )
})

t.test('reconnects to a server that was killed and started again', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const changes: boolean[] = []
  const redis = await connected(t, server.url, { onChange: (ready) => changes.push(ready) })
  await server.kill()
  await until(() => !redis.ready)
  await t.rejects(redis.send('k', ['GET', 'k']), RedisUnavailableError)
  await server.restart()
  t.ok(await redis.waitUntilReady(READY_MS))
  t.equal(await redis.send('k', ['GET', 'k']), null)
  t.strictSame([changes.at(0), changes.includes(false), changes.at(-1)], [true, true, true])
})

t.test('calls in flight end when the server dies', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  const blocked = redis.send('list', ['BLPOP', 'list', '0']).catch((error: unknown) => error)
  await until(async () => (await server.cli('CLIENT', 'LIST')).includes('blpop'))
  await server.kill()
  t.match(await blocked, { name: 'RedisUnavailableError', maybeExecuted: true })
})

t.test('can be closed while the server is frozen, away or not yet found', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = await connected(t, server.url)
  server.freeze()
  const pending = redis.send('k', ['GET', 'k'])
  const rejected = t.rejects(pending, RedisUnavailableError)
  await redis.close()
  await rejected
  const late = connectRedis(server.url)
  await late.close()
  t.notOk(late.ready)
})

const PATIENT_CALL = { timeoutMs: 20_000 }

async function connected(t: import('tap').Test, url: string, options: RedisOptions = {}): Promise<RedisConnection> {
  const redis = connectRedis(url, { ...PATIENT, ...options })
  t.teardown(() => redis.close())
  t.ok(await redis.waitUntilReady(READY_MS), 'becomes ready')
  return redis
}
