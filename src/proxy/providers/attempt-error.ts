/** What an error of the HTTP client means for an attempt. Its text goes to logs: of an address it holds the origin, no more. */
import { isUnknownAuthority } from '../../domain/unknown-authority.ts'
import { AttemptError } from '../pipeline/ports.ts'

/** The answer broke the rules of HTTP, or passed a limit of ours. @see undici lib/core/errors.js */
const PROTOCOL_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
])

/** The other side has closed the connection, orderly or not, or there is none any more to write to. */
const BROKEN_CODES: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** What its certificate lacks otherwise. */
const CERTIFICATE_FAULTS: ReadonlyMap<string, string> = new Map([
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for other names'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired, or the clock here is ahead'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet, or the clock here is behind'],
])

/**
 * What the request did not ask for, by undici's words for it, which have the code of a broken connection. Its parser ends an exchange
 * at a 100, where all other 1xx are passed over.
 */
const UNASKED: ReadonlyMap<string, string> = new Map([
  ['bad response', 'begins with a 100 Continue, for which no request here asks; what follows it cannot be read'],
  ['bad upgrade', 'changes to a protocol for which no request here asks'],
])

/** The parser's word for a connection that closed in the middle of an answer. */
const CUT_IN_PARSER = 'HPE_INVALID_EOF_STATE'

/** How far an exchange had come: nothing sent, the answer's headers not yet complete, its body on the way. */
export type ExchangeStage = 'connecting' | 'waiting' | 'answering'

/**
 * @param stage where the error met the exchange
 * @param peer who was spoken to, as a log says it: `the provider at https://api.example`
 */
export function attemptErrorOf(error: unknown, stage: ExchangeStage, peer: string): AttemptError {
  if (error instanceof AttemptError) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return connectTimeout(peer, error)
  }
  if (isProtocolError(error, code, stage)) {
    // Without its cause: the parser's error carries bytes of the answer, and this one may be logged.
    return new AttemptError(
      'protocol',
      `the answer of ${peer} ${UNASKED.get(messageOf(error)) ?? `is not valid HTTP${inBrackets(code)}`}`,
    )
  }
  if (stage === 'connecting') {
    return new AttemptError('connect', `no connection to ${peer}${inBrackets(code)}${cureOf(code)}`, { cause: error })
  }
  return new AttemptError('cut', `the connection to ${peer} broke${inBrackets(code)}`, { cause: error })
}

/** What has happened, and what is to be mended, where the other side was reached. */
function cureOf(code: string): string {
  if (BROKEN_CODES.has(code)) return ': it was opened, and closed before anything could be sent'
  const fault = CERTIFICATE_FAULTS.get(code)
  if (fault !== undefined) return `: ${fault}`
  if (!isUnknownAuthority(code)) return ''
  return ': the authority of its certificate is not known here; endpoint.caSecretRef of the Provider names it, or NODE_EXTRA_CA_CERTS where there is none'
}

/** The connect clock ran out. */
export function connectTimeout(peer: string, cause?: unknown): AttemptError {
  return new AttemptError('timeout', `no connection to ${peer} within the connect clock`, { clock: 'connect', cause })
}

/** All clocks of a health check are one. */
export function checkTimeout(peer: string, { clock, cause }: AttemptError): AttemptError {
  const missing = clock === 'connect' ? 'connection to' : 'answer of'
  return new AttemptError('timeout', `no ${missing} ${peer} within healthCheck.timeout`, { clock, cause })
}

/** Whether the other side ended the connection: no clock and no abort of ours did. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN_CODES.has(codeOf(error))
}

function isProtocolError(error: unknown, code: string, stage: ExchangeStage): boolean {
  if (PROTOCOL_CODES.has(code)) return true
  // Within the body it is one that ended early; before, two lengths that contradict each other.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return stage === 'waiting'
  if (!(error instanceof Error)) return false
  // The parser's errors do not all have a code.
  if (error.name === 'HTTPParserError') return code !== CUT_IN_PARSER
  return UNASKED.has(error.message)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${code})`
}

/** Empty: it has none, or none that a log may show. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : ''
}
