/** What becomes of sidecars that go on running when an installation ends: they refuse the keys that they have accepted. */
import t from 'tap'
import { Secret } from '../../../src/domain/secret.ts'
import { revokePublished } from '../../../src/operator/installation/revoke.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import type { PublishRedis } from '../../../src/operator/publish/redis-port.ts'
import { createSigner } from '../../../src/operator/publish/sign.ts'
import { chartHook } from '../../helpers/chart-hook.ts'
import { connectedRedis } from '../../helpers/connected-redis.ts'
import { entry, secretOf, startWorld, SYSTEM, virtualKey } from '../../helpers/operator.ts'
import { makePod, startCredentialsSource, startPodSidecar } from '../../helpers/pod-sidecar.ts'
import { until } from '../../helpers/redis.ts'

const LEASE = ['--lease-name', 'tollgate-operator']

t.test('sidecars that go on running', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { plane, redis } = world
  await plane.kubectl('create', 'serviceaccount', 'app', '-n', 'team')
  await world.apply(virtualKey('team', 'app'))
  const first = await startCredentialsSource(world, ...LEASE)
  const sidecar = await startPodSidecar(t, plane, first, await makePod(plane, 'app', first.ca))
  await world.reaches('team/app', 'Ready', 'True Ready')
  const key = entry(await secretOf(world, 'team', 'app-virtual-key'), 'key')
  const answers = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] })
    return (await fetch(`${sidecar.data}/v1/chat/completions`, { method: 'POST', headers, body })).status
  }
  const isAccepted = async () => (await answers()) !== 401
  await until(isAccepted)
  const connection = await connectedRedis(t, { url: redis.url, stop: async () => undefined })
  const signer = createSigner(new Secret(entry(await secretOf(world, SYSTEM, 'tollgate-signing'), 'key')))
  const revoke = (store: PublishRedis = connection) =>
    revokePublished({ redis: store, signer, epoch: 0, timing: SYSTEM_TIMING })

  t.test('refuse every key as soon as the hook has ended, which takes their login then', async (t) => {
    await first.operator.end('SIGTERM')
    const hook = await chartHook(t, plane, 'cleanup')
    const args = hook.args.filter((one) => !one.startsWith('--redis'))
    const { code, stdout, stderr } = await hook.run([...args, '--redis', redis.url])
    t.equal(code, 0, stdout + stderr)
    t.match(stdout, /keys in Redis: revoked in 1 namespaces\n/)
    t.equal(await answers(), 401)
    t.notMatch(await redis.cli('ACL', 'USERS'), /tollgate-team/)
    t.equal((await redis.cli('EXISTS', 'tg:cfg:catalog', 'tg:cfg:index')).trim(), '0')
  })

  t.test('accept them again when an operator is installed again', async () => {
    const operator = await world.startOperator(...LEASE)
    await until(isAccepted)
    await operator.end('SIGTERM')
  })

  t.test('an end that was interrupted can be taken back, or done again', async (t) => {
    const broken = { ...portOf(connection), sendToAll: () => Promise.reject(new Error('interrupted')) }
    await t.rejects(revoke(broken), /interrupted/)
    const torn = { ...portOf(connection), run: () => Promise.reject(new Error('interrupted')) }
    await t.rejects(revoke(torn), /interrupted/)
    t.ok(await isAccepted())
    const late = {
      ...portOf(connection),
      sendToAll: (command: readonly string[]) =>
        command[1] === 'DELUSER' ? Promise.reject(new Error('interrupted')) : connection.sendToAll(command),
    }
    await t.rejects(revoke(late), /interrupted/)
    t.equal(await answers(), 401)
    const operator = await world.startOperator(...LEASE)
    await until(isAccepted)
    await operator.end('SIGTERM')
    await t.rejects(revoke(late), /interrupted/)
    t.same((await revoke()).owners, ['team'])
    t.equal(await answers(), 401)
    t.notMatch(await redis.cli('ACL', 'USERS'), /tollgate-team/)
  })

  t.test('one of which Redis has just forgotten that it runs learns of it, too', async (t) => {
    const operator = await world.startOperator(...LEASE)
    await until(isAccepted)
    await operator.end('SIGTERM')
    const said = (await redis.cli('KEYS', 'tg:ack:*')).trim().split('\n')
    await redis.cli('DEL', ...said)
    t.same(await revoke(), { owners: ['team'], unaware: new Map() })
    t.equal(await answers(), 401)
  })

  t.test('one that does not answer is told of, and learns of it later', async (t) => {
    const operator = await world.startOperator(...LEASE)
    await until(isAccepted)
    await operator.end('SIGTERM')
    sidecar.child.kill('SIGSTOP')
    t.same(await revoke(), { owners: ['team'], unaware: new Map([['team', 1]]) })
    t.match(
      await redis.cli('ACL', 'LIST'),
      /user tollgate-team on .*%R~tg:cfg:ns:team resetchannels -@all/,
      'its login reads that shard, and nothing else',
    )
    sidecar.child.kill('SIGCONT')
    await until(async () => !(await isAccepted()))
  })
})

function portOf(redis: PublishRedis): PublishRedis {
  return {
    isCluster: redis.isCluster,
    send: (...call) => redis.send(...call),
    run: (...call) => redis.run(...call),
    sendToAll: (...call) => redis.sendToAll(...call),
  }
}
