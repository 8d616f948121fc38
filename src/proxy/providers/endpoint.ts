/** A provider's address made ready for many requests. Built once for each provider entry of a snapshot. */
import type { ProviderEntry } from '../../domain/snapshot/snapshot.ts'
import type { ForwardProxyOf } from './environment-proxy.ts'
import type { ProviderFamily, Target } from './provider-family.ts'
import { AttemptError } from '../pipeline/ports.ts'
import { checkLiteralAddress, CURE } from './address-guard.ts'
import { familyOf } from './registry.ts'

export interface Endpoint {
  readonly provider: ProviderEntry
  readonly family: ProviderFamily
  /** Scheme, host and port. */
  readonly origin: string
  /** Of the forward proxy that leads there. */
  readonly proxyUrl: string | undefined
  /** Who is spoken to, as a log says it: origins only, as paths, queries and logins may hold keys. */
  readonly peer: string
  /** Equal for endpoints that may share connections. */
  readonly poolKey: string
  /** Path and query of an operation. */
  pathOf(target: Target): string
  /** Path and query of the health check. */
  healthPath(): string
}

/**
 * `otherwiseThrough` names the forward proxy where the manifest names none.
 * @throws {AttemptError} `refused-address` where the base URL is missing or must not be used.
 */
export function openEndpoint(provider: ProviderEntry, otherwiseThrough: ForwardProxyOf): Endpoint {
  const family = familyOf(provider.type)
  const base = parseBaseUrl(provider, family)
  const proxyUrl = provider.endpoint.proxyUrl ?? otherwiseThrough(base)
  const paths = new Map<string, string>()
  return {
    provider,
    family,
    origin: base.origin,
    proxyUrl,
    peer: peerAt(base.origin, proxyUrl),
    poolKey: poolKeyOf(provider, base.origin, proxyUrl),
    pathOf(target) {
      const key = `${target.operation} ${target.stream} ${target.upstreamName}`
      let path = paths.get(key)
      if (path === undefined) {
        path = pathAndQuery(family.url(new URL(base), target))
        paths.set(key, path)
      }
      return path
    },
    healthPath() {
      const { path } = provider.healthCheck
      // A path of the manifest begins at the host: health routes lie beside the API, not below its version.
      return path === undefined
        ? pathAndQuery(family.healthUrl(new URL(base)))
        : pathAndQuery(new URL(base.origin + withSlash(path)))
    },
  }
}

function parseBaseUrl({ name, endpoint }: ProviderEntry, family: ProviderFamily): URL {
  const text = endpoint.baseUrl ?? family.defaultBaseUrl
  if (text === undefined || !URL.canParse(text)) throw refused(name, 'no base URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused(name, 'neither https nor http')
  // First what nothing lets through.
  checkLiteralAddress(url.hostname, endpoint.allowInsecureHttp)
  if (url.protocol === 'http:' && !endpoint.allowInsecureHttp) throw refused(name, `plain http; ${CURE}`)
  if (url.username !== '' || url.password !== '') throw refused(name, 'a base URL with a login')
  url.hash = ''
  return url
}

function poolKeyOf({ endpoint, timeouts }: ProviderEntry, origin: string, proxyUrl: string | undefined): string {
  return JSON.stringify([origin, endpoint.allowInsecureHttp, timeouts.connectMs, endpoint.ca, proxyUrl])
}

function peerAt(origin: string, proxyUrl: string | undefined): string {
  const proxy = proxyUrl === undefined ? null : URL.parse(proxyUrl)
  return `the provider at ${origin}${proxy === null ? '' : ` through the forward proxy at ${proxy.origin}`}`
}

function pathAndQuery(url: URL): string {
  return url.pathname + url.search
}

function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}

function refused(provider: string, reason: string): AttemptError {
  return new AttemptError('refused-address', `the endpoint of provider ${provider} is refused: ${reason}`)
}
