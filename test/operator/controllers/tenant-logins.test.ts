import t from 'tap'
import type { Test } from 'tap'
import { Secret } from '../../../src/domain/secret.ts'
import { TenantLogins } from '../../../src/operator/controllers/tenant-logins.ts'
import { tenantLogin } from '../../../src/operator/publish/redis-users.ts'
import { connectRedis } from '../../../src/proxy/stores/redis/redis-client.ts'
import { startAclRedis, startRedis } from '../../helpers/redis.ts'
import type { RedisServer } from '../../helpers/redis.ts'
import { keyEntry, snapshotOf } from '../../helpers/snapshots.ts'
import { recordedLog } from '../kube/recorded-log.ts'

const MASTER = new Secret('ab'.repeat(32))

async function start(t: Test, server: RedisServer) {
  t.teardown(() => server.stop())
  const redis = connectRedis(server.url, { callTimeoutMs: 20_000 })
  t.teardown(() => redis.close())
  await redis.waitUntilReady(20_000)
  const log = recordedLog()
  const users = async () =>
    [...(await server.cli('ACL', 'LIST')).matchAll(/user (tollgate-\S+)/g)].map(([, name]) => name)
  return { logins: () => new TenantLogins(redis, MASTER, log), users, log }
}

/** As often as it is called in the time. */
async function look(logins: TenantLogins, minutes: number): Promise<void> {
  for (let times = 0; times < minutes * 12; times += 1) await logins.check()
}

const keysOf = (...owners: readonly string[]) =>
  snapshotOf({ virtualKeys: owners.map((owner) => keyEntry(`${owner}/x`)) })

t.test('an owner has a login as long as it has keys, also where another leader made it', async (t) => {
  const { logins, users } = await start(t, await startRedis())
  const former = logins()
  await former.ensure(keysOf('a', 'b'))
  t.same((await users()).toSorted(), ['tollgate-a', 'tollgate-b'])
  await former.ensure(keysOf('a'))
  await look(former, 60)
  t.same(await users(), ['tollgate-a'])
  const leader = logins()
  await leader.ensure(keysOf('c'))
  await look(leader, 60)
  t.same(await users(), ['tollgate-c'], "a former leader's are found")
})

t.test(
  'a login without keys reads for an hour that there are none: a sidecar without operator has nothing else',
  async (t) => {
    const server = await startRedis()
    const { logins, users } = await start(t, server)
    const connect = (owner: string) => {
      const { username, password } = tenantLogin({ owner, master: MASTER })
      const redis = connectRedis(server.url.replace('//', `//${username}:${password.reveal()}@`))
      t.teardown(() => redis.close())
      return redis
    }
    const mine = logins()
    await mine.ensure(keysOf('a', 'b'))
    const open = [connect('a'), connect('b')]
    for (const redis of open) await redis.waitUntilReady(20_000)
    await mine.ensure(keysOf('b'))
    for (const owner of ['a', 'b']) await server.cli('SET', `tg:cfg:ns:${owner}`, 'none')
    await logins().ensure(snapshotOf({ virtualKeys: [] }))
    for (const [index, owner] of ['a', 'b'].entries()) {
      const key = `tg:cfg:ns:${owner}`
      t.equal(await open[index]?.send(key, ['GET', key]), 'none')
      await t.rejects(open[index]?.send('tg:cfg:catalog', ['GET', 'tg:cfg:catalog']) ?? Promise.resolve(), /NOPERM/)
    }
    await look(mine, 59)
    t.same((await users()).toSorted(), ['tollgate-a', 'tollgate-b'])
    await mine.ensure(keysOf('a', 'b'))
    await look(mine, 2)
    t.same((await users()).toSorted(), ['tollgate-a', 'tollgate-b'], 'one that has a key again stays')
    t.equal(await open[0]?.send('tg:cfg:catalog', ['GET', 'tg:cfg:catalog']), null)
  },
)

t.test(
  'a new leader takes away at once what has nothing left to read: leaders that change keep none for ever',
  async (t) => {
    const server = await startRedis()
    const { logins, users } = await start(t, server)
    await logins().ensure(keysOf('a', 'b'))
    await server.cli('SET', 'tg:cfg:ns:b', 'none')
    await logins().ensure(snapshotOf({ virtualKeys: [] }))
    t.same(await users(), ['tollgate-b'])
  },
)

