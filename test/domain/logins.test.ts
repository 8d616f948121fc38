import t from 'tap'
import { withoutLogins } from '../../src/domain/logins.ts'

const TOLD: readonly (readonly [message: string, told: string])[] = [
  ['not redis://user:hun@ter/2@host:1, but', 'not redis://...@host:1, but'],
  ['not redis://user:my hun ter2@host:1, but', 'not redis://...@host:1, but'],
  ['not redis://user:my h@n t@r2@host:1, but', 'not redis://...@host:1, but'],
  ['not redis://[x:hunter2@host:1', 'not redis://...@host:1'],
  ['not redis://:hunter2@[::1]:1', 'not redis://...@[::1]:1'],
  ["unknown option '--user:hunter2@host:1'", "unknown option '...@host:1'"],
  ['no subcommand user:hun@ter2@host:1; there are', 'no subcommand ...@host:1; there are'],
  ['--tag must be name=value, not a=user:hunter2@host', '--tag must be name=value, not a=...@host'],
  ['not redis+sentinel://h/x?sentinel=u:hunter2&a=b', 'not redis+sentinel://h/x?sentinel=...&a=b'],
  [
    '--otlp must be ..., not postgres://h/x?user=u&password=hunter2&a=b',
    '--otlp must be ..., not postgres://h/x?user=u&password=...&a=b',
  ],
  ['a,user:hunter2@host and b;user:hunter2@host', 'a,...@host and b;...@host'],
  ['redis://a and redis://u:hunter2@b', 'redis://a and redis://...@b'],
]

t.test('words of the user are told without logins', async (t) => {
  for (const [message, told] of TOLD) t.equal(withoutLogins(message), told)
})

t.test('what is no login stays', async (t) => {
  for (const message of [
    'expected redis[s][+sentinel|+cluster]://[user:password@]host[:port][,host...][/name][?sentinel=user:password]',
    'not redis://nowhere; expected redis://[user:password@]host',
    '--listen must be host:port, for example 127.0.0.1:4141, not 127.0.0.1',
    'ERR call to f_9a: @user_script:3: failed, on @user_script:3.',
    '/tmp/a:b@c/keys.yaml: no such file or folder',
    'bob@example.com, http://localhost:4141/x',
  ])
    t.equal(withoutLogins(message), message)
})

t.test('a long text without a login is read in time that grows with its length', async (t) => {
  for (const piece of ['://', '://a ', 'a:b ', 'a:', ':b', '://@', 'a:b@', '?sentinel=', '=a:', '[a:b@]'])
    t.ok(withoutLogins(piece.repeat(20_000)))
})
