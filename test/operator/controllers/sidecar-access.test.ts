/** From `kubectl apply` to a call: an operator, a sidecar with a real pod-bound token, and what becomes of a key. */
import t from 'tap'
import { VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { entry, secretOf, startWorld, virtualKey } from '../../helpers/operator.ts'
import { makePod, startCredentialsSource, startPodSidecar } from '../../helpers/pod-sidecar.ts'
import { until } from '../../helpers/redis.ts'

t.test('a sidecar and its operator', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { plane } = world
  const source = await startCredentialsSource(world)
  const { operator, ca } = source
  await plane.kubectl('create', 'serviceaccount', 'app', '-n', 'team')
  const injected = await makePod(plane, 'injected', ca)
  const bare = await makePod(plane, 'bare')

  t.test('a pod without our sidecar gets nothing', async (t) => {
    const sidecar = await startPodSidecar(t, plane, source, bare)
    await until(() => operator.output().includes('no-sidecar'))
    t.equal((await fetch(`${sidecar.admin}/readyz`)).status, 503)
    await sidecar.end()
  })

  t.test(
    'a key works in a sidecar that runs, is in force when that one says so, and ends when it is suspended',
    async (t) => {
      const sidecar = await startPodSidecar(t, plane, source, injected)
      await world.apply(virtualKey('team', 'app'))
      await world.reaches('team/app', 'Ready', 'True Ready')
      const key = entry(await secretOf(world, 'team', 'app-virtual-key'), 'key')
      const call = async () => {
        const answer = await fetch(`${sidecar.data}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
        })
        return answer.status
      }
      t.not(await call(), 401, 'known to the sidecar when Programmed')
      await world.apply(virtualKey('team', 'app', { suspended: true }))
      await until(async () => [401, 403].includes(await call()))
      await world.reaches('team/app', 'Ready', 'False Suspended')
      await world.apply(virtualKey('team', 'app', { suspended: false }))
      await world.reaches('team/app', 'Ready', 'True Ready')
      t.notOk([401, 403].includes(await call()))
      await plane.client.delete(VIRTUAL_KEYS, { namespace: 'team', name: 'app' })
      await until(async () => (await call()) === 401)
      await sidecar.end()
    },
  )
})
