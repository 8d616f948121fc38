/** The operator's Redis by its address alone, and with logins in Secrets, on a real server and an API that is told what to say. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import type { RedisSettings } from '../src/operator-flags.ts'
import { OperatorRedis } from '../src/operator-redis.ts'
import type { KubeObject } from '../src/operator/kube/kube-object.ts'
import { SYSTEM_TIMING } from '../src/operator/kube/timing.ts'
import type { RedisLoginOptions } from '../src/operator/redis-login.ts'
import { startRedis, until } from './helpers/redis.ts'
import { recordedLog } from './operator/kube/recorded-log.ts'

function opened(t: Test, settings: Partial<RedisSettings> & { readonly url: string }) {
  const told: string[] = []
  const log = recordedLog()
  const redis = new OperatorRedis(
    {
      secret: undefined,
      generateSecret: false,
      sidecarUrl: settings.url,
      sidecarSecret: undefined,
      sidecarCa: undefined,
      ...settings,
    },
    log,
    {
      onReady: () => told.push('ready'),
      onLogin: () => told.push('login'),
      onSidecarLogin: () => told.push('sidecar login'),
    },
  )
  t.teardown(() => redis.connection.close())
  return { redis, told, log }
}

/** An API server that has these Secrets, each of which is listed by its name. */
function apiWith(passwords: Readonly<Record<string, string>>): RedisLoginOptions['client'] {
  const secretOf = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'n', name, uid: name, resourceVersion: '1' },
    data: { password: Buffer.from(passwords[name] ?? '').toString('base64') },
  })
  return {
    list: async (_resource, { fieldSelector = '' } = {}) => {
      const name = fieldSelector.replace('metadata.name=', '')
      return { items: name in passwords ? [secretOf(name)] : [], resourceVersion: '1' }
    },
    async *watch(_resource, { signal }) {
      if (signal !== undefined && !signal.aborted) await once(signal, 'abort')
      yield* []
    },
    create: () => Promise.reject(new Error('nothing is to be made')),
  }
}

t.test('without Secrets it is asked at once, and nothing is waited for', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const { redis, told } = opened(t, { url: server.url })
  const logins = redis.followLogins({ client: apiWith({}), timing: SYSTEM_TIMING, log: recordedLog(), namespace: 'n' })
  await logins.first
  await until(() => told.includes('ready'))
  t.strictSame(told, ['ready'])
  t.equal(redis.url.reveal(), server.url)
  t.equal(redis.sidecarUrl, undefined)
  t.match(redis.troubleOf(new Error('OOM')), 'does not take the configuration: OOM')
  await logins.stop()
})

t.test('with Secrets it is asked when its own is there; the sidecars have theirs', async (t) => {
  const server = await startRedis(['--requirepass', 'own'], ['-a', 'own'])
  t.teardown(() => server.stop())
  const url = `redis://127.0.0.1:${server.port}`
  const { redis, told, log } = opened(t, { url, secret: 'operators', sidecarSecret: 'sidecars' })
  t.strictSame(told, [], 'no address is known yet')
  const client = apiWith({ operators: 'own', sidecars: 'theirs' })
  const logins = redis.followLogins({ client, timing: SYSTEM_TIMING, log, namespace: 'n' })
  await logins.first
  await until(() => told.includes('ready') && told.includes('sidecar login'))
  t.strictSame(told.toSorted(), ['login', 'ready', 'sidecar login'])
  t.equal(redis.url.reveal(), `redis://:own@127.0.0.1:${server.port}`)
  t.equal(redis.sidecarUrl?.reveal(), `redis://:theirs@127.0.0.1:${server.port}`)
  await logins.stop()
})

t.test('why there is no connection is told before what publishing says of it', async (t) => {
  const server = await startRedis()
  const { redis, told } = opened(t, { url: server.url })
  await until(() => told.includes('ready'))
  await server.stop()
  await until(() => /ECONN|closed/i.test(redis.troubleOf(new Error('not sent'))))
  t.notMatch(redis.troubleOf(new Error('not sent')), 'not sent')
})

t.test('an outage of Redis is told once, not with each try to connect', async (t) => {
  let tries = 0
  const server = createServer((socket) => {
    tries += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const address = server.address()
  const { log } = opened(t, { url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` })
  await until(() => tries >= 4)
  const failures = log.entries.map(({ fields }) => JSON.stringify(fields))
  t.ok(failures.length > 0)
  t.equal(new Set(failures).size, failures.length)
})
