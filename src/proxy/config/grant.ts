/** What the operator has granted to this sidecar, taken out of its message. All of it stays in memory. */
import { X509Certificate } from 'node:crypto'
import { keyDigester } from '../../crypto/derive.ts'
import { Secret } from '../../domain/secret.ts'
import type { GrantMessage, OrganizationSecretsMessage, RedisAccessMessage } from '../../proto/credentials.ts'
import type { DerivedSecrets } from './configuration.ts'
import { createVerifier, type ShardVerifier } from './verify.ts'

export interface Grant {
  readonly version: string
  readonly serviceAccount: string
  readonly verify: ShardVerifier
  readonly redis: RedisAccess
  /** PEM of the operator's authorities; undefined: those that the sidecar was started with. */
  readonly trust: string | undefined
  /** Keys of providers, by name. */
  readonly credentials: ReadonlyMap<string, Secret>
  readonly secrets: DerivedSecrets
  /** Names of those whose secrets are among them: a key of another cannot be served. */
  readonly organizations: ReadonlySet<string>
}

export interface RedisAccess {
  /** With user and password. */
  readonly url: Secret
  /** PEM; undefined: the system's certificates are trusted. */
  readonly ca: string | undefined
}

const HEXADECIMAL = /^(?:[0-9a-f]{2}){16,}$/

/** @throws {TypeError} which names what is wrong and shows no value. */
export function parseGrant(message: GrantMessage): Grant {
  if (message.redis === null) throw new TypeError('the grant names no Redis')
  const organizations = new Map(Object.entries(message.organizations))
  for (const [name, secrets] of organizations) requireSecrets(name, secrets)
  return {
    version: message.version,
    serviceAccount: message.serviceAccount,
    verify: createVerifier(message.shardKeys),
    trust: authorities(message.trustBundle),
    redis: { url: redisUrl(message.redis), ca: message.redis.ca === '' ? undefined : message.redis.ca },
    credentials: new Map(Object.entries(message.credentials).map(([name, value]) => [name, new Secret(value)])),
    organizations: new Set(organizations.keys()),
    secrets: {
      digestOf: keyDigester(hexadecimal('the pepper of keys', message.keyPepper)),
      redactionSecretOf: secretOf(organizations, ({ redactionSecret }) => redactionSecret),
      cacheKeyOf: secretOf(organizations, ({ cacheKey }) => cacheKey),
    },
  }
}

function secretOf(
  organizations: ReadonlyMap<string, OrganizationSecretsMessage>,
  take: (secrets: OrganizationSecretsMessage) => string,
): (organization: string) => Secret {
  const secrets = new Map([...organizations].map(([name, of]) => [name, new Secret(take(of))]))
  return (organization) => {
    const secret = secrets.get(organization)
    // Not a fallback value: masking with a guessable secret would be worse than refusing.
    if (secret === undefined) throw new Error(`no secrets are granted for organization ${organization}`)
    return secret
  }
}

function requireSecrets(name: string, { redactionSecret, cacheKey }: OrganizationSecretsMessage): void {
  hexadecimal(`the redaction secret of ${name}`, redactionSecret)
  hexadecimal(`the cache key of ${name}`, cacheKey)
}

function hexadecimal(what: string, value: string): Secret {
  if (!HEXADECIMAL.test(value)) throw new TypeError(`${what} is not hexadecimal`)
  return new Secret(value)
}

/** A text that is none would end every later connection. */
function authorities(pem: string): string | undefined {
  if (pem === '') return undefined
  try {
    void new X509Certificate(pem)
    return pem
  } catch {
    throw new TypeError("the operator's authorities in the grant are not PEM certificates")
  }
}

function redisUrl({ url, username, password }: RedisAccessMessage): Secret {
  const match = /^(rediss?(?:\+\w+)?:\/\/)(?:[^@/]*@)?(.+)$/.exec(url)
  if (match === null) throw new TypeError('the address of Redis in the grant is not one')
  const [, scheme = '', rest = ''] = match
  if (username === '' && password === '') return new Secret(url)
  return new Secret(`${scheme}${encodeURIComponent(username)}:${encodeURIComponent(password)}@${rest}`)
}
