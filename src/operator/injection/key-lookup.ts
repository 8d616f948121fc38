/** VirtualKeys from the cache, which may be behind: what it does not know is asked of the API server, once. */
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { ObjectLookup } from '../kube/object-store.ts'
import { VIRTUAL_KEYS } from '../kube/resource.ts'
import type { KeyLookup } from './choose-key.ts'

/** Below the five seconds that the API server waits for a webhook. */
const LIVE_TIMEOUT_MS = 3_000

/** @param cache undefined while it is not complete */
export function keyLookup(client: Pick<KubeClient, 'get' | 'list'>, cache: () => ObjectLookup | undefined): KeyLookup {
  return {
    async find(namespace, name) {
      const known = cache()?.get(`${namespace}/${name}`)
      if (known !== undefined) return known
      try {
        return await client.get(VIRTUAL_KEYS, { namespace, name }, { timeoutMs: LIVE_TIMEOUT_MS })
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
      return (await client.list(VIRTUAL_KEYS, { namespace, timeoutMs: LIVE_TIMEOUT_MS })).items
    },
  }
}
