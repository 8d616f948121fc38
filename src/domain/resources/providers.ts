/** Provider manifests to snapshot entries, their credentials, and who may use them. */
import type { Secret } from '../secret.ts'
import { parseMicroUsd, parsePricePer1K, parsePricePer1M } from '../quota/money.ts'
import { provider as providerShape } from '../snapshot/entry-shapes.ts'
import type { ModelEntry, Pricing, ProviderEndpoint, ProviderEntry } from '../snapshot/snapshot.ts'
import { fitsHeader } from '../snapshot/static-headers.ts'
import { condition, withReady, type Refusal, type ResourceConditions } from './conditions.ts'
import { parseDuration } from './durations.ts'
import { readable } from './isolate.ts'
import type { EndpointSpec, ModelSpec, PricingSpec, ProviderResource, ProviderSpec, SecretKeyRef } from './kinds.ts'
import { present } from './present.ts'
import { resolveSecret, type SecretLookup } from './secret-lookup.ts'
import { matchesSelector } from './selectors.ts'

export interface ResolvedProvider {
  readonly resource: ProviderResource
  /** `enabled` is false where it is switched off or a Secret that it names cannot be read. */
  readonly entry: ProviderEntry
  /** Absent where none is needed or none was found. */
  readonly credential?: Secret
  readonly conditions: ResourceConditions
}

/** One provider. `namespaces`: where its Secrets are looked for, in order. @throws {RangeError}, and as `readable` */
export function resolveProvider(
  resource: ProviderResource,
  secretValue: SecretLookup,
  namespaces: readonly string[],
): ResolvedProvider {
  const credential = resolveCredential(resource.spec, secretValue, namespaces)
  const authority = resolveAuthority(resource.spec, secretValue, namespaces)
  const refusal = credential.refusal ?? authority.refusal
  return present<ResolvedProvider>({
    resource,
    entry: readable(
      toEntry(resource, resource.spec.enabled && refusal === undefined, authority.value?.reveal()),
      providerShape,
    ),
    credential: refusal === undefined ? credential.value : undefined,
    conditions: withReady(
      'Provider',
      resource.metadata,
      [condition('Accepted', undefined, accepted(resource.spec)), condition('ResolvedRefs', refusal)],
      resource.spec.enabled ? undefined : { reason: 'Disabled', message: 'spec.enabled is false' },
    ),
  })
}

/** Whether keys of `organization` in a namespace with these labels may use the provider. */
export function mayUseProvider(
  { access }: ProviderSpec,
  organization: string,
  namespaceLabels: Readonly<Record<string, string>>,
): boolean {
  const organizations = access.organizations ?? []
  return (
    (organizations.length === 0 || organizations.includes(organization)) &&
    (access.namespaceSelector === undefined || matchesSelector(access.namespaceSelector, namespaceLabels))
  )
}

interface Resolution {
  readonly value?: Secret
  readonly refusal?: Refusal
}

function resolveCredential(
  { credentials }: ProviderSpec,
  lookup: SecretLookup,
  namespaces: readonly string[],
): Resolution {
  if (credentials.secretRef === undefined) return {}
  const found = resolveSecret(lookup, namespaces, credentials.secretRef)
  if (found.type === 'refused') return { refusal: found.refusal }
  const refusal = unusableCredential(found.secret.reveal().trim(), credentials.secretRef)
  return refusal === undefined ? { value: found.secret } : { refusal }
}

/** Manifests of standalone that are applied to a cluster bring it, and `$${NAME}` of files. */
const VARIABLE = /^\$\{[A-Za-z_]\w*\}$/

function unusableCredential(text: string, { name, key }: SecretKeyRef): Refusal | undefined {
  if (text === '') return { reason: 'EmptyCredential', message: `entry ${key} of Secret ${name} is empty` }
  if (VARIABLE.test(text)) {
    const message = `entry ${key} of Secret ${name} is a variable as it stands, which no vendor's key is: they are replaced in stringData of standalone's files, where one $ stands before {`
    return { reason: 'UnfitCredential', message }
  }
  if (fitsHeader(text)) return undefined
  // As a plain key is decoded.
  const hint = text.includes('\ufffd') ? '; what stands under data must be the key in base64' : ''
  const message = `entry ${key} of Secret ${name} has characters that an HTTP header cannot carry${hint}`
  return { reason: 'UnfitCredential', message }
}

