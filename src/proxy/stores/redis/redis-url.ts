/**
 * Redis addresses as one string:
 *
 *   redis://user:password@host:6379/0            one server; rediss:// over TLS
 *   redis+sentinel://host1:26379,host2/mymaster  the master that the Sentinels name; rediss+sentinel:// with TLS
 *   redis+cluster://host1:6379,host2:6379        a cluster; rediss+cluster:// with TLS
 *
 * User and password are those of an ACL user of the data servers, percent-encoded; `:password@` is the default user's.
 * Sentinels that ask for a login of their own get it by `?sentinel=user:password` at the end, in the same writing.
 */

export interface RedisAddress {
  readonly type: 'server' | 'sentinel' | 'cluster'
  readonly tls: boolean
  readonly hosts: readonly RedisHost[]
  readonly username: string | undefined
  readonly password: string | undefined
  /** Of a server or behind Sentinels; clusters have only 0. */
  readonly database: number
  /** What the Sentinels call the master; empty otherwise. */
  readonly masterName: string
  /** Of the Sentinels themselves. */
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
}

export interface RedisHost {
  readonly host: string
  readonly port: number
}

const DEFAULT_PORT = 6379
const DEFAULT_SENTINEL_PORT = 26379
// Without the text: in an address without @ it is the login.
const NO_HOST = 'not a Redis address: a host is NAME, ADDRESS or [IPv6], each with or without :PORT from 1 to 65535'
// Not `new URL`: it knows no lists of hosts. No @ in the path: before it may stand a password with an unencoded slash.
const PATTERN =
  /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([^@?#]*))?(?:\?sentinel=([^@?#&]*))?$/
const HOST = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::([0-9]{1,5}))?$/

/** @throws {TypeError} that shows neither user nor password */
export function parseRedisUrl(url: string): RedisAddress {
  const match = PATTERN.exec(url)
  if (match === null)
    throw new TypeError(
      'not a Redis address: expected redis[s][+sentinel|+cluster]://[user:password@]host[:port][,host...][/name][?sentinel=user:password]',
    )
  const [, scheme, kind, credentials, hosts = '', path = '', sentinelCredentials] = match
  const type = kind === 'sentinel' || kind === 'cluster' ? kind : 'server'
  if (type !== 'sentinel' && sentinelCredentials !== undefined)
    throw new TypeError('a login of Sentinels is for redis+sentinel:// only')
  const sentinel = parseCredentials(sentinelCredentials)
  const address = {
    type,
    tls: scheme === 'rediss',
    hosts: hosts.split(',').map((host) => parseHost(host, type === 'sentinel' ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT)),
    ...parseCredentials(credentials),
    ...parsePath(type, path),
    sentinelUsername: sentinel.username,
    sentinelPassword: sentinel.password,
  } satisfies RedisAddress
  if (type === 'server' && address.hosts.length > 1)
    throw new TypeError('several Redis hosts need redis+sentinel:// or redis+cluster://')
  return address
}

function parseHost(text: string, defaultPort: number): RedisHost {
  const match = HOST.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3] ?? defaultPort)
  if (host === undefined || port === 0 || port > 65535) throw new TypeError(NO_HOST)
  return { host, port }
}

function parseCredentials(text: string | undefined): { username: string | undefined; password: string | undefined } {
  if (text === undefined || text === '') return { username: undefined, password: undefined }
  const colon = text.indexOf(':')
  const username = decode(colon < 0 ? text : text.slice(0, colon))
  const password = colon < 0 ? undefined : decode(text.slice(colon + 1))
  return { username: username === '' ? undefined : username, password }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('the user or password of the Redis address is not percent-encoded')
  }
}

function parsePath(type: RedisAddress['type'], path: string): { database: number; masterName: string } {
  const [masterName, databaseText] = type === 'sentinel' ? splitOnce(path) : ['', path]
  if (type === 'sentinel' && masterName === '')
    throw new TypeError('redis+sentinel:// needs the master name as its path')
  if (!/^[0-9]{0,4}$/.test(databaseText)) throw new TypeError('the database of a Redis address is a number')
  const database = Number(databaseText)
  if (type === 'cluster' && database !== 0) throw new TypeError('a Redis cluster has no database but 0')
  return { database, masterName: decode(masterName) }
}

function splitOnce(path: string): [string, string] {
  const slash = path.indexOf('/')
  return slash < 0 ? [path, ''] : [path.slice(0, slash), path.slice(slash + 1)]
}
