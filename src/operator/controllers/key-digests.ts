/** Digests of key texts, one pepper an owner. */
import { deriveKeyPepper, keyDigester } from '../../crypto/derive.ts'
import type { Secret } from '../../domain/secret.ts'

/** HMAC of a key's text with its owner's pepper, hex. Peppers are derived once each. */
export function keyDigests(master: Secret): (text: string, owner: string) => string {
  const digesters = new Map<string, (text: string) => string>()
  return (text, owner) => {
    let digester = digesters.get(owner)
    if (digester === undefined) {
      digester = keyDigester(deriveKeyPepper(master, owner))
      digesters.set(owner, digester)
    }
    return digester(text)
  }
}
