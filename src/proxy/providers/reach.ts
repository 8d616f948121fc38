/** How a deployment is reached: where that changes, what was known of its health says nothing any more. */
import { isDeepStrictEqual } from 'node:util'
import type { Secret } from '../../domain/secret.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { ProviderEntry } from '../../domain/snapshot/snapshot.ts'

/** Prices, limits, clocks and the like are no part of it. */
export interface Reach extends Pick<ProviderEntry, 'type' | 'endpoint' | 'credentials'> {
  readonly upstreamName: string
  /** What it is sent as its key; undefined: none. */
  readonly credential: Secret | undefined
}

export function reachOf({ provider, model }: Deployment, credential: Secret | undefined): Reach {
  const { type, endpoint, credentials } = provider
  return { type, endpoint, credentials, upstreamName: model.upstreamName, credential }
}

/** Whether a call goes to the same model of the same server in the same way, with the same key. */
export function isSameReach(one: Reach, other: Reach): boolean {
  return (
    isSameAddress(one, other) &&
    one.upstreamName === other.upstreamName &&
    isDeepStrictEqual(one.credentials, other.credentials) &&
    isSameKey(one.credential, other.credential)
  )
}

/** Whether both are one server, on the same way to it. */
export function isSameAddress(one: Reach, other: Reach): boolean {
  return one.type === other.type && isDeepStrictEqual(one.endpoint, other.endpoint)
}

/** Two of the same text are one key: each configuration holds its own. */
export function isSameKey(one: Secret | undefined, other: Secret | undefined): boolean {
  return one?.reveal() === other?.reveal()
}
