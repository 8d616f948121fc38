/**
 * Every secret of an installation comes from its master secret, each for one purpose (HKDF-SHA256, RFC 5869). The
 * labels are part of the stored data: a changed one orphans every key, token and cached answer.
 */
import { hkdfSync } from 'node:crypto'
import { Secret } from '../domain/secret.ts'
import { TextHmac } from './hmac.ts'

const BYTES = 32

/** Pepper of virtual keys, hex. `owner`: a pepper that only this owner's data planes know; absent: of all owners. */
export function deriveKeyPepper(master: Secret, owner?: string): Secret {
  return derive(master, owner === undefined ? 'tollgate virtual-key pepper' : `tollgate virtual-key pepper ${owner}`)
}

/** Secret of an organization for its redaction tokens, hex. */
export function deriveRedactionSecret(master: Secret, organization: string): Secret {
  return derive(master, `tollgate redaction ${organization}`)
}

/** Secret of an organization that its cached answers are sealed with, hex. */
export function deriveCacheKey(master: Secret, organization: string): Secret {
  return derive(master, `tollgate cache ${organization}`)
}

/** Password of an owner's login to Redis, hex. */
export function deriveRedisPassword(master: Secret, owner: string): Secret {
  return derive(master, `tollgate redis login ${owner}`)
}

/** HMAC-SHA256 of a virtual key's text, hex, as in `KeyDigest`. */
export function keyDigester(pepper: Secret): (keyText: string) => string {
  const hmac = new TextHmac(Buffer.from(pepper.reveal(), 'hex'))
  return (keyText) => hmac.digest(keyText, 'hex')
}

function derive(master: Secret, purpose: string): Secret {
  const bytes = hkdfSync('sha256', Buffer.from(master.reveal(), 'hex'), '', purpose, BYTES)
  return new Secret(Buffer.from(bytes).toString('hex'))
}
