/**
 * Where a request's answer would be in the cache, and the first look for it. Nothing here needs the request to be
 * admitted, so that the shared cache is asked while the quota store is.
 */
import { TextHmac } from '../../../crypto/hmac.ts'
import { parseCacheControl, type CacheWish } from '../../../domain/caching/cache-control.ts'
import type { StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { Secret } from '../../../domain/secret.ts'
import { UNCOUNTED_BYTES } from '../memory/answer-memory.ts'
import type { CacheAddress, CacheScope, PurgeMarks } from '../cache-port.ts'
import { fieldLines } from '../reading/header-lines.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'

export interface LookUp {
  readonly wish: CacheWish
  /** Undefined: the cache is not asked. */
  readonly address: CacheAddress | undefined
  /** A promise only where the shared store must tell what has been purged. */
  readonly looked: Looked | Promise<Looked> | undefined
}

export interface Looked {
  readonly marks: PurgeMarks
  /** What this process holds, unless it is large. */
  readonly near: StoredAnswer | undefined
  /** What the shared store holds; undefined: it has not been asked. Never rejects. */
  readonly far: Promise<StoredAnswer | undefined> | undefined
}

/** @param text what the key is made of; undefined: not to be cached. Asked only where the cache is wanted. */
export function beginLookUp(
  text: () => string | undefined,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): LookUp {
  const wish = wishOf(caller, record)
  const address = wish.read || wish.store ? addressOf(text, caller) : undefined
  return { wish, address, looked: address && look(address, wish, services) }
}

function look(address: CacheAddress, wish: CacheWish, services: Services): Looked | Promise<Looked> {
  const { cache } = services
  const known = cache.knownPurgeMarks(address.scope)
  if (known !== undefined) return lookWith(known, address, wish, services)
  return cache.purgeMarks(address.scope).then((marks) => lookWith(marks, address, wish, services))
}

/**
 * The shared store is asked at once where this process has no answer and nobody here is getting one. A large answer of
 * this process is read later, in a turn of its own.
 */
function lookWith(marks: PurgeMarks, address: CacheAddress, { read }: CacheWish, { cache, flights }: Services): Looked {
  if (!read || hasLargeNear(address, cache)) return { marks, near: undefined, far: undefined }
  const near = cache.readNear(address, marks)
  const asksFar = near === undefined && !flights.has(flightOf(address))
  return { marks, near, far: asksFar ? cache.readFar(address, marks) : undefined }
}

/** Whether this process holds an answer that counts in the answers' budget. */
export function hasLargeNear(address: CacheAddress, cache: Services['cache']): boolean {
  return cache.nearBytes(address) > UNCOUNTED_BYTES
}

function wishOf({ policy }: GovernedCaller, { incoming }: RequestRecord): CacheWish {
  if (policy.cache.exact?.enabled === false) return { read: false, store: false, maxAgeSeconds: undefined }
  return parseCacheControl(fieldLines(incoming.rawHeaders, 'cache-control'))
}

/** The digest is keyed with the organization's secret: who reads the store cannot test guesses of a prompt. */
function addressOf(textOf: () => string | undefined, caller: GovernedCaller): CacheAddress | undefined {
  const text = textOf()
  if (text === undefined) return undefined
  const secret = caller.configuration.cacheKeyOf(caller.organization.name)
  const scope: CacheScope = { organization: caller.organization.name, project: caller.key.project, secret }
  return { scope, digest: digestOf(scope, text) }
}

/** What identical requests have in common while one of them asks. A digest is of its scope as well. */
export function flightOf({ digest }: CacheAddress): string {
  return digest
}

/** Keyed SHA-256 of a text within a scope, base64url. */
export function digestOf({ organization, project, secret }: CacheScope, text: string): string {
  return hmacOf(secret).digest(`digest ${organization}\n${project ?? ''}\n${text}`, 'base64url')
}

/** Made once a secret. */
const hmacs = new WeakMap<Secret, TextHmac>()

function hmacOf(secret: Secret): TextHmac {
  let known = hmacs.get(secret)
  if (known === undefined) {
    known = new TextHmac(Buffer.from(secret.reveal(), 'hex'))
    hmacs.set(secret, known)
  }
  return known
}