t.test('an operator that may not list users sets logins all the same', async (t) => {
  const rules = '~* +@connection +acl|setuser +acl|deluser'
  const { logins, users, log } = await start(t, await startAclRedis('operator', 'secret', rules))
  const mine = logins()
  await mine.ensure(keysOf('a'))
  await mine.ensure(keysOf('b'))
  await look(mine, 60)
  t.same(await users(), ['tollgate-b'])
  t.equal(log.entries.filter(({ message }) => message.includes('former leaders')).length, 1, 'told once')
})

t.test('a login that somebody takes away is made again within a minute of looks', async (t) => {
  const server = await startRedis()
  const { logins, users } = await start(t, server)
  const mine = logins()
  await mine.ensure(keysOf('a', 'b'))
  await server.cli('ACL', 'DELUSER', 'tollgate-a')
  await look(mine, 1)
  t.same((await users()).toSorted(), ['tollgate-a', 'tollgate-b'])
})

t.test(
  'a login without keys to which a former leader gives rights when it wakes up loses them within a minute',
  async (t) => {
    const server = await startRedis()
    const { logins } = await start(t, server)
    const [former, mine] = [logins(), logins()]
    await mine.ensure(keysOf('a'))
    await mine.ensure(snapshotOf({ virtualKeys: [] }))
    await server.cli('SET', 'tg:cfg:ns:a', 'none')
    await former.ensure(keysOf('a'))
    t.match(await server.cli('ACL', 'LIST'), '%R~tg:cfg:catalog')
    await look(mine, 1)
    t.match(await server.cli('ACL', 'LIST'), '%R~tg:cfg:ns:a ')
    t.notMatch(await server.cli('ACL', 'LIST'), '%R~tg:cfg:catalog')
  },
)

t.test('a login that a former leader restricts when it wakes up has its rights again within a minute', async (t) => {
  const server = await startRedis()
  const { logins } = await start(t, server)
  const [former, mine] = [logins(), logins()]
  await former.ensure(keysOf('a'))
  await mine.ensure(keysOf('a'))
  await former.ensure(snapshotOf({ virtualKeys: [] }))
  t.notMatch(await server.cli('ACL', 'LIST'), '%R~tg:cfg:catalog')
  await look(mine, 1)
  t.match(await server.cli('ACL', 'LIST'), '%R~tg:cfg:catalog')
})

t.test('a login that a former leader sets as it was in its time is right again within a minute', async (t) => {
  const server = await startRedis()
  const { logins } = await start(t, server)
  const [former, mine] = [logins(), logins()]
  const keyOf = (organization: string) => snapshotOf({ virtualKeys: [keyEntry('a/x', { organization })] })
  await mine.ensure(keyOf('now'))
  await former.ensure(keyOf('then'))
  await look(mine, 1)
  const list = await server.cli('ACL', 'LIST')
  t.match(list, '%R~tg:cfg:org:now ')
  t.notMatch(list, '{then}')
})

t.test('a login that a former leader makes again after it was taken away is gone within a minute', async (t) => {
  const server = await startRedis()
  const { logins, users } = await start(t, server)
  const [former, mine] = [logins(), logins()]
  await mine.ensure(keysOf('b'))
  await former.ensure(keysOf('a', 'b'))
  await look(mine, 1)
  t.same(await users(), ['tollgate-b'])
})

t.test('a Redis that does not let the operator make logins is a problem until it does', async (t) => {
  const server = await startAclRedis('operator', 'secret', '~* +@connection')
  const { logins, users } = await start(t, server)
  const mine = logins()
  await mine.ensure(keysOf('a'))
  t.match(mine.problem, { reason: 'SidecarLoginRefused', message: /NOPERM.*acl\|setuser/i })
  await server.cli('ACL', 'SETUSER', 'operator', '+acl')
  await look(mine, 1)
  t.same(await users(), ['tollgate-a'])
  t.equal(mine.problem, undefined)
})

t.test('a Redis that is away is no such problem', async (t) => {
  const server = await startRedis()
  const { logins } = await start(t, server)
  const mine = logins()
  await server.stop()
  await mine.ensure(keysOf('a'))
  t.equal(mine.problem, undefined)
})

