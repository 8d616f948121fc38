/** How a deployment is reached: where that changes, what was known of its health says nothing any more. */
import { isDeepStrictEqual } from 'node:util'
import type { Secret } from '../../domain/secret.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { ProviderEntry } from '../../domain/snapshot/snapshot.ts'

/**
 * What all deployments of a provider share. Prices, limits and the like are no part of it; its clocks are: what was given up may
 * not be now.
 */
type Way = Pick<ProviderEntry, 'type' | 'endpoint' | 'credentials' | 'timeouts'>

interface Reach {
  readonly way: Way
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
  /** By the provider's name: the same one as long as it stays equal, so that it is compared once for a thousand models. */
  readonly #ways = new Map<string, Way>()
  readonly #wayOf = new WeakMap<ProviderEntry, Way>()

  /**
   * Forgets all but these.
   * @param ids `provider/model`
   * @param providers their names
   */
  retain(ids: ReadonlySet<string>, providers: ReadonlySet<string>): void {
    for (const id of this.#current.keys()) if (!ids.has(id)) this.#current.delete(id)
    for (const name of this.#ways.keys()) if (!providers.has(name)) this.#ways.delete(name)
  }

  /** Whether the provider is another server with this configuration; not where only the way to it, or its clocks, are others. */
  isMoved(provider: ProviderEntry): boolean {
    const before = this.#ways.get(provider.name)
    return before !== undefined && !isSameServer(before, this.#wayTo(provider))
  }

  /** Whether anything of it has changed with this configuration and its key. */
  isChanged(deployment: Deployment, credential: Secret | undefined): boolean {
    const { provider, model } = deployment
    const reach: Reach = { way: this.#wayTo(provider), upstreamName: model.upstreamName, credential }
    const before = this.#current.get(deployment.id)
    const isSame = before !== undefined && isSameReach(before, reach)
    const current = isSame ? before : reach
    this.#current.set(deployment.id, current)
    this.#of.set(deployment, current)
    return before !== undefined && !isSame
  }

  /** Whether the deployment is one of a former configuration, which went elsewhere. */
  isOfBefore(deployment: Deployment): boolean {
    const reach = this.#of.get(deployment)
    return reach !== undefined && reach !== this.#current.get(deployment.id)
  }

  #wayTo(provider: ProviderEntry): Way {
    const way = this.#wayOf.get(provider) ?? this.#sameAsBefore(provider)
    this.#wayOf.set(provider, way)
    this.#ways.set(provider.name, way)
    return way
  }

  #sameAsBefore({ name, type, endpoint, credentials, timeouts }: ProviderEntry): Way {
    const way = { type, endpoint, credentials, timeouts }
    const before = this.#ways.get(name)
    return before !== undefined && isDeepStrictEqual(before, way) ? before : way
  }
}

/** Whether a call goes to the same model of the same server in the same way, with the same key, and is given as much time. */
function isSameReach(one: Reach, other: Reach): boolean {
  return one.way === other.way && one.upstreamName === other.upstreamName && isSameKey(one.credential, other.credential)
}

/** Whether both are one server, be it with other headers, certificates or another forward proxy. */
function isSameServer(one: Way, other: Way): boolean {
  return one.type === other.type && one.endpoint.baseUrl === other.endpoint.baseUrl
}

/** Two of the same text are one key: each configuration holds its own. */
export function isSameKey(one: Secret | undefined, other: Secret | undefined): boolean {
  return one?.reveal() === other?.reveal()
}
