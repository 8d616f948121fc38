/**
 * Issues the certificates of an authority of our own: ECDSA P-256 with SHA-256, nothing else.
 * @see RFC 5280
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, webcrypto, X509Certificate } from 'node:crypto'
import type * as X509 from '@peculiar/x509'
import { Secret } from '../../domain/secret.ts'
import type { Milliseconds } from '../kube/timing.ts'

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }
const SIGNATURE = { ...CURVE, hash: 'SHA-256' }
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'
/** At most 20 bytes, and positive. @see RFC 5280, 4.1.2.2 */
const SERIAL_BYTES = 16
/** Clocks of nodes differ: a certificate is valid from a little before it was made, but not by much of its life. */
const BACKDATED_MS = 5 * 60_000
const BACKDATED_SHARE = 0.1
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
export async function issueAuthority({ now, lifetimeMs }: Validity): Promise<Issued> {
  const x509 = await loadLibrary()
  const pair = newKeyPair()
  // Told apart by name too: some verifiers choose the issuer by it alone.
  const digest = createHash('sha256').update(pair.publicKey).digest('hex')
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ CN: [`tollgate ${digest.slice(0, 12)}`] }],
    notBefore: begin(now, lifetimeMs),
    notAfter: new Date(now + lifetimeMs),
    keys: { publicKey: await importPublic(pair.publicKey), privateKey: await importPrivate(pair.privateKey) },
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(await importPublic(pair.publicKey)),
    ],
  })
  return { certificate: pem(certificate), privateKey: pair.privateKey }
}

/** A server's certificate for DNS `names`; it ends no later than its authority. @throws where the authority's key is no P-256 key. */
export async function issueServerCertificate(
  authority: Issued,
  names: readonly string[],
  { now, lifetimeMs }: Validity,
): Promise<Issued> {
  const x509 = await loadLibrary()
  requireCurve(authority.privateKey)
  const issuer = new x509.X509Certificate(authority.certificate)
  const pair = newKeyPair()
  const publicKey = await importPublic(pair.publicKey)
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [(names[0] ?? '').slice(0, MAX_COMMON_NAME)] }],
    // Byte for byte: verifiers compare the encoding.
    issuer: issuer.subjectName,
    notBefore: begin(now, lifetimeMs),
    notAfter: new Date(Math.min(now + lifetimeMs, issuer.notAfter.getTime())),
    publicKey,
    signingKey: await importPrivate(authority.privateKey),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTHENTICATION]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return { certificate: pem(certificate), privateKey: pair.privateKey }
}

/** Loaded when something is issued, which is once in two months: it holds twenty megabytes. */
async function loadLibrary(): Promise<typeof X509> {
  // What its dependency injection looks up.
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

interface KeyPair {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer
  readonly privateKey: Secret
}

function newKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: CURVE.namedCurve,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { publicKey, privateKey: new Secret(privateKey) }
}

function importPublic(publicKey: Buffer): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('spki', publicKey, CURVE, true, ['verify'])
}

function importPrivate(privateKey: Secret): Promise<webcrypto.CryptoKey> {
  const pkcs8 = createPrivateKey(privateKey.reveal()).export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', pkcs8, CURVE, false, ['sign'])
}

function requireCurve(privateKey: Secret): void {
  const key = createPrivateKey(privateKey.reveal())
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new TypeError(`the authority's key must be an ECDSA key of ${CURVE.namedCurve}`)
}

/** Hexadecimal. The first bit is never set: it would be a sign. */
function newSerial(): string {
  const bytes = randomBytes(SERIAL_BYTES)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

function begin(now: Milliseconds, lifetimeMs: Milliseconds): Date {
  return new Date(now - Math.min(BACKDATED_MS, lifetimeMs * BACKDATED_SHARE))
}

/** As Node writes it, with a line end. */
function pem(certificate: X509.X509Certificate): string {
  return new X509Certificate(Buffer.from(certificate.rawData)).toString()
}
