/** What a change of the cluster leads to: work on a key, on a status, a new build. */
import type { KubeObject } from '../kube/kube-object.ts'
import { isDeleting, keyOf } from '../kube/kube-object.ts'
import type { WorkQueue } from '../kube/work-queue.ts'
import { isUsageOnly } from '../usage/usage-change.ts'
import type { ClusterChange, ClusterView } from './cluster-view.ts'

export interface ChangeRouterOptions {
  readonly view: Pick<ClusterView, 'virtualKeys' | 'providers' | 'organizations' | 'keysOfSecret'>
  /** The operator's own: all Secrets there count. */
  readonly namespace: string
  /** VirtualKeys, `namespace/name`. */
  readonly keys: Pick<WorkQueue, 'add'>
  /** Resources, `Kind/namespace/name`. */
  readonly statuses: Pick<WorkQueue, 'add'>
  /** A build is needed. */
  readonly onInputChanged: () => void
}

export class ChangeRouter {
  readonly #options: ChangeRouterOptions

  constructor(options: ChangeRouterOptions) {
    this.#options = options
  }

  /** Only notes what is to be done. */
  note({ kind, change }: ClusterChange): void {
    const { keys, statuses, onInputChanged } = this.#options
    if (kind === 'Secret') {
      const secret = change?.current ?? change?.previous
      if (secret !== undefined && !this.#isNeeded(secret)) return
      this.#noteSecret(secret)
      return onInputChanged()
    }
    if (change === undefined) return onInputChanged()
    if (isUsageOnly(change.previous, change.current)) return
    if (kind === 'VirtualKey') keys.add(change.key)
    if (kind !== 'Namespace') statuses.add(`${kind}/${change.key}`)
    if (!isStatusOnly(change.previous, change.current)) onInputChanged()
  }

  /** Every VirtualKey needs a round, and every resource a look at its status. */
  addAll(): void {
    this.#addEach(() => true)
  }

  /** What has gone out of force with a publication: finalizers of ours can go, statuses tell of those of others. */
  addDeleting(): void {
    this.#addEach(isDeleting)
  }

  #addEach(isWanted: (object: KubeObject) => boolean): void {
    const { statuses, view } = this.#options
    for (const key of view.virtualKeys.list()) if (isWanted(key)) this.#addKey(keyOf(key))
    for (const store of [view.providers, view.organizations])
      for (const object of store.list()) if (isWanted(object)) statuses.add(`${object.kind}/${keyOf(object)}`)
  }

  #addAllKeys(): void {
    for (const key of this.#options.view.virtualKeys.list()) this.#addKey(keyOf(key))
  }

  /** Most Secrets of a cluster are nobody's key and change often. */
  #isNeeded(secret: KubeObject): boolean {
    const { namespace, view } = this.#options
    return secret.metadata.namespace === namespace || view.keysOfSecret(secret).length > 0
  }

  #noteSecret(secret: KubeObject | undefined): void {
    // The access to a namespace: whose Secrets it are is not known.
    if (secret === undefined) return this.#addAllKeys()
    for (const key of this.#options.view.keysOfSecret(secret)) this.#addKey(key)
  }

  #addKey(key: string): void {
    this.#options.keys.add(key)
    this.#options.statuses.add(`VirtualKey/${key}`)
  }
}

/** Our own writes come back as events; nothing that is built from has changed. */
function isStatusOnly(previous: KubeObject | undefined, current: KubeObject | undefined): boolean {
  if (previous === undefined || current === undefined) return false
  const { metadata } = current
  return (
    metadata.generation !== undefined &&
    previous.metadata.uid === metadata.uid &&
    previous.metadata.generation === metadata.generation &&
    previous.metadata['deletionTimestamp'] === metadata['deletionTimestamp']
  )
}
