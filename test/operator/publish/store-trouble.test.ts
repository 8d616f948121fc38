import t from 'tap'
import { Secret } from '../../../src/domain/secret.ts'
import { storeTrouble } from '../../../src/operator/publish/store-trouble.ts'

t.test('names the Redis without its login, and the nearest cause', async (t) => {
  const say = (url: string, connection?: Error, failed?: unknown) => storeTrouble(new Secret(url), connection, failed)
  const offline = new Error('not connected to Redis')
  const cases: readonly (readonly [said: string, wanted: string])[] = [
    [
      say('rediss://user:pa%40ss@redis.data:6379', new Error('WRONGPASS invalid'), offline),
      'Redis at rediss://redis.data:6379 does not take the configuration: WRONGPASS invalid',
    ],
    [
      say('redis://:p@s/s?w@redis:6379/0', undefined, new Error('Redis refuses: OOM command not allowed')),
      'Redis at redis://redis:6379/0 does not take the configuration: Redis refuses: OOM command not allowed',
    ],
    [
      say('redis+sentinel://u:secret@a:26379,b:26379/mymaster?sentinel=u:secret', new Error('no master')),
      'Redis at redis+sentinel://a:26379,b:26379/mymaster does not take the configuration: no master',
    ],
    [
      say(
        'redis://localhost:1',
        new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')]),
        offline,
      ),
      'Redis at redis://localhost:1 does not take the configuration: refused ::1, refused 127.0.0.1',
    ],
    [say('redis://a:1'), 'Redis at redis://a:1 does not take the configuration: it is not known why'],
  ]
  for (const [said, wanted] of cases) t.equal(said, wanted)
  t.ok(say('redis://a:1', new Error('x'.repeat(9_999))).length < 400)
})
