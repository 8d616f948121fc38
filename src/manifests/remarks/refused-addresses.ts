/** Base URLs that every gateway refuses to call: the manifest is good, and each attempt would fail. */
import type { ManifestResources } from '../load.ts'
import type { Remark } from './remark.ts'

/** Why the gateway calls no such host (as `URL.hostname` has it); undefined where it does, or only a look-up can tell. */
export type AddressCheck = (hostname: string, allowLoopback: boolean) => string | undefined

/** In the order of the manifests. */
export function refusedAddresses({ providers }: ManifestResources, checkAddress: AddressCheck): readonly Remark[] {
  return providers.flatMap((resource) => {
    const { baseURL = '', allowInsecureHTTP = false } = resource.spec.endpoint ?? {}
    const hostname = URL.parse(baseURL)?.hostname
    const reason = hostname === undefined ? undefined : checkAddress(hostname, allowInsecureHTTP)
    if (reason === undefined) return []
    return [{ resource, field: ['spec', 'endpoint', 'baseURL'], message: `every call is refused: ${reason}` }]
  })
}
