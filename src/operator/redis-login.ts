/**
 * The operator's login to Redis, in a Secret of its namespace (entries `password` and, where it is not the default
 * user's, `username`; of Sentinels that ask for one `sentinelPassword` and `sentinelUsername`): made where that is asked
 * for, followed while the operator runs.
 */
import { Secret } from '../domain/secret.ts'
import { entryOf } from './controllers/generated-secret.ts'
import type { KubeClient } from './kube/kube-api.ts'
import { KubeError } from './kube/kube-error.ts'
import type { KubeObject } from './kube/kube-object.ts'
import { errorFields } from './kube/log.ts'
import type { Log } from './kube/log.ts'
import { Reflector } from './kube/reflector.ts'
import { SECRETS } from './kube/resource.ts'
import type { Timing } from './kube/timing.ts'

/** Hexadecimal, so that no URL or configuration file needs to escape it. */
const PASSWORD_BYTES = 32
const RETRY_MS = 2_000
/** In an address, before the login of the Sentinels: at its end. @see parseRedisUrl */
const SENTINEL_LOGIN = '?sentinel='

export interface RedisLoginOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch' | 'create'>
  readonly timing: Timing
  readonly log: Log
  readonly namespace: string
  readonly name: string
  /** Of Redis, without a login. */
  readonly url: string
  /** Makes the Secret where there is none; undefined: waits for it. */
  readonly randomBytes?: ((count: number) => Uint8Array) | undefined
  /** Told the complete URL as soon as there is one, and each other one that follows. Must not throw. */
  readonly onChange: (url: Secret) => void
}

/** Follows until `stop`. */
export interface RedisLogin {
  /** Resolves after the first. */
  readonly first: Promise<void>
  stop(): Promise<void>
}

export function followRedisLogin(options: RedisLoginOptions): RedisLogin {
  const { client, timing, log, namespace, name, url, randomBytes, onChange } = options
  const first = Promise.withResolvers<void>()
  let current: string | undefined
  const fieldSelector = `metadata.name=${name}`
  const reflector = new Reflector({ client, timing, log, resource: SECRETS, namespace, fieldSelector })
  reflector.onChange(({ current: secret }) => {
    if (secret === undefined) return
    const complete = completeUrl(url, secret)
    if (complete === undefined) return log.error({ secret: name }, 'the Secret of the Redis login has no password')
    if (complete.reveal() === current) return
    if (current !== undefined) log.info({ secret: name }, 'Redis login changed')
    current = complete.reveal()
    onChange(complete)
    first.resolve()
  })
  reflector.start()
  void reflector.synced.then(() => {
    if (current !== undefined) return undefined
    if (randomBytes === undefined) return log.warn({ secret: name }, 'waiting for the Secret of the Redis login')
    return createUntilDone(options, randomBytes)
  })
  return { first: first.promise, stop: () => reflector.stop() }
}

/** A Redis address with a Secret's login; undefined where the Secret has none. */
export function completeUrl(url: string, secret: KubeObject): Secret | undefined {
  const login = loginIn(secret, 'username', 'password')
  if (login === undefined) return undefined
  const sentinel = loginIn(secret, 'sentinelUsername', 'sentinelPassword')
  const complete = url.replace(/^([a-z+]+:\/\/)(?:[^@/]*@)?/, (_, scheme: string) => `${scheme}${login}@`)
  return new Secret(isOfSentinels(url) && sentinel !== undefined ? `${complete}${SENTINEL_LOGIN}${sentinel}` : complete)
}

/**
 * The address for sidecars, who have logins of their own to the data servers, with the Sentinels' login of the
 * operator's: to ask who the master is there is but one.
 */
export function withSentinelLogin(url: string, operators: Secret): string {
  const [, login] = operators.reveal().split(SENTINEL_LOGIN)
  return login === undefined || !isOfSentinels(url) || url.includes(SENTINEL_LOGIN)
    ? url
    : `${url}${SENTINEL_LOGIN}${login}`
}

/** Percent-encoded; undefined where there is no password. */
function loginIn(secret: KubeObject, userEntry: string, passwordEntry: string): string | undefined {
  const password = entryOf(secret, passwordEntry)?.reveal().trim() ?? ''
  const username = entryOf(secret, userEntry)?.reveal().trim() ?? ''
  return password === '' ? undefined : `${encodeURIComponent(username)}:${encodeURIComponent(password)}`
}

function isOfSentinels(url: string): boolean {
  return /^rediss?\+sentinel:/.test(url)
}

async function createUntilDone(options: RedisLoginOptions, randomBytes: (count: number) => Uint8Array): Promise<void> {
  const { client, timing, log, namespace, name } = options
  const labels = { 'app.kubernetes.io/managed-by': 'tollgate' }
  const password = Buffer.from(Buffer.from(randomBytes(PASSWORD_BYTES)).toString('hex')).toString('base64')
  try {
    await client.create(SECRETS, { metadata: { namespace, name, labels }, type: 'Opaque', data: { password } })
    log.info({ secret: name }, 'Redis login made')
  } catch (error) {
    // Another replica was first: the watch shows its Secret.
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return
    log.warn({ secret: name, ...errorFields(error) }, 'Redis login not made')
    timing.after(RETRY_MS, () => void createUntilDone(options, randomBytes))
  }
}
