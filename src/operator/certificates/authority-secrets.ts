/** The authority and the server's certificate as Secrets. */
import type { JsonObject } from '../../domain/json.ts'
import type { Secret } from '../../domain/secret.ts'
import { entryOf } from '../controllers/generated-secret.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { Issued } from './issue.ts'
import { trustOf } from './renewal.ts'
import type { AuthorityState } from './renewal.ts'
import { isKeyOf, parseCertificate, splitPem } from './serving-certificate.ts'

export const AUTHORITY_SECRET = 'tollgate-ca'
export const SERVER_SECRET = 'tollgate-tls'

/**
 * The authority that a Secret holds.
 * @throws {TypeError} where it holds something else: an authority is never overwritten because it could not be read
 */
export function parseAuthority(secret: KubeObject): AuthorityState {
  const name = `Secret ${secret.metadata.namespace ?? ''}/${secret.metadata.name}`
  const signer = pair(secret, name, 'tls')
  if (signer === undefined) throw new TypeError(`${name} has no entries tls.crt and tls.key`)
  const next = pair(secret, name, 'next')
  const previous = splitPem(entryOf(secret, 'previous.crt')?.reveal() ?? '')
  return { signer, ...(next === undefined ? {} : { next }), previous }
}

/** Data of the authority's Secret. `ca.crt` is for people: all that is trusted. */
export function authorityData(state: AuthorityState): JsonObject {
  const { signer, next, previous } = state
  return {
    'ca.crt': encode(trustOf(state)),
    'tls.crt': encode(signer.certificate),
    'tls.key': encodeSecret(signer.privateKey),
    ...(next === undefined ? {} : { 'next.crt': encode(next.certificate), 'next.key': encodeSecret(next.privateKey) }),
    ...(previous.length === 0 ? {} : { 'previous.crt': encode(previous.join('')) }),
  }
}

/** Data of the server's Secret. */
export function serverData(server: Pick<Issued, 'certificate' | 'privateKey'>, trust: string): JsonObject {
  return {
    'tls.crt': encode(server.certificate),
    'tls.key': encodeSecret(server.privateKey),
    'ca.crt': encode(trust),
  }
}

function pair(secret: KubeObject, name: string, prefix: 'tls' | 'next'): Issued | undefined {
  const certificate = entryOf(secret, `${prefix}.crt`)?.reveal()
  const privateKey = entryOf(secret, `${prefix}.key`)
  if (certificate === undefined || privateKey === undefined) return undefined
  const parsed = parseCertificate(certificate, `entry ${prefix}.crt of ${name}`)
  if (!parsed.ca) throw new TypeError(`entry ${prefix}.crt of ${name} is no authority's certificate`)
  if (!isKeyOf(parsed, privateKey))
    throw new TypeError(`entry ${prefix}.key of ${name} is not the key of ${prefix}.crt`)
  return { certificate, privateKey }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

function encodeSecret(secret: Secret): string {
  return encode(secret.reveal())
}
