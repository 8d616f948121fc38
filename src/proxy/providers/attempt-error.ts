/** What an error of the HTTP client means for an attempt. Its text goes to logs: of an address it holds the origin, no more. */
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
    return new AttemptError('protocol', `the answer of ${peer} is not valid HTTP (${code})`)
  }
  if (stage === 'connecting') return new AttemptError('connect', `no connection to ${peer} (${code})`, { cause: error })
  return new AttemptError('cut', `the connection to ${peer} broke (${code})`, { cause: error })
}

/** The connect clock ran out. */
export function connectTimeout(peer: string, cause?: unknown): AttemptError {
  return new AttemptError('timeout', `no connection to ${peer} within the connect clock`, { clock: 'connect', cause })
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
  // An upgrade or a 100 that nobody asked for has the code of a broken connection.
  return /^bad (upgrade|response)$/.test(error.message)
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'no code'
}
