/** The certificate that the operator's servers present, as a Secret holds it (type kubernetes.io/tls, with `ca.crt`). */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Secret } from '../../domain/secret.ts'
import { entryOf } from '../controllers/generated-secret.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { Milliseconds } from '../kube/timing.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

export interface ServingCertificate {
  /** PEM: the server's own, then what stands between it and its authority. */
  readonly certificate: string
  readonly privateKey: Secret
  /** PEM of the authorities that clients shall trust; several during a change of authority. */
  readonly trust: string
  readonly notBeforeMs: Milliseconds
  readonly notAfterMs: Milliseconds
}

/** @throws {TypeError} that says what is missing or wrong and shows no value. */
export function parseServingCertificate(secret: KubeObject): ServingCertificate {
  const name = `Secret ${secret.metadata.namespace ?? ''}/${secret.metadata.name}`
  const entry = (key: string): Secret => {
    const value = entryOf(secret, key)
    if (value === undefined) throw new TypeError(`${name} has no entry ${key}`)
    return value
  }
  const [certificate, privateKey, trust] = [entry('tls.crt').reveal(), entry('tls.key'), entry('ca.crt').reveal()]
  const leaf = parseCertificate(certificate, `entry tls.crt of ${name}`)
  parseCertificate(trust, `entry ca.crt of ${name}`)
  if (!isKeyOf(leaf, privateKey)) throw new TypeError(`entry tls.key of ${name} is not the key of its tls.crt`)
  // Without what people write between them.
  return { certificate, privateKey, trust: splitPem(trust).join(''), ...validityOf(leaf) }
}

/** The single certificates of a PEM text, each with a line end; what is between them is left out. */
export function splitPem(text: string): readonly string[] {
  return [...text.matchAll(CERTIFICATE)].map(([one]) => `${one}\n`)
}

/** The first certificate of a PEM text. @throws {TypeError} which names it as `what` */
export function parseCertificate(pem: string, what: string): X509Certificate {
  try {
    return new X509Certificate(splitPem(pem)[0] ?? '')
  } catch {
    throw new TypeError(`${what} is no PEM certificate`)
  }
}

/** When a certificate is valid. */
export function validityOf(certificate: X509Certificate): {
  readonly notBeforeMs: Milliseconds
  readonly notAfterMs: Milliseconds
} {
  return { notBeforeMs: certificate.validFromDate.getTime(), notAfterMs: certificate.validToDate.getTime() }
}

/** Whether the certificate is for this private key. */
export function isKeyOf(certificate: X509Certificate, privateKey: Secret): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(privateKey.reveal()))
  } catch {
    return false
  }
}
