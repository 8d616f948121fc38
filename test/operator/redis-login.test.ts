/** The login to Redis from a Secret: made, used, and followed, by an operator as a process. */
import t from 'tap'
import { Secret } from '../../src/domain/secret.ts'
import { completeUrl, withSentinelLogin } from '../../src/operator/redis-login.ts'
import { SECRETS, VIRTUAL_KEYS } from '../../src/operator/kube/resource.ts'
import { entry, secret, secretOf, startWorld, SYSTEM, virtualKey } from '../helpers/operator.ts'
import { until } from '../helpers/redis.ts'

t.test('an operator that makes its login', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { redis, plane } = world
  const flags = ['--redis-secret', 'redis-login', '--generate-redis-secret']
  const [first, second] = await Promise.all([world.startOperator(...flags), world.startOperator(...flags)])
  const password = entry(await secretOf(world, SYSTEM, 'redis-login'), 'password')
  t.match(password, /^[0-9a-f]{64}$/, 'one, although both asked for it')
  // As the bundled Redis does when it finds the Secret.
  await redis.cli('CONFIG', 'SET', 'requirepass', password)
  const authenticated = (text: string) => ['-a', text, '--no-auth-warning']
  await world.apply(virtualKey('team', 'app'))
  await world.reaches('team/app', 'Ready', 'True Ready')
  t.ok((await redis.cli(...authenticated(password), 'EXISTS', 'tg:cfg:ns:team')).startsWith('1'))

  const changed = 'another/pass@word:1'
  await redis.cli(...authenticated(password), 'CONFIG', 'SET', 'requirepass', changed)
  await redis.cli(...authenticated(changed), 'CLIENT', 'KILL', 'TYPE', 'normal')
  await world.apply(secret(SYSTEM, 'redis-login', { password: changed }))
  await until(() => [first, second].every((one) => one.output().includes('Redis login changed')))
  await world.apply(virtualKey('team', 'later'))
  await world.reaches('team/later', 'Ready', 'True Ready')
  for (const one of [first, second]) t.notMatch(one.output(), new RegExp(`${password}|pass@word|pass%40word`))
  await plane.client.delete(VIRTUAL_KEYS, { namespace: 'team', name: 'later' })
  await plane.client.delete(SECRETS, { namespace: SYSTEM, name: 'redis-login' })
  await until(async () => (await world.read(VIRTUAL_KEYS, 'team', 'later')) === undefined)
  t.equal(await secretOf(world, SYSTEM, 'redis-login'), undefined, 'Redis still has the old one: none is made up')
})

t.test('a login completes every form of address', async (t) => {
  const login = (entries: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'x' },
    data: Object.fromEntries(Object.entries(entries).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  })
  const complete = (url: string, entries: Record<string, string>) => completeUrl(url, login(entries))?.reveal()
  t.equal(complete('redis://r:6379', { password: 'a b\n' }), 'redis://:a%20b@r:6379')
  t.equal(
    complete('rediss+sentinel://a:1,b:2/m', { username: 'u', password: 'p@/' }),
    'rediss+sentinel://u:p%40%2F@a:1,b:2/m',
  )
  t.equal(complete('redis://r:6379', { username: 'u' }), undefined)
  const ofSentinels = { password: 'p', sentinelUsername: 'u', sentinelPassword: 's@:/' }
  const completed = 'redis+sentinel://:p@a:1/m?sentinel=u:s%40%3A%2F'
  t.equal(complete('redis+sentinel://a:1/m', ofSentinels), completed)
  t.equal(complete('redis://r', ofSentinels), 'redis://:p@r', 'which there are none of here')
  const forSidecars = (url: string) => withSentinelLogin(url, new Secret(completed))
  t.equal(forSidecars('redis+sentinel://b:1/m'), 'redis+sentinel://b:1/m?sentinel=u:s%40%3A%2F')
  t.equal(forSidecars('redis://r'), 'redis://r')
  t.equal(withSentinelLogin('redis+sentinel://b/m', new Secret('redis+sentinel://:p@a/m')), 'redis+sentinel://b/m')
})
