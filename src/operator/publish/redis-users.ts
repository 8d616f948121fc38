/**
 * The login to Redis that an owner's sidecars get: an ACL user who reads the configuration that concerns the owner and
 * writes what its organizations' requests leave behind, and nothing else. ACL users are neither replicated nor saved by
 * Redis itself: they are set again at each resync.
 *
 * What it cannot prevent: who holds it can change the counters and cached answers of these organizations.
 */
import { createHash } from 'node:crypto'
import { deriveRedisPassword } from '../../crypto/derive.ts'
import type { Secret } from '../../domain/secret.ts'
import { acknowledgersKey, acknowledgementKey } from '../../domain/snapshot/shard-store.ts'
import { CATALOG_SHARD, organizationShard, ownerShard } from '../../domain/snapshot/shards.ts'
import type { PublishRedis } from './redis-port.ts'

const TIMEOUT_MS = 2_000

/**
 * The types of data that sidecars keep, without the commands that look at or delete what they do not name (CLIENT TRACKING
 * tells the names of all keys that anybody writes, CLIENT PAUSE stops everybody); at the end what a connection is opened
 * with: behind Sentinels the master is asked what it is, in a cluster each node who has what.
 */
const COMMANDS: readonly string[] = (
  '-@all +@connection +@string +@hash +@set +@sortedset -@dangerous -@blocking -client|tracking ' +
  '+lpush +ltrim +lrange +eval +evalsha +time +del +unlink +exists +expire +pexpire +ttl +pttl +role +cluster|slots'
).split(' ')

/** Of these, what a connection is opened with and a shard is read with. */
const READING: readonly string[] =
  '-@all +@connection -@dangerous -client|tracking +get +getrange +role +cluster|slots'.split(' ')

export interface TenantOptions {
  readonly owner: string
  /** Those of the owner's keys. */
  readonly organizations: readonly string[]
  /** The installation's master secret, hexadecimal. */
  readonly master: Secret
}

export interface TenantLogin {
  readonly username: string
  readonly password: Secret
}

/** Makes the user what it should be. Connections that it has open stay. @throws where Redis does not answer or refuses. */
export async function ensureTenantUser(redis: PublishRedis, options: TenantOptions): Promise<TenantLogin> {
  const login = tenantLogin(options)
  const hash = createHash('sha256').update(login.password.reveal()).digest('hex')
  // By its hash: what is sent may be seen in MONITOR and the slow log.
  const command = ['ACL', 'SETUSER', login.username, 'reset', 'on', `#${hash}`, ...tenantRules(options)]
  await redis.sendToAll(command, { timeoutMs: TIMEOUT_MS })
  return login
}

/** Leaves the user, and the connections that it has open, the owner's shard to read and nothing else. @throws as above */
export async function restrictTenantUser(redis: PublishRedis, owner: string): Promise<void> {
  const rules = [...READING, `%R~${literally(ownerShard(owner))}`]
  const command = ['ACL', 'SETUSER', usernameOf(owner), 'resetkeys', 'clearselectors', ...rules]
  await redis.sendToAll(command, { timeoutMs: TIMEOUT_MS })
}

/** Takes the user away and ends its connections. @throws where Redis does not answer. */
export async function removeTenantUser(redis: PublishRedis, owner: string): Promise<void> {
  await redis.sendToAll(['ACL', 'DELUSER', usernameOf(owner)], { timeoutMs: TIMEOUT_MS })
}

/** The owners that have a login, by server. @throws as below */
export async function ownersWithLogins(redis: PublishRedis): Promise<readonly ReadonlySet<string>[]> {
  return (await readByLogins(redis)).map((logins) => new Set(logins.keys()))
}

/**
 * By server and owner, the patterns of what its login may only read, whichever leader made it. Users of other people are
 * none, whatever they are called: a login reads its owner's shard. @throws where Redis does not answer or refuses
 */
export async function readByLogins(redis: PublishRedis): Promise<readonly ReadonlyMap<string, ReadonlySet<string>>[]> {
  const replies = await redis.sendToAll(['ACL', 'LIST'], { timeoutMs: TIMEOUT_MS })
  return replies.map(
    (reply) => new Map(Array.isArray(reply) ? reply.flatMap((line) => loginIn(String(line)) ?? []) : []),
  )
}

/** Of a line of ACL LIST. */
function loginIn(line: string): readonly [readonly [string, ReadonlySet<string>]] | undefined {
  const owner = /^user tollgate-(\S+) /.exec(line)?.[1]
  if (owner === undefined) return undefined
  const read = new Set(line.split(' ').flatMap((word) => (word.startsWith('%R~') ? [word.slice(3)] : [])))
  return read.has(literally(ownerShard(owner))) ? [[owner, read]] : undefined
}

/** The same for every replica of the operator. */
export function tenantLogin({ owner, master }: Pick<TenantOptions, 'owner' | 'master'>): TenantLogin {
  return { username: usernameOf(owner), password: deriveRedisPassword(master, owner) }
}

/** What the user may do, as ACL rules. @see https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
export function tenantRules({ owner, organizations }: Omit<TenantOptions, 'master'>): readonly string[] {
  const own = [acknowledgersKey(owner), acknowledgementKey(owner, '')].map(literally)
  const tenants = organizations.map((name) => `{${literally(encodeURIComponent(name))}}`)
  return [
    ...COMMANDS,
    ...readPatterns({ owner, organizations }).map((pattern) => `%R~${pattern}`),
    `~${own[0] ?? ''}`,
    `~${own[1] ?? ''}*`,
    ...tenants.flatMap((tenant) => [`~tg:q:${tenant}:*`, `~tg:c:v?:${tenant}:*`]),
    ...tenants.map((tenant) => `(+xadd +eval +evalsha ~tg:audit:${tenant})`),
  ]
}

/** Of the shards that the user may read. */
export function readPatterns({ owner, organizations }: Omit<TenantOptions, 'master'>): readonly string[] {
  return [CATALOG_SHARD, ownerShard(owner), ...organizations.map(organizationShard)].map(literally)
}

function usernameOf(owner: string): string {
  return `tollgate-${owner}`
}

/** A pattern that matches this text only. */
function literally(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)
}
