/** The operator with a login to Redis that may do no more than docs/operator.md names. */
import t from 'tap'
import { revokePublished } from '../../../src/operator/installation/revoke.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import { createSigner, generateSigningKey } from '../../../src/operator/publish/sign.ts'
import { connectedRedis } from '../../helpers/connected-redis.ts'
import { startWorld, virtualKey } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

/** As docs/operator.md says. */
const COMMANDS =
  'eval evalsha time get set getrange del pexpire hget hmget hset hlen hgetall hdel srandmember srem type ' +
  'publish subscribe acl|setuser acl|deluser acl|list'

t.test('with the least rights in Redis', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { redis } = world
  const commands = COMMANDS.split(' ').map((name) => `+${name}`)
  const keys = ['~tg:cfg:*', '~tg:ack:*', '~tg:q:*', '&tg:cfg:changed']
  await redis.cli('ACL', 'SETUSER', 'operator', 'on', '>secret', '-@all', '+@connection', ...commands, ...keys)
  await redis.cli('SADD', 'tg:ack:team', 'gone')
  await redis.cli('HSET', 'tg:ack:team::circuits', 'gone', 'p')
  const url = redis.url.replace('redis://', 'redis://operator:secret@')
  const operator = await world.startOperator('--redis', url)
  await world.apply(virtualKey('team', 'app', { budgets: [{ window: 'Month', limitUSD: '1' }] }))
  await world.reaches('team/app', 'Ready', 'True Ready')
  await until(async () => (await redis.cli('EXISTS', 'tg:ack:team', 'tg:ack:team::circuits')).trim() === '0')
  const month = new Date().toISOString().slice(0, 7)
  const counter = `tg:q:{acme}:key/team/app:Month:${Date.parse(`${month}-01T00:00:00Z`) / 1_000}`
  await redis.cli('HSET', counter, 's1', '1000000')
  await world.reaches('team/app', 'QuotaAvailable', 'False KeyBudgetExceeded')
  await redis.cli('FLUSHALL')
  await until(async () => (await redis.cli('HGET', counter, 's1')).trim() === '1000000')
  await until(async () => (await world.published('team/app')) !== undefined)
  for (const line of operator.output().split('\n')) if (/NOPERM|refuses|has no permissions/.test(line)) t.fail(line)
  await operator.end('SIGTERM')
  const connection = await connectedRedis(t, { url, stop: async () => undefined })
  const signer = createSigner(generateSigningKey())
  await redis.cli('SADD', 'tg:ack:team', 'lost')
  await redis.cli('SET', 'tg:ack:team:lost', JSON.stringify({ revision: 'x', shards: {} }))
  // Without its Secret, then with a sidecar that has been lost, then with none.
  for (const one of [undefined, signer, signer]) {
    const revocation = await revokePublished({ redis: connection, signer: one, epoch: 0, timing: SYSTEM_TIMING })
    t.same(revocation.owners, ['team'], '`tollgate cleanup` has the same login')
    if (revocation.unaware.size > 0) await redis.cli('DEL', 'tg:ack:team:lost')
    else await redis.cli('ACL', 'SETUSER', 'tollgate-team', '%R~tg:cfg:ns:team')
  }
})
