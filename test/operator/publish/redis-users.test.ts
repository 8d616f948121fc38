import t from 'tap'
import {
  ensureTenantUser,
  ownersWithLogins,
  removeTenantUser,
  restrictTenantUser,
  tenantRules,
} from '../../../src/operator/publish/redis-users.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { connectRedis } from '../../../src/proxy/stores/redis/redis-client.ts'
import { startCluster, startRedis } from '../../helpers/redis.ts'

/** What is done with connections, other people's too, or tells of keys that the login may not read. */
const OF_OTHERS = [
  'CLIENT LIST',
  'CLIENT KILL ID 999',
  'CLIENT PAUSE 1',
  'CLIENT UNBLOCK 999',
  'CLIENT NO-EVICT OFF',
  'CLIENT TRACKING ON BCAST',
]

const TENANT = { owner: 'team-a', organizations: ['acme', 'other'], master: new Secret('ab'.repeat(32)) }

t.test('a namespace reads its own configuration, writes what its organizations use, and nothing else', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const admin = connectRedis(server.url, { callTimeoutMs: 20_000 })
  t.teardown(() => admin.close())
  await admin.waitUntilReady(20_000)
  const { username, password } = await ensureTenantUser(admin, TENANT)
  const url = server.url.replace('//', `//${username}:${password.reveal()}@`)
  const tenant = connectRedis(url, { callTimeoutMs: 20_000 })
  t.teardown(() => tenant.close())
  t.ok(await tenant.waitUntilReady(20_000))
  const command = (text: string) => tenant.send('k', text.split(' '))
  const allowed = [
    'GET tg:cfg:catalog',
    'GETRANGE tg:cfg:ns:team-a 0 9',
    'GET tg:cfg:org:acme',
    'SET tg:ack:team-a:pod-1 x PX 1000',
    'SADD tg:ack:team-a pod-1',
    'PEXPIRE tg:ack:team-a 1000',
    'HINCRBY tg:q:{acme}:k f 1',
    'SET tg:c:v1:{other}:a:p:d x PX 1000',
    'LPUSH tg:c:v1:{acme}:s:p:d x',
    'LRANGE tg:c:v1:{acme}:s:p:d 0 9',
    'ZRANGE tg:c:v1:{acme}:g:p 0 9 REV',
    "EVAL redis.call('LPUSH',KEYS[1],1)redis.call('LTRIM',KEYS[1],0,1)return(redis.call('ZADD',KEYS[2],1,'d')) 2 tg:c:v1:{acme}:s:p:d tg:c:v1:{acme}:g:p",
    'XADD tg:audit:{acme} * r x',
    "EVAL return(redis.call('XADD',KEYS[1],'*','r','x')) 1 tg:audit:{acme}",
    "EVAL return{redis.call('TIME'),redis.call('HGET',KEYS[1],'f')} 1 tg:q:{acme}:k",
  ]
  for (const text of allowed) await t.resolves(command(text), text)
  const refused = [
    'SET tg:cfg:catalog x',
    'DEL tg:cfg:ns:team-a',
    'GET tg:cfg:ns:team-b',
    'GET tg:cfg:org:third',
    'HGETALL tg:cfg:index',
    'SET tg:cfg:epoch 99',
    'SET tg:ack:team-b:pod-1 x',
    'HINCRBY tg:q:{third}:k f -1',
    'GET tg:c:v1:{third}:a:p:d',
    'LRANGE tg:c:v1:{third}:s:p:d 0 9',
    'BLPOP tg:c:v1:{acme}:s:p:d 1',
    'DEL tg:audit:{acme}',
    'XRANGE tg:audit:{acme} - +',
    "EVAL return(redis.call('SET',KEYS[1],'x')) 1 tg:cfg:catalog",
    "EVAL return(redis.call('DEL',KEYS[1])) 1 tg:audit:{acme}",
    "EVAL return(redis.call('XADD',KEYS[1],'*','r','x')) 1 tg:audit:{third}",
    'KEYS *',
    'SCAN 0',
    'FLUSHALL',
    'CONFIG GET requirepass',
    'ACL LIST',
    ...OF_OTHERS,
    'MONITOR',
    'SUBSCRIBE tg:cfg:changed',
    'PUBLISH tg:cfg:changed x',
  ]
  for (const text of refused) {
    const error = await command(text).catch((thrown: unknown) => thrown)
    t.match(error instanceof Error ? String(error.cause ?? error) : error, /NOPERM|permission|can't access/, text)
  }
  await restrictTenantUser(admin, 'team-a')
  await t.resolves(command('GET tg:cfg:ns:team-a'), 'its own shard is left')
  const withoutKeys = ['GET tg:cfg:catalog', 'GET tg:c:v1:{acme}:a:p:d', 'EVAL return(1) 0', ...OF_OTHERS]
  for (const text of withoutKeys) {
    const error = await command(text).catch((thrown: unknown) => thrown)
    t.match(error instanceof Error ? String(error.cause ?? error) : error, /NOPERM/, `without keys: ${text}`)
  }
  await ensureTenantUser(admin, TENANT)
  await t.resolves(command('GET tg:cfg:catalog'), 'setting it again disturbs nobody')
  await removeTenantUser(admin, 'team-a')
  t.notMatch(await server.cli('ACL', 'LIST'), /team-a/)
})

t.test('the password is sent as a hash only, and names are not patterns', async (t) => {
  const sent: (readonly string[])[] = []
  const redis = {
    isCluster: false,
    send: () => Promise.resolve(undefined),
    run: () => Promise.resolve(undefined),
    sendToAll: (args: readonly string[]) => {
      sent.push(args)
      return Promise.resolve([])
    },
  }
  const { password } = await ensureTenantUser(redis, TENANT)
  t.notOk(JSON.stringify(sent).includes(password.reveal()))
  t.ok(tenantRules({ owner: 'a*', organizations: [] }).includes(String.raw`%R~tg:cfg:ns:a\*`))
})

t.test('logins are found again by what they may read; users of other people are none', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const admin = connectRedis(server.url, { callTimeoutMs: 20_000 })
  t.teardown(() => admin.close())
  await admin.waitUntilReady(20_000)
  await ensureTenantUser(admin, TENANT)
  await server.cli('ACL', 'SETUSER', 'tollgate-operator', 'on', '>x', '~*', '+@all')
  await server.cli('ACL', 'SETUSER', 'reader', 'on', '>x', '%R~tg:cfg:ns:reader', '+get')
  t.same(
    (await ownersWithLogins(admin)).map((owners) => [...owners]),
    [['team-a']],
  )
})

t.test('in a cluster a login is made at every master', async (t) => {
  const cluster = await startCluster()
  t.teardown(() => cluster.stop())
  const admin = connectRedis(cluster.url, { callTimeoutMs: 20_000 })
  t.teardown(() => admin.close())
  await admin.waitUntilReady(20_000)
  await ensureTenantUser(admin, TENANT)
  for (const node of cluster.nodes) t.match(await node.cli('ACL', 'LIST'), /user tollgate-team-a on/)
  await removeTenantUser(admin, 'team-a')
  for (const node of cluster.nodes) t.notMatch(await node.cli('ACL', 'LIST'), /team-a/)
})
