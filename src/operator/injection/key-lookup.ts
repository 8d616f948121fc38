/** VirtualKeys from the cache, which may be behind: what it does not know is asked of the API server, once. */
import { namespacedName } from '../../domain/resources/namespaced-name.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { ObjectLookup } from '../kube/object-store.ts'
import { VIRTUAL_KEYS } from '../kube/resource.ts'
import type { KeyLookup } from './choose-key.ts'

/** Below the five seconds that the API server waits for a webhook. */
const LIVE_TIMEOUT_MS = 3_000
/** Whoever can reach the webhook can ask for keys that are not there; what is in the cache is never in the way of these. */
const MAX_LIVE = 32

/**
 * @param cache undefined while it is not complete
 * @returns a look-up that throws where the API server does not answer, or too much is being asked of it already
 */
export function keyLookup(client: Pick<KubeClient, 'get' | 'list'>, cache: () => ObjectLookup | undefined): KeyLookup {
  let asking = 0
  const live = async <Result>(ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    if (asking >= MAX_LIVE) throw new Error('too many VirtualKeys are being looked up')
    asking += 1
    try {
      // Of the wait for a turn as well.
      return await ask(AbortSignal.timeout(LIVE_TIMEOUT_MS))
    } finally {
      asking -= 1
    }
  }
  return {
    async find(namespace, name) {
      const known = cache()?.get(namespacedName({ namespace, name }))
      if (known !== undefined) return known
      try {
        return await live((signal) => client.get(VIRTUAL_KEYS, { namespace, name }, { signal }))
      } catch (error) {
        if (error instanceof KubeError && error.isNotFound) return undefined
        throw error
      }
    },
    async list(namespace) {
      const known = cache()
        ?.list()
        .filter(({ metadata }) => metadata.namespace === namespace)
      if (known !== undefined && known.length > 0) return known
      return live(async (signal) => (await client.list(VIRTUAL_KEYS, { namespace, signal })).items)
    },
  }
}
