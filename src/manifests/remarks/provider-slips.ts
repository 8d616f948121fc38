/** What a Provider states and the gateway does not send, or sends twice: without a word here the vendor's refusal is all that is seen. */
import type { ProviderResource } from '../../domain/resources/kinds.ts'
import { resolveSecret, type SecretLookup } from '../../domain/resources/secret-lookup.ts'
import { headerFault } from '../../domain/snapshot/static-headers.ts'
import type { ProviderType } from '../../domain/snapshot/snapshot.ts'
import type { ManifestResources } from '../load.ts'
import { STANDALONE_PROVIDER_NAMESPACES } from '../provider-namespaces.ts'
import type { Remark } from './remark.ts'
import { secretLookup } from '../secrets.ts'

const OPERATION = /\/(?:chat\/completions|embeddings)$/

/**
 * What the gateway adds to a base URL of each type, whichever deployment or model it is for. Those of Anthropic and Gemini are
 * without the version, as their SDKs take them.
 */
const ADDED_PATHS: Readonly<Record<ProviderType, RegExp>> = {
  OpenAI: OPERATION,
  AzureOpenAI: /(?:\/deployments\/[^/]+)?\/(?:chat\/completions|embeddings)$|\/deployments\/[^/]+$/,
  OpenAICompatible: OPERATION,
  Anthropic: /\/v1(?:\/messages)?$/,
  Gemini: /\/v1beta(?:\/models(?:\/[^/]+)?)?$/,
}

/** A deployment or model: not the one that is added, unless by chance. */
const NAMES_ONE = /\/(?:deployments|models)\/./

/** In the order of the manifests. */
export function providerSlips({ providers, secrets }: ManifestResources): readonly Remark[] {
  const lookup = secretLookup(secrets)
  return providers.flatMap((resource) =>
    [...doubledPath(resource), ...unsentHeaders(resource), ...doubledBearer(resource, lookup)].map((slip) => ({
      resource,
      ...slip,
    })),
  )
}

type Slip = Omit<Remark, 'resource'>

/** As with an address that was copied from a vendor's example of a call, or from a setting of its SDK. */
function doubledPath({ spec: { type, endpoint } }: ProviderResource): Slip[] {
  const path = URL.parse(endpoint?.baseURL ?? '')?.pathname.replace(/\/+$/, '')
  const [added] = ADDED_PATHS[type].exec(path ?? '') ?? []
  if (added === undefined) return []
  const message = NAMES_ONE.test(added)
    ? `ends with ${added}, and the gateway adds such a path itself, with the upstreamName of each model in it: both would stand there`
    : `ends with ${added}, which the gateway adds itself and which then stands there twice`
  return [{ field: ['spec', 'endpoint', 'baseURL'], message }]
}

function unsentHeaders({ spec: { endpoint, credentials } }: ProviderResource): Slip[] {
  const ofCredential = new Set(['authorization', credentials.headerName?.toLowerCase()])
  return Object.entries(endpoint?.headers ?? {}).flatMap(([name, value]) => {
    const why = reason(name.toLowerCase(), value, ofCredential)
    if (why === undefined) return []
    const message = `${JSON.stringify(name)} is not sent: ${why}`
    return [{ field: ['spec', 'endpoint', 'headers'], entry: name, message }]
  })
}

function reason(lowerName: string, value: string, ofCredential: ReadonlySet<string | undefined>): string | undefined {
  if (ofCredential.has(lowerName)) return 'a key is sent as spec.credentials says, from a Secret'
  const fault = headerFault(lowerName, value)
  if (fault === 'name') return 'no header can have that name'
  if (fault === 'value') return 'it has characters that no header can carry'
  return fault === 'reserved' || lowerName === 'accept' ? 'the gateway sets it itself, where it is needed' : undefined
}

/** With type Header the text is sent as it is, so there the word belongs. */
function doubledBearer({ spec: { credentials } }: ProviderResource, lookup: SecretLookup): Slip[] {
  const { type, secretRef } = credentials
  if (type !== 'Bearer' || secretRef === undefined) return []
  const found = resolveSecret(lookup, STANDALONE_PROVIDER_NAMESPACES, secretRef)
  if (found.type === 'refused' || !/^\s*bearer\s/i.test(found.secret.reveal())) return []
  const { name, key } = secretRef
  const message = `entry ${key} of Secret ${name} begins with Bearer, which type Bearer adds itself`
  return [{ field: ['spec', 'credentials'], message }]
}
