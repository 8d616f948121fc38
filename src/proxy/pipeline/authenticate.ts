/** Stage: who is calling. Headers only; the body has not been read. */
import { GatewayError } from '../../domain/errors.ts'
import type { OrganizationEntry, ProjectEntry, VirtualKeyEntry } from '../../domain/snapshot/snapshot.ts'
import type { ClientAdapter } from '../adapters/adapter.ts'
import type { Incoming } from './exchange.ts'
import { isField } from './reading/header-lines.ts'
import type { Configuration } from './ports.ts'

export interface Caller {
  readonly configuration: Configuration
  readonly key: VirtualKeyEntry
  readonly organization: OrganizationEntry
  readonly project: ProjectEntry | undefined
}

/** Of the record of a request: where it came from, and what is learnt of its key before it is let in. */
export interface Presented {
  readonly incoming: Incoming
  /** Id of the key whose text was presented, also where it is out of force: for the audit record, never for the client. */
  virtualKey: string | undefined
}

/** Longer texts are no keys of ours; the bound keeps the digest's cost flat. */
const MAX_KEY_LENGTH = 1_024

const BEARER = /^bearer[ \t]+/i

/** What an unset key leaves of a field, blanks removed: SDKs send both of their key fields where the other's variable is set but empty. */
const EMPTY_KEY = /^(?:bearer)?$/i

/**
 * @throws {GatewayError} 401 `invalid_api_key` for every way of not having a valid key: one message of each adapter, and the same
 * work (one digest, one look-up) whatever the reason. 403 `model_not_allowed` where the key may not use the adapter.
 */
export function authenticate(presented: Presented, configuration: Configuration, nowMs: number): Caller {
  const { incoming } = presented
  const text = presentedKey(incoming)
  const match = configuration.compiled.keysByDigest.get(configuration.digestOf((text ?? '').slice(0, MAX_KEY_LENGTH)))
  presented.virtualKey = match?.key.id
  const organization = match && configuration.compiled.organizations.get(match.key.organization)
  if (
    text === undefined ||
    text.length > MAX_KEY_LENGTH ||
    match === undefined ||
    organization === undefined ||
    match.key.suspended ||
    nowMs >= (match.key.expiresAtMs ?? Infinity) ||
    nowMs >= (match.notAfterMs ?? Infinity)
  ) {
    throw invalidKey(incoming.adapter)
  }
  requireAdapter(match.key, incoming.adapter)
  return { configuration, key: match.key, organization, project: configuration.compiled.projectOf(match.key) }
}

/** Where a key is looked for: one that stands elsewhere is not seen, and its sender would doubt the key. */
function invalidKey({ keyHeaders, keyQuery }: ClientAdapter): GatewayError {
  const places = ['Authorization: Bearer KEY', ...keyHeaders.map((header) => `${header}: KEY`)]
  if (keyQuery !== undefined) places.push(`?${keyQuery}=KEY`)
  const message = `The virtual key is missing or not valid, or two different ones were sent. It is read from ${places.map((place) => `"${place}"`).join(' or ')}.`
  return new GatewayError('invalid_api_key', message)
}

function requireAdapter({ access: { adapters } }: VirtualKeyEntry, { name }: ClientAdapter): void {
  if (adapters.length === 0 || adapters.includes(name)) return
  const message = `this key may not use the ${name} adapter; it may use ${adapters.join(', ')}`
  throw new GatewayError('model_not_allowed', message)
}

/** The one key text of the request, wherever its adapter takes one, even repeatedly. Undefined: none, or different ones. */
function presentedKey({ adapter, rawHeaders, query }: Incoming): string | undefined {
  let key: string | undefined
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const text = keyIn(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '', adapter)
    if (text === undefined) continue
    if (key !== undefined && key !== text) return undefined
    key = text
  }
  if (adapter.keyQuery === undefined || query === '') return key
  for (const text of new URLSearchParams(query).getAll(adapter.keyQuery)) {
    if (text === '') continue
    if (key !== undefined && key !== text) return undefined
    key = text
  }
  return key
}

/** The key text of a header field; empty for another scheme than Bearer, undefined where no key stands there. */
function keyIn(name: string, value: string, { keyHeaders }: ClientAdapter): string | undefined {
  if (isField(name, 'authorization')) {
    const text = value.trim()
    if (EMPTY_KEY.test(text)) return undefined
    const scheme = BEARER.exec(text)
    return scheme === null ? '' : text.slice(scheme[0].length)
  }
  for (const header of keyHeaders) if (isField(name, header)) return value.trim() || undefined
  return undefined
}