t.test(
  'logins that cannot be taken away keep no sidecar from starting, and are taken away when they can be',
  async (t) => {
    const server = await startAclRedis('operator', 'secret', '~* +@connection +acl|setuser +acl|list')
    const { logins, users } = await start(t, server)
    const mine = logins()
    await mine.ensure(keysOf('a', 'b'))
    await mine.ensure(keysOf('b'))
    t.equal(mine.problem, undefined)
    await look(mine, 60)
    await server.cli('ACL', 'SETUSER', 'operator', '+acl')
    await mine.ensure(keysOf('b'))
    t.same(await users(), ['tollgate-b'])
  },
)

t.test('a login that is gone after another lost its right to go is still taken away', async (t) => {
  const server = await startAclRedis('operator', 'secret', '~* +@connection +acl|setuser +acl|list')
  const { logins, users } = await start(t, server)
  const mine = logins()
  await mine.ensure(keysOf('a', 'b'))
  await mine.ensure(keysOf('b'))
  await look(mine, 60)
  await server.cli('ACL', 'DELUSER', 'tollgate-b')
  await look(mine, 1)
  await server.cli('ACL', 'SETUSER', 'operator', '+acl')
  await mine.ensure(keysOf('b'))
  t.same(await users(), ['tollgate-b'])
})

t.test('a login that could not be taken away is within a minute of looks after it can be', async (t) => {
  const server = await startAclRedis('operator', 'secret', '~* +@connection +acl|setuser +acl|list')
  const { logins, users } = await start(t, server)
  const mine = logins()
  await mine.ensure(keysOf('a', 'b'))
  await mine.ensure(keysOf('b'))
  await look(mine, 60)
  t.equal((await users()).length, 2)
  await server.cli('ACL', 'SETUSER', 'operator', '+acl')
  await look(mine, 1)
  t.same(await users(), ['tollgate-b'])
})

t.test("what a problem says holds nothing of another owner's login", async (t) => {
  const args = `'SETUSER' 'tollgate-a' 'reset' 'on' '#${'0'.repeat(64)}' '-@all' `
  const error = new Error(`ERR unknown command 'ACL', with args beginning with: ${args}`)
  const logins = new TenantLogins(
    refusing(() => error),
    MASTER,
    recordedLog(),
  )
  await logins.ensure(keysOf('a'))
  t.match(logins.problem?.message, "unknown command 'ACL';")
  t.notMatch(logins.problem?.message, /tollgate-a|#0/)
})

t.test(
  'a Redis that is older than the rules of logins is a problem, and what it repeats of them is not shown',
  async (t) => {
    const reply = "ERR Error in ACL SETUSER modifier '%R~tg:cfg:org:secret': Syntax error"
    const error = new Error('Redis refuses for now', { cause: new Error(reply) })
    for (const refused of [new Error(reply), error]) {
      const redis = refusing(() => refused)
      const logins = new TenantLogins(redis, MASTER, recordedLog())
      await logins.ensure(keysOf('a'))
      t.match(logins.problem, { reason: 'SidecarLoginRefused', message: /Redis 7 or newer/ })
      t.notMatch(logins.problem?.message, /secret/)
    }
  },
)

t.test('a cluster that refuses is asked again each minute, not at each look', async (t) => {
  let asked = 0
  const redis = refusing(() => {
    asked += 1
    return new Error('NOPERM this user has no permissions')
  })
  const logins = new TenantLogins({ ...redis, isCluster: true }, MASTER, recordedLog())
  await logins.ensure(keysOf('a'))
  for (let look = 0; look < 24; look += 1) await logins.check()
  t.equal(asked, 3)
})

t.test('a problem that comes and goes while two calls wait is told of both times', async (t) => {
  let calls = 0
  const call = async () => {
    calls += 1
    if (calls === 1) throw new Error('NOPERM this user has no permissions')
    return []
  }
  const redis = { isCluster: false, send: call, run: call, sendToAll: call }
  const logins = new TenantLogins(redis, MASTER, recordedLog())
  const told: unknown[] = []
  const ensure = async () => {
    await logins.ensure(keysOf('a'))
    if (logins.takeChange()) told.push(logins.problem?.reason)
  }
  await Promise.all([ensure(), ensure()])
  t.same(told, ['SidecarLoginRefused', undefined])
  t.notOk(logins.takeChange())
})

function refusing(refusal: () => Error) {
  const call = () => Promise.reject(refusal())
  return { isCluster: false, send: call, run: call, sendToAll: call }
}
