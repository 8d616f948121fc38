import t from 'tap'
import { attemptErrorOf } from '../../../src/proxy/providers/attempt-error.ts'

const PEER = 'the provider at https://api.example'

/** As the HTTP client throws it. */
function thrown(code: string | undefined, name = 'Error'): Error {
  return Object.assign(new Error('x'), { name, code })
}

t.test('an error is told with its code, where it has one that a log may show', async (t) => {
  const message = (code: string | undefined, name?: string) =>
    attemptErrorOf(thrown(code, name), 'waiting', PEER).message
  t.equal(
    message('HPE_INVALID_CONSTANT', 'HTTPParserError'),
    `the answer of ${PEER} is not valid HTTP (HPE_INVALID_CONSTANT)`,
  )
  t.equal(message(undefined, 'HTTPParserError'), `the answer of ${PEER} is not valid HTTP`)
  t.equal(message('EPIPE'), `the connection to ${PEER} broke (EPIPE)`)
  t.equal(message('words of a peer'), `the connection to ${PEER} broke`)
})

t.test('what kept a connection from being made is told with what is to be mended', async (t) => {
  const told = {
    ECONNREFUSED: /\(ECONNREFUSED\)$/,
    UND_ERR_SOCKET: /: it was opened, and closed before anything could be sent$/,
    ECONNRESET: /: it was opened, and closed before/,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      /: the authority of its certificate .* endpoint\.caSecretRef .* NODE_EXTRA_CA_CERTS/,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: /endpoint\.caSecretRef/,
    SELF_SIGNED_CERT_IN_CHAIN: /endpoint\.caSecretRef/,
    ERR_TLS_CERT_ALTNAME_INVALID: /: its certificate is for other names$/,
    CERT_HAS_EXPIRED: /: its certificate has expired/,
  }
  for (const [code, message] of Object.entries(told)) {
    const error = attemptErrorOf(thrown(code), 'connecting', PEER)
    t.match(error, { kind: 'connect', message }, code)
    t.ok(error.message.startsWith(`no connection to ${PEER} (${code})`), code)
  }
})
