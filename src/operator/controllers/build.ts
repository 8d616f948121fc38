/** One build: all that follows from the cluster as it is known at one moment. */
import { buildSnapshot } from '../../domain/resources/build-snapshot.ts'
import type { Condition } from '../../domain/resources/conditions.ts'
import { namespacedName } from '../../domain/resources/namespaced-name.ts'
import type { PatternCheck } from '../../domain/resources/organizations.ts'
import type { SecretLookup } from '../../domain/resources/secret-lookup.ts'
import type { Secret } from '../../domain/secret.ts'
import { MAX_OWNER_ORGANIZATIONS, MAX_SHARD_LENGTH, splitSnapshot } from '../../domain/snapshot/shards.ts'
import type { ContentHash, ShardContent } from '../../domain/snapshot/shards.ts'
import type { KeyDigest, Milliseconds, Snapshot } from '../../domain/snapshot/snapshot.ts'
import { keyOf } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { gather } from './gather.ts'
import type { View } from './gather.ts'

/** More than what is around the keys of a shard. */
const SHARD_FRAME_LENGTH = 1_024

/** What is in force as of one moment. Resources are named `Kind/namespace/name`, `Kind/name` where cluster-scoped. */
export interface Build {
  readonly snapshot: Snapshot
  readonly credentials: ReadonlyMap<string, Secret>
  readonly shards: readonly ShardContent[]
  readonly conditions: ReadonlyMap<string, readonly Condition[]>
  /** Version of each resource that this is about, as of `versionOf`. */
  readonly versions: ReadonlyMap<string, string>
  /** Hash of each resource's entry in the snapshot; absent where it has none. */
  readonly revisions: ReadonlyMap<string, string>
}

export interface BuildOptions {
  readonly view: View
  readonly contentHash: ContentHash
  readonly digestOf: (text: string, namespace: string) => string
  readonly checkPattern: PatternCheck
  /** The operator's own namespace, where the providers' Secrets are. */
  readonly namespace: string
  /** Secrets of that namespace that are the installation's own: a Provider must not send them out. */
  readonly reservedSecrets: ReadonlySet<string>
  /** Of each key, by its id: those that it was in force with before. */
  readonly digests: ReadonlyMap<string, readonly KeyDigest[]>
  readonly nowMs: Milliseconds
}

/** @throws {BuildError} */
export function makeBuild(options: BuildOptions): Build {
  try {
    return evaluate(options)
  } catch (error) {
    throw new BuildError(error)
  }
}

/** Nothing could be built of what is in the cluster. Resources are judged one by one, so this is a fault of ours. */
export class BuildError extends Error {
  constructor(cause: unknown) {
    super(`the configuration cannot be built: ${cause instanceof Error ? cause.message : 'failed'}`, { cause })
    this.name = 'BuildError'
  }
}

function evaluate(options: BuildOptions): Build {
  const { view, contentHash, digestOf, checkPattern, namespace, digests, nowMs } = options
  const gathered = gather(view, digestOf, nowMs)
  const { snapshot, conditions, credentials, revisions } = buildSnapshot({
    ...gathered,
    secretValue: withoutReserved(gathered.secretValue, options),
    providerNamespaces: [namespace],
    digestOf,
    contentHash,
    digestsInForce: (id) => digests.get(id) ?? [],
    checkPattern,
    nowMs,
    requireOrganization: true,
    // A sidecar refuses a shard that names or holds more, and with it every later change of the namespace.
    maxOrganizationsPerNamespace: MAX_OWNER_ORGANIZATIONS,
    maxKeysLengthPerNamespace: MAX_SHARD_LENGTH - SHARD_FRAME_LENGTH,
  })
  return {
    snapshot,
    credentials,
    shards: splitSnapshot(snapshot, [], contentHash),
    conditions: new Map(conditions.map((one) => [`${one.kind}/${namespacedName(one)}`, one.conditions])),
    versions: versionsOf(view),
    revisions,
  }
}

/** The right to make Providers must not be the right to read what all keys and passwords are derived from. */
function withoutReserved(lookup: SecretLookup, { namespace, reservedSecrets }: BuildOptions): SecretLookup {
  return (home, name, key) =>
    home === namespace && reservedSecrets.has(name) ? { type: 'no-secret' } : lookup(home, name, key)
}

/** Which spec of a resource: one that was deleted and made again begins its generations anew. */
export function versionOf({ metadata }: KubeObject): string {
  return `${metadata.uid ?? ''} ${metadata.generation ?? ''}`
}

function versionsOf(view: View): ReadonlyMap<string, string> {
  const of = (kind: string, list: ReturnType<View['virtualKeys']['list']>) =>
    list.map((object) => [`${kind}/${keyOf(object)}`, versionOf(object)] as const)
  return new Map([
    ...of('VirtualKey', view.virtualKeys.list()),
    ...of('Provider', view.providers.list()),
    ...of('Organization', view.organizations.list()),
  ])
}
