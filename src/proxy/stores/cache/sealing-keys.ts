/**
 * The keys that entries are sealed with: one for each secret of an organization and process, made of the secret and a
 * random salt, which stands in every entry so that others can make the same key.
 *
 *     key = HMAC-SHA256(secret, "sealing " + salt)
 *
 * Why this is safe: AES-GCM breaks where one key meets one nonce twice. Two processes never have one key, as their salts
 * are 16 random bytes each (a billion salts of one secret meet with a chance of 10^-21); within a process the nonce is a
 * counter. A key is given up after `MAX_USES`, long before the counter ends and before so many blocks have been sealed
 * that their distribution would say something: 2^41 of them, where the first doubts begin at 2^48. Threads load this
 * module each for itself, and nobody forks a process or starts it from a memory image, which would double the counter.
 */
import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Secret } from '../../../domain/secret.ts'

export const SALT_BYTES = 16
/** Entries that one key seals, two megabytes each at most. */
const MAX_USES = 2 ** 24
/** Keys of other processes (and of this one) that are kept for opening. One that is not known costs some 4 us. */
const MAX_OPENING_KEYS = 256

/** A key for one entry: never given out with the same sequence again. */
export interface SealingKey {
  readonly salt: Uint8Array
  readonly key: KeyObject
  /** From 1, below 2^32. */
  sequence: number
}

/** Those of one secret. */
export class SealingKeys {
  readonly #secret: KeyObject
  readonly #maxUses: number
  readonly #opening = new LRUCache<string, KeyObject>({ max: MAX_OPENING_KEYS })
  #current: SealingKey | undefined

  constructor(secret: Secret, maxUses: number = MAX_USES) {
    this.#secret = createSecretKey(Buffer.from(secret.reveal(), 'hex'))
    this.#maxUses = maxUses
  }

  /** The key and sequence of the next entry; to be used at once, the next call counts on. */
  next(): SealingKey {
    let current = this.#current
    if (current === undefined || current.sequence >= this.#maxUses) {
      const salt = randomBytes(SALT_BYTES)
      current = { salt, key: this.opening(salt.toString('latin1')), sequence: 0 }
      this.#current = current
    }
    current.sequence++
    return current
  }

  /** @param salt its bytes as Latin-1 */
  opening(salt: string): KeyObject {
    let key = this.#opening.get(salt)
    if (key === undefined) {
      key = createSecretKey(createHmac('sha256', this.#secret).update(`sealing ${salt}`, 'latin1').digest())
      this.#opening.set(salt, key)
    }
    return key
  }
}

const keys = new WeakMap<Secret, SealingKeys>()

/** This process's keys of a secret. */
export function sealingKeysOf(secret: Secret): SealingKeys {
  let known = keys.get(secret)
  if (known === undefined) {
    known = new SealingKeys(secret)
    keys.set(secret, known)
  }
  return known
}
