/** Stage 1: who is calling. Headers only; the body has not been read. */
import { GatewayError } from '../../domain/errors.ts'
import type { OrganizationEntry, ProjectEntry, VirtualKeyEntry } from '../../domain/snapshot/snapshot.ts'
import type { ClientAdapter } from '../adapters/adapter.ts'
import type { Incoming } from './exchange.ts'
import type { Configuration } from './ports.ts'

export interface Caller {
  readonly configuration: Configuration
  readonly key: VirtualKeyEntry
  readonly organization: OrganizationEntry
  readonly project: ProjectEntry | undefined
}

/** Longer texts are no keys of ours; the bound keeps the digest's cost flat. */
const MAX_KEY_LENGTH = 1_024

const BEARER = /^bearer[ \t]+/i

/**
 * @throws {GatewayError} 401 `invalid_api_key` for every way of not having a valid key: one message, and the same work
 * (one digest, one look-up) whatever the reason. 403 `model_not_allowed` where the key may not use the adapter.
 */
export function authenticate(incoming: Incoming, configuration: Configuration, nowMs: number): Caller {
  const presented = presentedKeys(incoming)
  const [text] = presented
  const match = configuration.compiled.keysByDigest.get(configuration.digestOf((text ?? '').slice(0, MAX_KEY_LENGTH)))
  const organization = match && configuration.compiled.organizations.get(match.key.organization)
  if (
    presented.size !== 1 ||
    (text ?? '').length > MAX_KEY_LENGTH ||
    match === undefined ||
    organization === undefined ||
    match.key.suspended ||
    nowMs >= (match.key.expiresAtMs ?? Infinity) ||
    nowMs >= (match.notAfterMs ?? Infinity)
  ) {
    throw new GatewayError('invalid_api_key', 'The virtual key is missing or not valid.')
  }
  requireAdapter(match.key, incoming.adapter)
  return { configuration, key: match.key, organization, project: configuration.compiled.projectOf(match.key) }
}

function requireAdapter(key: VirtualKeyEntry, adapter: ClientAdapter): void {
  if (key.access.adapters.length === 0 || key.access.adapters.includes(adapter.name)) return
  throw new GatewayError('model_not_allowed', `The virtual key may not use the ${adapter.name} adapter.`)
}

/** Every different key text of the request, wherever its adapter takes one. */
function presentedKeys({ adapter, rawHeaders, query }: Incoming): Set<string> {
  const keys = new Set<string>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = (rawHeaders[index + 1] ?? '').trim()
    if (name === 'authorization') keys.add(BEARER.test(value) ? value.replace(BEARER, '') : '')
    else if (adapter.keyHeaders.includes(name)) keys.add(value)
  }
  if (adapter.keyQuery !== undefined && query !== '') {
    for (const value of new URLSearchParams(query).getAll(adapter.keyQuery)) keys.add(value)
  }
  return keys
}
