/** Signs shards, so that whoever steals a login to the store cannot redirect a provider or make a key. Ed25519. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { Secret } from '../../domain/secret.ts'
import { signedText, type Shard, type ShardContent } from '../../domain/snapshot/shards.ts'
import { SNAPSHOT_SCHEMA } from '../../domain/snapshot/snapshot.ts'

export interface ShardSigner {
  /** What readers verify with: SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array
  /** Deterministic: the same content in the same place has the same signature. */
  sign(content: ShardContent, place: { readonly epoch: number; readonly sequence: number }): Shard
}

/** A new private key, PKCS#8 PEM, for the Secret where the operator keeps it. */
export function generateSigningKey(): Secret {
  const { privateKey } = generateKeyPairSync('ed25519')
  return new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

/** @throws {Error} where the key is not an Ed25519 private key in PEM; the message does not show it. */
export function createSigner(privateKey: Secret): ShardSigner {
  const key = readKey(privateKey)
  return {
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }),
    sign(content, { epoch, sequence }) {
      const unsigned = { ...content, schema: SNAPSHOT_SCHEMA, epoch, sequence } as const
      return { ...unsigned, signature: sign(null, Buffer.from(signedText(unsigned)), key).toString('base64') }
    },
  }
}

function readKey(pem: Secret) {
  try {
    const key = createPrivateKey(pem.reveal())
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Without the cause: OpenSSL's message may quote the input.
  }
  throw new Error('the signing key is not an Ed25519 private key in PEM')
}
