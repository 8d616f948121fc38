/** The header lines of both directions: what goes to a provider, and what of its answer goes on. */
import type { Secret } from '../../domain/secret.ts'
import type { ProviderEntry } from '../../domain/snapshot/snapshot.ts'
import { fitsHeader, headerFault, HOP_BY_HOP } from '../../domain/snapshot/static-headers.ts'
import type { ProviderFamily } from './provider-family.ts'
import { AttemptError } from '../pipeline/ports.ts'

type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>

/** How clients send their virtual key, and what browsers add: no provider may see these of a client. */
const CLIENT_CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
])

/** Names and values in turn, as undici takes them without looking at each again. Not to be changed. */
export type HeaderLines = string[]

/** What a request is of: `probe` has no body, `stream` asks for events. */
export type RequestKind = 'whole' | 'stream' | 'probe'

export interface RequestHeaderInput {
  readonly family: ProviderFamily
  readonly provider: ProviderEntry
  readonly credential: Secret | undefined
  readonly passHeaders: Readonly<Record<string, string>>
}

/** What requests of a provider have in common as long as its credential is the same. */
interface Prepared extends Partial<Record<RequestKind, HeaderLines>> {
  readonly credential: Secret | undefined
}

const prepared = new WeakMap<ProviderEntry, Prepared>()

/**
 * Header lines of a request. Those without a client's own are checked and put together once.
 * @throws {AttemptError} as `headersOf`
 */
export function requestHeaders(kind: RequestKind, input: RequestHeaderInput): HeaderLines {
  for (const _ in input.passHeaders) return linesOf(headersOf(kind, input))
  const { provider, credential } = input
  let known = prepared.get(provider)
  if (known === undefined || known.credential !== credential) {
    known = { credential }
    prepared.set(provider, known)
  }
  return (known[kind] ??= linesOf(headersOf(kind, input)))
}

function linesOf(headers: Readonly<Record<string, string>>): HeaderLines {
  return Object.entries(headers).flat()
}

/**
 * Of a client only what is listed is passed on; the manifest's static headers win over those,
 * and neither can replace the credential or the framing.
 * @throws {AttemptError} where the provider needs a credential and there is none that a header can hold.
 */
function headersOf(
  kind: RequestKind,
  { family, provider, credential, passHeaders }: RequestHeaderInput,
): Record<string, string> {
  const headers: Record<string, string> = { ...family.fixedHeaders }
  add(headers, passHeaders, CLIENT_CREDENTIALS)
  add(headers, provider.endpoint.headers, OPERATOR_RESERVED)
  headers['accept'] = kind === 'stream' ? 'text/event-stream' : 'application/json'
  headers['accept-encoding'] = 'identity'
  headers['user-agent'] ??= 'tollgate'
  const authorization = credentialHeader(family, provider, credential)
  if (authorization !== undefined) headers[authorization[0]] = authorization[1]
  if (kind !== 'probe') headers['content-type'] = 'application/json'
  return headers
}

const OPERATOR_RESERVED: ReadonlySet<string> = new Set(['authorization'])

/** The provider's answer without what concerns the connection, and without what its `connection` header names. */
export function replyHeaders(headers: ReplyHeaders, decoded: boolean): Record<string, string | string[] | undefined> {
  const named = connectionOptions(headers['connection'])
  const kept: Record<string, string | string[] | undefined> = {}
  for (const name in headers) {
    if (HOP_BY_HOP.has(name) || named.includes(name) || name === '__proto__') continue
    if (decoded && (name === 'content-encoding' || name === 'content-length')) continue
    kept[name] = headers[name]
  }
  return kept
}

const NONE: readonly string[] = []

function add(
  headers: Record<string, string>,
  more: Readonly<Record<string, string>>,
  refused: ReadonlySet<string>,
): void {
  for (const [name, value] of Object.entries(more)) {
    const lower = name.toLowerCase()
    if (refused.has(lower) || headerFault(lower, value) !== undefined) continue
    headers[lower] = value
  }
}

function credentialHeader(
  family: ProviderFamily,
  { name, credentials }: ProviderEntry,
  credential: Secret | undefined,
): readonly [string, string] | undefined {
  if (credentials.type === 'None') return undefined
  // Secrets made from a file often end with a newline.
  const secret = credential?.reveal().trim() ?? ''
  if (secret === '') throw new AttemptError('connect', `no credential for provider ${name}`)
  if (!fitsHeader(secret)) {
    throw new AttemptError('connect', `the credential of provider ${name} has characters that no header can hold`)
  }
  if (credentials.type === 'Header' && credentials.headerName !== undefined) {
    return [credentials.headerName.toLowerCase(), secret]
  }
  return family.authorize(secret)
}

function connectionOptions(value: string | string[] | undefined): readonly string[] {
  if (value === undefined || value === 'keep-alive' || value === 'close') return NONE
  return String(value)
    .toLowerCase()
    .split(',')
    .map((option) => option.trim())
}