function resolveAuthority({ endpoint }: ProviderSpec, lookup: SecretLookup, namespaces: readonly string[]): Resolution {
  if (endpoint?.caSecretRef === undefined) return {}
  const found = resolveSecret(lookup, namespaces, endpoint.caSecretRef)
  if (found.type === 'refused') return { refusal: found.refusal }
  if (PEM_CERTIFICATE.test(found.secret.reveal())) return { value: found.secret }
  const { name, key } = endpoint.caSecretRef
  return { refusal: { reason: 'NoCertificate', message: `entry ${key} of Secret ${name} holds no certificate in PEM` } }
}

/** To TLS an empty text is no authority of its own: the public ones would count. */
const PEM_CERTIFICATE = /^-----BEGIN ([A-Z0-9]+ )?CERTIFICATE-----/m

/** An alias that is also another model's name or alias answers for the first of them: allowed, and said. */
function accepted({ models }: ProviderSpec): Refusal {
  const seen = new Set<string>()
  for (const name of models.flatMap((model) => [...new Set([model.name, ...(model.aliases ?? [])])])) {
    if (seen.has(name))
      return { reason: 'DuplicateModel', message: `${name} names more than one model; the first answers` }
    seen.add(name)
  }
  return { reason: 'Accepted', message: '' }
}

function toEntry({ metadata, spec }: ProviderResource, enabled: boolean, ca: string | undefined): ProviderEntry {
  return present<ProviderEntry>({
    name: metadata.name,
    type: spec.type,
    displayName: spec.displayName,
    enabled,
    priority: spec.priority,
    weight: spec.weight,
    countries: spec.countries,
    endpoint: toEndpoint(spec.endpoint, ca),
    credentials: present<ProviderEntry['credentials']>({
      type: spec.credentials.type,
      headerName: spec.credentials.headerName,
    }),
    timeouts: toTimeouts(spec.timeouts),
    failover: toFailover(spec.failover),
    healthCheck: toHealthCheck(spec.healthCheck),
    limits: spec.limits ?? {},
    models: spec.models.map((model) => toModel(model, spec)),
  })
}

function toEndpoint(spec: EndpointSpec | undefined, ca: string | undefined): ProviderEndpoint {
  return present<ProviderEndpoint>({
    baseUrl: spec?.baseURL,
    allowInsecureHttp: spec?.allowInsecureHTTP ?? false,
    ca,
    proxyUrl: spec?.proxyURL,
    headers: spec?.headers ?? {},
  })
}

function toTimeouts(spec: ProviderSpec['timeouts']): ProviderEntry['timeouts'] {
  return {
    connectMs: parseDuration(spec.connect),
    ...(spec.firstByte === undefined ? {} : { firstByteMs: parseDuration(spec.firstByte) }),
    streamIdleMs: parseDuration(spec.streamIdle),
    totalMs: parseDuration(spec.total),
  }
}

function toFailover({
  retryOnStatus,
  maxAttempts,
  circuitBreaker,
}: ProviderSpec['failover']): ProviderEntry['failover'] {
  const { consecutiveFailures, openFor } = circuitBreaker
  return { retryOnStatus, maxAttempts, circuitBreaker: { consecutiveFailures, openForMs: parseDuration(openFor) } }
}

function toHealthCheck(spec: ProviderSpec['healthCheck']): ProviderEntry['healthCheck'] {
  return present<ProviderEntry['healthCheck']>({
    mode: spec.mode,
    path: spec.path,
    intervalMs: parseDuration(spec.interval),
    timeoutMs: parseDuration(spec.timeout),
    unhealthyThreshold: spec.unhealthyThreshold,
    healthyThreshold: spec.healthyThreshold,
  })
}

function toModel(model: ModelSpec, provider: ProviderSpec): ModelEntry {
  return present<ModelEntry>({
    name: model.name,
    upstreamName: model.upstreamName ?? model.name,
    aliases: model.aliases ?? [],
    enabled: model.enabled,
    quality: model.quality,
    priority: model.priority ?? provider.priority,
    weight: model.weight ?? provider.weight,
    countries: model.countries ?? provider.countries,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    capabilities: model.capabilities,
    pricing: model.pricing === undefined ? undefined : toPricing(model.pricing),
  })
}

function toPricing(spec: PricingSpec): Pricing {
  const price = spec.unit === 'Per1K' ? parsePricePer1K : parsePricePer1M
  const optional = (decimal: string | undefined): number | undefined =>
    decimal === undefined ? undefined : price(decimal)
  return present<Pricing>({
    input: price(spec.input),
    output: price(spec.output),
    cachedInput: optional(spec.cachedInput),
    cacheWrite: optional(spec.cacheWrite),
    reasoning: optional(spec.reasoning),
    perRequest: spec.perRequest === undefined ? undefined : parseMicroUsd(spec.perRequest),
  })
}
