import t from 'tap'
import { parseRedisUrl } from '../../../../src/proxy/stores/redis/redis-url.ts'

const NO_LOGIN = {
  username: undefined,
  password: undefined,
  database: 0,
  masterName: '',
  sentinelUsername: undefined,
  sentinelPassword: undefined,
}

t.test('reads addresses of servers, Sentinels and clusters', async (t) => {
  const cases = {
    'redis://localhost': { ...NO_LOGIN, type: 'server', tls: false, hosts: [{ host: 'localhost', port: 6379 }] },
    'redis://127.0.0.1:7000/3': {
      ...NO_LOGIN,
      type: 'server',
      tls: false,
      database: 3,
      hosts: [{ host: '127.0.0.1', port: 7000 }],
    },
    'rediss://[::1]:7000': { ...NO_LOGIN, type: 'server', tls: true, hosts: [{ host: '::1', port: 7000 }] },
    'redis://app:p%40ss%3Aw@h': {
      ...NO_LOGIN,
      type: 'server',
      tls: false,
      username: 'app',
      password: 'p@ss:w',
      hosts: [{ host: 'h', port: 6379 }],
    },
    'redis://:secret@h': {
      ...NO_LOGIN,
      type: 'server',
      tls: false,
      password: 'secret',
      hosts: [{ host: 'h', port: 6379 }],
    },
    'redis+sentinel://a:1,b/mymaster/2': {
      ...NO_LOGIN,
      type: 'sentinel',
      tls: false,
      database: 2,
      masterName: 'mymaster',
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26379 },
      ],
    },
    'redis+sentinel://u:p@a/m?sentinel=:s%40%3A%2F': {
      ...NO_LOGIN,
      type: 'sentinel',
      tls: false,
      username: 'u',
      password: 'p',
      masterName: 'm',
      sentinelPassword: 's@:/',
      hosts: [{ host: 'a', port: 26379 }],
    },
    'rediss+cluster://a:1,b:2': {
      ...NO_LOGIN,
      type: 'cluster',
      tls: true,
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    },
  }
  for (const [url, address] of Object.entries(cases)) t.strictSame(parseRedisUrl(url), address, url)
})

t.test('refuses anything else, without repeating the password', async (t) => {
  const bad = [
    '',
    'http://h',
    'redis://',
    'redis://a,b',
    'redis://h:0',
    'redis://h:65536',
    'redis://h/x',
    'redis+sentinel://h',
    'redis+cluster://h/1',
    'redis+other://h',
    'redis://u:%zz-secret@h',
    'redis://u:secret@h:x',
    'redis://u:secret/word@h',
    'redis+sentinel://u:secret/word@h/mymaster',
    'redis://u:secret',
    'redis://h?sentinel=:secret',
    'redis+sentinel://h/m?sentinel=:secret&x=1',
    'redis+sentinel://h/m?password=secret',
  ]
  for (const url of bad) {
    t.throws(() => parseRedisUrl(url), TypeError, url)
    try {
      parseRedisUrl(url)
    } catch (error) {
      t.notMatch(String(error), 'secret')
    }
  }
})
