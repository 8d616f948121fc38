/** Resources that are deleted while the finalizers of others hold them back. */
import t from 'tap'
import { asArray, asObject } from '../../../src/domain/json.ts'
import { ORGANIZATIONS, PROVIDERS, VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { organization, provider, secret, startWorld, SYSTEM, virtualKey } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

const FOREIGN = JSON.stringify([{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/held' }])
const FIRST = JSON.stringify({ metadata: { finalizers: ['example.com/held'] } })

t.test('what is out of force does not say that it is ready while somebody else holds its deletion back', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { plane } = world
  await world.startOperator()
  await world.apply(
    secret(SYSTEM, 'provider-one', { apiKey: 'sk-of-one' }),
    provider('one'),
    virtualKey('team', 'held'),
  )
  await world.reaches('team/held', 'Ready', 'True Ready')
  await until(async () => (await world.condition(PROVIDERS, undefined, 'one', 'Ready')) === 'True Ready')

  t.test('a VirtualKey', async (t) => {
    await plane.kubectl('patch', 'vk', 'held', '-n', 'team', '--type=json', '-p', FOREIGN)
    await plane.kubectl('delete', 'vk', 'held', '-n', 'team', '--wait=false')
    await world.reaches('team/held', 'Ready', 'False Deleting')
    const held = await world.read(VIRTUAL_KEYS, 'team', 'held')
    t.strictSame(held?.metadata['finalizers'], ['example.com/held'])
    const status = asObject(held?.['status'])
    t.strictSame(
      asArray(status?.['conditions']).map((one) => [asObject(one)?.['type'], asObject(one)?.['status']]),
      [
        ['Programmed', 'False'],
        ['Ready', 'False'],
      ],
    )
    t.notOk(status?.['keys'], 'no text of it is valid')
    t.equal(await world.published('team/held'), undefined)
  })

  t.test('a Provider and an Organization', async (t) => {
    for (const [kind, name] of [
      ['provider', 'one'],
      ['organization', 'acme'],
    ] as const) {
      await plane.kubectl('patch', kind, name, '--type=merge', '-p', FIRST)
      await plane.kubectl('delete', kind, name, '--wait=false')
    }
    await until(async () => (await world.condition(PROVIDERS, undefined, 'one', 'Ready')) === 'False Deleting')
    await until(async () => (await world.condition(ORGANIZATIONS, undefined, 'acme', 'Ready')) === 'False Deleting')
    const version = async () => (await world.read(ORGANIZATIONS, undefined, 'acme'))?.metadata.resourceVersion
    const before = await version()
    await world.apply(virtualKey('team', 'other'))
    await world.reaches('team/other', 'Ready', 'False OrganizationNotFound')
    t.equal(await version(), before, 'that is said once')
  })

  t.test('one that is made again is ready again', async () => {
    await plane.kubectl('patch', 'organization', 'acme', '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
    await world.apply(organization())
    await world.reaches('team/other', 'Ready', 'True Ready')
    await until(async () => (await world.condition(ORGANIZATIONS, undefined, 'acme', 'Ready')) === 'True Ready')
  })
})
