/** Verifies shards against the keys that the operator has told. Ed25519. */
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { InvalidSnapshotError } from '../../domain/snapshot/parse-snapshot.ts'
import { signedText, type Shard } from '../../domain/snapshot/shards.ts'

export type ShardVerifier = (shard: Shard) => void

/**
 * Returns what throws an InvalidSnapshotError for a shard that none of the keys has signed.
 * @param keys SubjectPublicKeyInfo, DER; several during a rotation
 * @throws {TypeError} where one is not an Ed25519 key, or there is none
 */
export function createVerifier(keys: readonly Uint8Array[]): ShardVerifier {
  const publicKeys = keys.map(readKey)
  if (publicKeys.length === 0) throw new TypeError('there is no key to verify shards with')
  return (shard) => {
    const signature = Buffer.from(shard.signature, 'base64')
    const signed = Buffer.from(signedText(shard))
    if (!publicKeys.some((key) => verify(null, signed, key, signature)))
      throw new InvalidSnapshotError(`the signature of ${shard.name} is not the operator's`)
  }
}

function readKey(key: Uint8Array): KeyObject {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' })
    if (publicKey.asymmetricKeyType === 'ed25519') return publicKey
  } catch {
    // Said below, in words that tell where to look.
  }
  throw new TypeError('a key to verify shards with is not an Ed25519 public key')
}
