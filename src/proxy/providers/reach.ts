/** How a deployment is reached: where that changes, what was known of its health says nothing any more. */
import { isDeepStrictEqual } from 'node:util'
import type { Secret } from '../../domain/secret.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { ProviderEntry } from '../../domain/snapshot/snapshot.ts'

/** Prices, limits and the like are no part of it; its clocks are: what was given up may not be now. */
interface Reach extends Pick<ProviderEntry, 'type' | 'endpoint' | 'credentials' | 'timeouts'> {
  readonly upstreamName: string
  /** What it is sent as its key; undefined: none. */
  readonly credential: Secret | undefined
}

/** What the deployments of the configuration in force reach, and what those of former ones did. */
export class Reaches {
  /** By `provider/model`. */
  readonly #current = new Map<string, Reach>()
  /** Of the deployments of all configurations: the same one as long as nothing of it changes. */
  readonly #of = new WeakMap<Deployment, Reach>()

  /** Forgets all but these. */
  retain(ids: ReadonlySet<string>): void {
    for (const id of this.#current.keys()) if (!ids.has(id)) this.#current.delete(id)
  }

  /** What of it has changed with this configuration and its key: `way` where it is the same server, reached otherwise or given other clocks. */
  follow(deployment: Deployment, credential: Secret | undefined): 'none' | 'way' | 'server' {
    const reach = reachOf(deployment, credential)
    const before = this.#current.get(deployment.id)
    const isSame = before !== undefined && isSameReach(before, reach)
    const current = isSame ? before : reach
    this.#current.set(deployment.id, current)
    this.#of.set(deployment, current)
    if (before === undefined || isSame) return 'none'
    return isSameServer(before, reach) ? 'way' : 'server'
  }

  /** Whether the deployment is one of a former configuration, which went elsewhere. */
  isOfBefore(deployment: Deployment): boolean {
    const reach = this.#of.get(deployment)
    return reach !== undefined && reach !== this.#current.get(deployment.id)
  }
}

function reachOf({ provider, model }: Deployment, credential: Secret | undefined): Reach {
  const { type, endpoint, credentials, timeouts } = provider
  return { type, endpoint, credentials, timeouts, upstreamName: model.upstreamName, credential }
}

/** Whether a call goes to the same model of the same server in the same way, with the same key, and is given as much time. */
function isSameReach(one: Reach, other: Reach): boolean {
  return (
    isSameServer(one, other) &&
    isDeepStrictEqual(one.endpoint, other.endpoint) &&
    one.upstreamName === other.upstreamName &&
    isDeepStrictEqual(one.credentials, other.credentials) &&
    isDeepStrictEqual(one.timeouts, other.timeouts) &&
    isSameKey(one.credential, other.credential)
  )
}

/** Whether both are one server, be it with other headers, certificates or another forward proxy. */
function isSameServer(one: Reach, other: Reach): boolean {
  return one.type === other.type && one.endpoint.baseUrl === other.endpoint.baseUrl
}

/** Two of the same text are one key: each configuration holds its own. */
export function isSameKey(one: Secret | undefined, other: Secret | undefined): boolean {
  return one?.reveal() === other?.reveal()
}
