import t from 'tap'
import { parseFlags } from '../src/command-line.ts'
import { OPERATOR_FLAGS, readOperatorSettings } from '../src/operator-flags.ts'

const settingsOf = (...args: string[]) => readOperatorSettings(parseFlags(args, OPERATOR_FLAGS, {}))

t.test('sidecars reach Redis where the operator does, with a login of their own', async (t) => {
  const { redis } = await settingsOf('--redis=rediss://admin:secret@redis.data:6380/1')
  t.equal(redis.sidecarUrl, 'rediss://redis.data:6380/1')
})

t.test('or by the address of a Service, as Kubernetes writes it', async (t) => {
  for (const [written, url] of [
    ['tcp://10.96.0.7:6379', 'redis://10.96.0.7:6379'],
    ['tcp://[fd00::7]:6379', 'redis://[fd00::7]:6379'],
  ] as const)
    t.equal((await settingsOf('--redis=redis://redis:6379', `--sidecar-redis=${written}`)).redis.sidecarUrl, url)
})

t.test('an address that sidecars could not use is refused', async (t) => {
  const refusalOf = (url: string) => settingsOf('--redis=redis://redis:6379', `--sidecar-redis=${url}`)
  // What is left of a variable that the kubelet does not know yet: the container is started again.
  await t.rejects(refusalOf('$(TOLLGATE_REDIS_PORT)'), /not a Redis address/)
  await t.rejects(refusalOf('redis://admin:secret@redis:6379'), /must have no login/)
})
