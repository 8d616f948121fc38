/** All that the controllers read of the cluster, kept current. Read only when `synced`: a part would look like deletions. */
import { asObject, asString } from '../../domain/json.ts'
import { namespacedName } from '../../domain/resources/namespaced-name.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { keyOf } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { Log } from '../kube/log.ts'
import type { ObjectChange, ObjectLookup } from '../kube/object-store.ts'
import { Reflector } from '../kube/reflector.ts'
import { NAMESPACES, ORGANIZATIONS, PROVIDERS, VIRTUAL_KEYS } from '../kube/resource.ts'
import type { Resource } from '../kube/resource.ts'
import type { Timing } from '../kube/timing.ts'
import { generatedSecretNameOf } from './generated-secret.ts'
import { SecretWatch } from './secret-watch.ts'
import type { SecretAccess } from './secret-watch.ts'

/** Index of VirtualKeys: `namespace/name` of the Secret that holds the key's text. */
const BY_SECRET = 'secret'
/** Index of VirtualKeys: their namespace. */
const BY_NAMESPACE = 'namespace'

export interface ClusterChange {
  readonly kind: 'VirtualKey' | 'Provider' | 'Organization' | 'Namespace' | 'Secret'
  /** Absent where it is not one object that has changed. */
  readonly change: ObjectChange | undefined
}

export interface ClusterViewOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch' | 'review'>
  readonly timing: Timing
  readonly log: Log
  /** The operator's own, where the providers' Secrets are. */
  readonly namespace: string
  /** Must only note the change. */
  readonly onChange: (change: ClusterChange) => void
}

export class ClusterView {
  readonly #virtualKeys: Reflector
  readonly #providers: Reflector
  readonly #organizations: Reflector
  readonly #namespaces: Reflector
  readonly #secrets: SecretWatch
  #hasSynced = false

  constructor(options: ClusterViewOptions) {
    const { client, timing, log, namespace, onChange } = options
    const watch = (resource: Resource, kind: ClusterChange['kind'], extra: object = {}): Reflector => {
      const reflector = new Reflector({ client, resource, timing, log, ...extra })
      reflector.onChange((change) => onChange({ kind, change }))
      return reflector
    }
    this.#virtualKeys = watch(VIRTUAL_KEYS, 'VirtualKey', {
      indexes: { [BY_SECRET]: secretsOfKey, [BY_NAMESPACE]: ({ metadata }: KubeObject) => [metadata.namespace ?? ''] },
    })
    this.#providers = watch(PROVIDERS, 'Provider')
    this.#organizations = watch(ORGANIZATIONS, 'Organization')
    this.#namespaces = watch(NAMESPACES, 'Namespace')
    const namespaces = () => new Set([namespace, ...this.virtualKeys.words(BY_NAMESPACE)])
    const onSecret = (change: ObjectChange | undefined) => onChange({ kind: 'Secret', change })
    this.#secrets = new SecretWatch({ client, timing, log, namespaces, onChange: onSecret })
    // Most changes are statuses of keys that were there: with thousands of them they must not ask for all namespaces.
    this.#virtualKeys.onChange(({ current, previous }) => {
      if (this.#hasSynced && (current === undefined || previous === undefined)) this.#secrets.refresh()
    })
  }

  get virtualKeys(): ObjectLookup {
    return this.#virtualKeys.store
  }

  get providers(): ObjectLookup {
    return this.#providers.store
  }

  get organizations(): ObjectLookup {
    return this.#organizations.store
  }

  get namespaces(): ObjectLookup {
    return this.#namespaces.store
  }

  /** Everything has been read once. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** By resource, whether it cannot be read at the moment: what the view holds of it may be old. Secrets: see `secretAccess`. */
  get failing(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#reflectors.map(({ resource, stats }) => [resource.plural, stats.isFailing]))
  }

  secret(namespace: string, name: string): KubeObject | undefined {
    return this.#secrets.get(namespace, name)
  }

  secretAccess(namespace: string): SecretAccess {
    return this.#secrets.access(namespace)
  }

  /** For people. */
  howToGrant(namespace: string): string {
    return this.#secrets.howToGrant(namespace)
  }

  /** Keys of the VirtualKeys whose text is in this Secret. */
  keysOfSecret(secret: KubeObject): readonly string[] {
    return this.virtualKeys.keysBy(BY_SECRET, keyOf(secret))
  }

  keysOfNamespace(namespace: string): readonly KubeObject[] {
    return this.virtualKeys.findBy(BY_NAMESPACE, namespace)
  }

  /** Resolves when everything has been read once. */
  async start(): Promise<void> {
    for (const reflector of this.#reflectors) reflector.start()
    await Promise.all(this.#reflectors.map(({ synced }) => synced))
    await this.#secrets.start()
    this.#hasSynced = true
    // For keys that came meanwhile.
    this.#secrets.refresh()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#reflectors, this.#secrets].map((part) => part.stop()))
  }

  get #reflectors(): readonly Reflector[] {
    return [this.#virtualKeys, this.#providers, this.#organizations, this.#namespaces]
  }
}

function secretsOfKey(object: KubeObject): readonly string[] {
  const key = asObject(asObject(object['spec'])?.['key'])
  const name = asString(asObject(key?.['secretRef'])?.['name']) ?? generatedSecretNameOf(object)
  return [namespacedName({ ...object.metadata, name })]
}
