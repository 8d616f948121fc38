/** What can go wrong with a call to Redis, in the terms of those who must decide what to do without it. */

import { isUnknownAuthority } from '../../../domain/unknown-authority.ts'

/** Redis did not do what was asked, or did not say so in time. */
export class RedisUnavailableError extends Error {
  /** The call was sent and may have been, or may still be, executed. */
  readonly maybeExecuted: boolean

  constructor(message: string, maybeExecuted: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'RedisUnavailableError'
    this.maybeExecuted = maybeExecuted
  }
}

/** Replies of a server that is, or has become, the wrong one to write to: look for another. */
const WRONG_SERVER = ['READONLY', 'MASTERDOWN', 'NOAUTH', 'WRONGPASS', 'UNBLOCKED']
/** Replies of a server that cannot serve now. Nothing was executed. */
const NOT_NOW = ['LOADING', 'BUSY', 'OOM', 'MISCONF', 'NOREPLICAS', 'CLUSTERDOWN', 'TRYAGAIN', 'NOPERM']

/** Error replies begin with a word in capitals. */
const REPLY = /^([A-Z]{2,})\b/
/** How Redis 6 puts what the server refused to a script; since Redis 7 such a reply begins with its own word too. */
const FAILED_SCRIPT = /^ERR Error running script .*: -([A-Z]{2,})\b/
/** How servers put it that the login has no right to what a script calls: Redis 6 and 7.0, and later ones. */
const NO_RIGHT =
  /^ERR (?:Error running script .*: )?(?:The user executing the script (?:can't|(?:is )?lacking) |(?:NOPERM )?ACL failure in script: |NOPERM )/

export function isWrongServer(error: unknown): error is Error {
  return hasCode(error, WRONG_SERVER)
}

/** The server does not know the script of an EVALSHA. */
export function isUnknownScript(error: unknown): boolean {
  return hasCode(error, ['NOSCRIPT'])
}

/** The server takes a script's header for a part of its text, as Redis 6 does, or does not know what is in it. */
export function isUnknownHeader(error: unknown): boolean {
  return error instanceof Error && /^ERR (?:Error compiling script|.* script shebang)/.test(error.message)
}

/** A server that does not know a command repeats what came with it: of HELLO, before Redis 6, the password. */
const SENT = /, with args beginning with:.*/s

/** The same error, which a log may hold: neither its message nor its stack, which begins with that, repeats what was sent. */
function withoutSent(error: unknown): void {
  if (!(error instanceof Error) || !SENT.test(error.message)) return
  const said = error.message
  error.message = said.replace(SENT, '')
  if (error.stack !== undefined) error.stack = error.stack.replace(said, () => error.message)
}

/** What a failed call throws: an error reply that says nothing about the server's health stays as it is, without what was sent. */
export function callError(error: unknown): unknown {
  withoutSent(error)
  if (error instanceof RedisUnavailableError) return error
  if (hasCode(error, WRONG_SERVER)) return unavailable('Redis cannot take writes here', false, error)
  if (hasCode(error, NOT_NOW)) return unavailable('Redis refuses', false, error)
  if (codeOf(error) !== undefined) return error
  // Whatever is no reply is the connection's, in the library's own words: closed, offline, queue full.
  return unavailable('the connection to Redis broke', true, error)
}

function unavailable(message: string, maybeExecuted: boolean, cause: unknown): RedisUnavailableError {
  return new RedisUnavailableError(withCause(message, cause), maybeExecuted, cause)
}

function hasCode(error: unknown, codes: readonly string[]): error is Error {
  const code = codeOf(error)
  return code !== undefined && codes.includes(code)
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (NO_RIGHT.test(error.message)) return 'NOPERM'
  return (FAILED_SCRIPT.exec(error.message) ?? REPLY.exec(error.message))?.[1]
}

/** Why there is no connection, for people: whether nobody is there, or who is there refuses. Words of ours may stand around Redis's. */
export function unreachableError(error: unknown): Error {
  const replies = [error, error instanceof Error ? error.cause : undefined]
  const isRefused = replies.some((reply) => hasCode(reply, [...WRONG_SERVER, ...NOT_NOW, 'ERR']))
  return because(isRefused ? 'Redis refuses the connection' : 'Redis cannot be reached', error)
}

/**
 * Redis's own words where it answered a call and refused it. Undefined: it gave no answer, or is the wrong server, which the
 * connection finds out and tells.
 */
export function refusalOf(error: unknown): string | undefined {
  const reply = error instanceof RedisUnavailableError ? error.cause : error
  const code = codeOf(reply)
  if (!(reply instanceof Error) || code === undefined || WRONG_SERVER.includes(code)) return undefined
  return reply.message.slice(0, MAX_CAUSE)
}

/**
 * Why a login failed: where the server asks for one and there is none, `lacking` goes before its words, which are of its protocol.
 * @param password the library sends none where it is empty, as a shell makes it of a variable that is not set
 * @param lacking what the address lacks
 * @param refused whose login was refused, where the address has another one as well
 */
export function loginError(error: unknown, password: string | undefined, lacking: string, refused?: string): unknown {
  withoutSent(error)
  if (refused !== undefined && hasCode(error, ['WRONGPASS'])) return because(refused, error)
  return (password ?? '') === '' && hasCode(error, ['NOAUTH']) ? because(lacking, error) : error
}

/** The same error, or, where an authority is missing, one that says how it is told: Node's words name a flag that is none of ours. */
export function authorityError(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && isUnknownAuthority(cause.code)) return new Error(AUTHORITY_CURE, { cause })
  return error
}

const AUTHORITY_CURE =
  'the authority of its certificate is not known here: NODE_EXTRA_CA_CERTS names a file of further ones, and --sidecar-redis-ca of the operator those of sidecars'

/** A script's failure may come with a part of the script. */
const MAX_CAUSE = 300

/** People read the message alone. */
export function because(message: string, cause: unknown): Error {
  return new Error(withCause(message, cause), { cause })
}

function withCause(message: string, cause: unknown): string {
  withoutSent(cause)
  return cause instanceof Error ? `${message}: ${cause.message.slice(0, MAX_CAUSE)}` : message
}
