/** An operator whose Redis is not there, knows another login, or gives it too few rights: statuses say which one and why. */
import t from 'tap'
import { asArray, asObject, asString } from '../../../src/domain/json.ts'
import { ORGANIZATIONS, VIRTUAL_KEYS, type Resource } from '../../../src/operator/kube/resource.ts'
import { startWorld, virtualKey } from '../../helpers/operator.ts'
import type { OperatorWorld } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

t.test('a wrong Redis', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { port } = world.redis
  await world.apply(virtualKey('team', 'app'))

  t.test('that refuses the login', async (t) => {
    const operator = await world.startOperator('--redis', `redis://somebody:a-password@127.0.0.1:${port}`)
    await world.reaches('team/app', 'Ready', 'False StoreUnavailable')
    const wanted = `Redis at redis://127.0.0.1:${port} does not take the configuration: WRONGPASS`
    t.match(await messageOf(world, VIRTUAL_KEYS, 'app', 'team'), wanted)
    await until(async () => (await messageOf(world, ORGANIZATIONS, 'acme')).includes(wanted))
    for (const kind of ['organizations', 'virtualkeys'])
      t.match(await world.plane.kubectl('get', kind, '-A'), /READY +REASON [^]* False +StoreUnavailable /, kind)
    t.notMatch(await world.plane.kubectl('get', 'virtualkeys,organizations,events', '-A', '-o', 'yaml'), 'a-password')
    await operator.end('SIGTERM')
  })

  t.test('that does not let the operator make logins for sidecars', async (t) => {
    await world.redis.cli('ACL', 'SETUSER', 'limited', 'on', '>a-password', '~*', '&*', '+@all', '-acl')
    const operator = await world.startOperator('--redis', `redis://limited:a-password@127.0.0.1:${port}`)
    await world.reaches('team/app', 'Ready', 'False SidecarLoginRefused')
    t.match(await messageOf(world, VIRTUAL_KEYS, 'app', 'team'), /NOPERM.*redis\.external\.sidecarSecret/)
    t.equal(await messageOf(world, ORGANIZATIONS, 'acme'), '', 'which says nothing of sidecars')
    await operator.end('SIGTERM')
  })

  t.test('that is not there; and what is right again is', async (t) => {
    const operator = await world.startOperator('--redis', 'redis://:a-password@127.0.0.1:1')
    const wanted = 'Redis at redis://127.0.0.1:1 does not take the configuration: connect ECONNREFUSED 127.0.0.1:1'
    await until(async () => (await messageOf(world, VIRTUAL_KEYS, 'app', 'team')).includes(wanted))
    await operator.end('SIGTERM')
    await world.startOperator()
    await world.reaches('team/app', 'Ready', 'True Ready')
    t.pass()
  })
})

/** Of the condition Ready. */
async function messageOf(world: OperatorWorld, resource: Resource, name: string, namespace?: string): Promise<string> {
  const status = asObject((await world.read(resource, namespace, name))?.['status'])
  const ready = asArray(status?.['conditions'])
    .map(asObject)
    .find((one) => one?.['type'] === 'Ready')
  return asString(ready?.['message']) ?? ''
}
