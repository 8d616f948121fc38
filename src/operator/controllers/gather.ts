/**
 * The cluster as the build reads it. Objects have passed the CRDs' schemas in the API server, defaults included, so
 * their specs are taken as the types say.
 */
import { asObject, asString } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import type { BuildInput } from '../../domain/resources/build-snapshot.ts'
import type {
  NamespaceResource,
  ObjectMeta,
  OrganizationResource,
  ProviderResource,
  VirtualKeyResource,
} from '../../domain/resources/kinds.ts'
import { namespacedName } from '../../domain/resources/namespaced-name.ts'
import { ownerOfSecret, type SecretLookup, type SecretValue } from '../../domain/resources/secret-lookup.ts'
import { remembered } from '../../domain/remembered.ts'
import type { KeyDigest } from '../../domain/snapshot/snapshot.ts'
import { isDeleting } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { ClusterView } from './cluster-view.ts'
import { entryOf, generatedSecretNameOf, isControlledBy, readGeneratedKey } from './generated-secret.ts'

type Gathered = Pick<
  BuildInput,
  'organizations' | 'providers' | 'virtualKeys' | 'namespaces' | 'secretValue' | 'retiringDigests'
>

export type View = Pick<
  ClusterView,
  'virtualKeys' | 'providers' | 'organizations' | 'namespaces' | 'secret' | 'secretAccess'
>

/** Objects are frozen: what was read of one stays true, and most are the same from build to build. */
const virtualKeys = new WeakMap<KubeObject, VirtualKeyResource>()
const values = new WeakMap<KubeObject, Map<string, SecretValue>>()

/** What is in the stores now. Objects that are being deleted are left out: they are not in force any more. */
export function gather(view: View, digestOf: BuildInput['digestOf'], nowMs: number): Gathered {
  return {
    organizations: present(view.organizations.list()).map(toOrganization),
    providers: present(view.providers.list()).map(toProvider),
    virtualKeys: present(view.virtualKeys.list()).map((key) => remembered(virtualKeys, key, toVirtualKey)),
    namespaces: view.namespaces.list().map(toNamespace),
    secretValue: lookup(view),
    retiringDigests: (namespace, name) => retiring(view, digestOf, nowMs, namespace, name),
  }
}

/** The Secret of a generated key, if it is the key's own. */
export function ownedSecret(view: Pick<View, 'secret'>, key: KubeObject): KubeObject | undefined {
  const secret = view.secret(key.metadata.namespace ?? '', generatedSecretNameOf(key))
  return secret !== undefined && isControlledBy(secret, key) ? secret : undefined
}

function lookup(view: View): SecretLookup {
  return (namespace, name, entry) => {
    const owner = ownerOfSecret(name)
    const key = owner === undefined ? undefined : view.virtualKeys.get(namespacedName({ namespace, name: owner }))
    const secret = key === undefined ? view.secret(namespace, name) : ownedSecret(view, key)
    if (secret !== undefined) return valueIn(secret, entry)
    return { type: view.secretAccess(namespace) === 'readable' ? 'no-secret' : 'unreadable' }
  }
}

function valueIn(secret: KubeObject, key: string): SecretValue {
  const known = remembered(values, secret, () => new Map<string, SecretValue>())
  const value = known.get(key) ?? decoded(secret, key)
  known.set(key, value)
  return value
}

function decoded(secret: KubeObject, key: string): SecretValue {
  const encoded = asObject(secret['data'])?.[key]
  if (encoded === '') return { type: 'no-entry', detail: 'it is empty' }
  const value = entryOf(secret, key)
  return value === undefined ? { type: 'no-entry' } : { type: 'value', secret: value }
}

function retiring(
  view: View,
  digestOf: BuildInput['digestOf'],
  nowMs: number,
  namespace: string,
  name: string,
): readonly KeyDigest[] {
  const key = view.virtualKeys.get(namespacedName({ namespace, name }))
  const secret = key !== undefined && isGenerated(key) ? ownedSecret(view, key) : undefined
  const generated = secret === undefined ? undefined : readGeneratedKey(secret)
  return (generated?.former ?? [])
    .filter(({ notAfterMs }) => notAfterMs > nowMs)
    .map(({ key: former, notAfterMs }) => ({ digest: digestOf(former.reveal().trim(), namespace), notAfterMs }))
}

/** Whether the operator makes the key's text. */
export function isGenerated(key: KubeObject): boolean {
  return asString(asObject(asObject(key['spec'])?.['key'])?.['source']) !== 'SecretRef'
}

function present(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.filter((object) => !isDeleting(object))
}

function toVirtualKey(object: KubeObject): VirtualKeyResource {
  return { kind: 'VirtualKey', metadata: metadataOf(object), spec: specOf<VirtualKeyResource>(object) }
}

function toProvider(object: KubeObject): ProviderResource {
  return { kind: 'Provider', metadata: metadataOf(object), spec: specOf<ProviderResource>(object) }
}

function toOrganization(object: KubeObject): OrganizationResource {
  return { kind: 'Organization', metadata: metadataOf(object), spec: specOf<OrganizationResource>(object) }
}

function toNamespace({ metadata }: KubeObject): NamespaceResource {
  return { name: metadata.name, labels: texts(metadata['labels']) }
}

/** The API server has validated it against the schema that these types are written after. */
function specOf<Resource extends { readonly spec: object }>(object: KubeObject): Resource['spec'] {
  const spec: JsonObject = asObject(object['spec']) ?? {}
  return spec as unknown as Resource['spec']
}

function metadataOf({ metadata }: KubeObject): ObjectMeta {
  const creationTimestamp = asString(metadata['creationTimestamp'])
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    labels: texts(metadata['labels']),
    annotations: texts(metadata['annotations']),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
  }
}

function texts(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(asObject(value) ?? {})
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
