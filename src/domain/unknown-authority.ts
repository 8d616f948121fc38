/** Codes of TLS for a certificate that was issued by nobody who is known here. @see https://nodejs.org/api/tls.html "X509 certificate error codes" */
const CODES: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
])

export function isUnknownAuthority(code: unknown): boolean {
  return CODES.has(code)
}
