/**
 * Issues the certificates of an authority of our own: ECDSA P-256 with SHA-256, nothing else. Node makes and checks
 * certificates' keys and signatures, but has nothing that writes a certificate.
 * @see RFC 5280
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { Secret } from '../../domain/secret.ts'
import type { Milliseconds } from '../kube/timing.ts'
import {
  bitString,
  booleanTrue,
  contextConstructed,
  contextPrimitive,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  unsignedInteger,
  utf8String,
} from './der.ts'

const OID = Object.freeze({
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
})
const CURVE = 'P-256'
/** At most 20 bytes, and positive. @see RFC 5280, 4.1.2.2 */
const SERIAL_BYTES = 16
/** Clocks of nodes differ: a certificate is valid from a little before it was made, but not by much of its life. */
const BACKDATED_MS = 5 * 60_000
const BACKDATED_SHARE = 0.1
const DNS_NAME = 2
const MAX_COMMON_NAME = 64

/** A certificate and its key, PEM both. */
export interface Issued {
  readonly certificate: string
  /** PKCS#8. */
  readonly privateKey: Secret
}

export interface Validity {
  readonly now: Milliseconds
  readonly lifetimeMs: Milliseconds
}

/** A certificate authority that signs itself; it may sign servers' certificates only. */
export function issueAuthority(validity: Validity): Issued {
  const { publicKey, privateKey } = newKeyPair()
  const key = identifierOf(publicKey)
  // Told apart by name too: some verifiers choose the issuer by it alone.
  const name = commonName(`tollgate ${key.toString('hex').slice(0, 12)}`)
  const { now, lifetimeMs } = validity
  return {
    certificate: certificate({
      issuer: name,
      subject: name,
      notBefore: now - backdatedMs(lifetimeMs),
      notAfter: now + lifetimeMs,
      publicKey,
      signingKey: privateKey,
      extensions: [
        critical(OID.basicConstraints, sequence(booleanTrue(), unsignedInteger(Buffer.of(0)))),
        // keyCertSign, cRLSign
        critical(OID.keyUsage, bitString(Buffer.of(0b0000_0110), 1)),
        extension(OID.subjectKeyIdentifier, octetString(key)),
      ],
    }),
    privateKey: new Secret(privateKey),
  }
}

/** A server's certificate for DNS `names`; it ends no later than its authority. @throws where the authority's key is no P-256 key. */
export function issueServerCertificate(authority: Issued, names: readonly string[], validity: Validity): Issued {
  const { publicKey, privateKey } = newKeyPair()
  const issuer = new X509Certificate(authority.certificate)
  requireCurve(authority.privateKey)
  const { now, lifetimeMs } = validity
  return {
    certificate: certificate({
      issuer: subjectOf(issuer),
      subject: commonName((names[0] ?? '').slice(0, MAX_COMMON_NAME)),
      notBefore: now - backdatedMs(lifetimeMs),
      notAfter: Math.min(now + lifetimeMs, issuer.validToDate.getTime()),
      publicKey,
      signingKey: authority.privateKey.reveal(),
      extensions: [
        critical(OID.basicConstraints, sequence()),
        // digitalSignature
        critical(OID.keyUsage, bitString(Buffer.of(0b1000_0000), 7)),
        extension(OID.extendedKeyUsage, sequence(objectIdentifier(OID.serverAuthentication))),
        extension(
          OID.subjectAlternativeName,
          sequence(...names.map((name) => contextPrimitive(DNS_NAME, Buffer.from(name, 'ascii')))),
        ),
        extension(OID.subjectKeyIdentifier, octetString(identifierOf(publicKey))),
        extension(OID.authorityKeyIdentifier, sequence(contextPrimitive(0, identifierOf(spkiOf(issuer))))),
      ],
    }),
    privateKey: new Secret(privateKey),
  }
}

interface Content {
  /** DER of a Name, both. */
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly notBefore: Milliseconds
  readonly notAfter: Milliseconds
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer
  /** PEM. */
  readonly signingKey: string
  readonly extensions: readonly Uint8Array[]
}

function certificate(content: Content): string {
  const algorithm = sequence(objectIdentifier(OID.ecdsaWithSha256))
  const serial = randomBytes(SERIAL_BYTES)
  const signed = sequence(
    contextConstructed(0, unsignedInteger(Buffer.of(2))),
    unsignedInteger(serial),
    algorithm,
    content.issuer,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    content.publicKey,
    contextConstructed(3, sequence(...content.extensions)),
  )
  const signature = sign('sha256', signed, { key: content.signingKey, dsaEncoding: 'der' })
  return pem('CERTIFICATE', sequence(signed, algorithm, bitString(signature)))
}

function newKeyPair(): { readonly publicKey: Buffer; readonly privateKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: CURVE,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

function requireCurve(privateKey: Secret): void {
  const key = createPrivateKey(privateKey.reveal())
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new TypeError(`the authority's key must be an ECDSA key of ${CURVE}`)
}

/** The first 160 bits of the hash of the public key's bits. @see RFC 7093, section 2, method 1 */
function identifierOf(publicKey: Buffer): Buffer {
  // Uncompressed points of P-256 are 65 bytes, at the end of the structure.
  return createHash('sha256').update(publicKey.subarray(-65)).digest().subarray(0, 20)
}

function spkiOf(issuer: X509Certificate): Buffer {
  return issuer.publicKey.export({ type: 'spki', format: 'der' })
}

/** The issuer's name byte for byte: verifiers compare the encoding. */
function subjectOf(issuer: X509Certificate): Buffer {
  const lines = issuer.subject.split('\n')
  const [, name] = lines.length === 1 ? (/^CN=(.+)$/.exec(lines[0] ?? '') ?? []) : []
  if (name === undefined) throw new TypeError("the authority's subject must be a common name and nothing else")
  return commonName(name)
}

function commonName(text: string): Buffer {
  return sequence(set(sequence(objectIdentifier(OID.commonName), utf8String(text))))
}

function extension(oid: string, value: Uint8Array): Buffer {
  return sequence(objectIdentifier(oid), octetString(value))
}

function critical(oid: string, value: Uint8Array): Buffer {
  return sequence(objectIdentifier(oid), booleanTrue(), octetString(value))
}

function backdatedMs(lifetimeMs: Milliseconds): Milliseconds {
  return Math.min(BACKDATED_MS, lifetimeMs * BACKDATED_SHARE)
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
