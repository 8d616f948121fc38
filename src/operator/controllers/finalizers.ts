/** The finalizer of VirtualKeys: where it stands, "the object is gone" means "the key is revoked". */
import { asArray, type JsonValue } from '../../domain/json.ts'
import type { JsonPatchOperation, KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import { isDeleting, nameOf } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { ObjectChange } from '../kube/object-store.ts'
import type { Milliseconds } from '../kube/timing.ts'
import { VIRTUAL_KEYS } from '../kube/resource.ts'
import type { ClusterView } from './cluster-view.ts'

const FINALIZER = 'tollgate.dev/redis-cleanup'
const FINALIZERS = '/metadata/finalizers'
/** Of what the API server did not find: it may not serve the kind yet, and no event would tell that it does. */
const NOT_FOUND_AGAIN_MS = 10_000

export interface FinalizersOptions {
  readonly client: Pick<KubeClient, 'jsonPatch'>
  readonly view: Pick<ClusterView, 'virtualKeys'>
}

export class Finalizers {
  readonly #options: FinalizersOptions
  /** By key, the uid of the object that has got ours, or is about to, and that the cache has not shown with it yet. */
  readonly #added = new Map<string, string>()

  constructor(options: FinalizersOptions) {
    this.#options = options
  }

  /** To be called at each step of the cache: of two that come at once, the second may show that it was taken away again. */
  note({ key, current }: ObjectChange): void {
    if (current === undefined || hasFinalizer(current)) this.#added.delete(key)
  }

  /** Whether `add` has something to do. */
  isMissing(key: string, object: KubeObject): boolean {
    const { uid = '' } = object.metadata
    return !isDeleting(object) && !hasFinalizer(object) && this.#added.get(key) !== uid
  }

  /** Nothing where it is there, or the object is gone or going. Returns when to come again. @throws KubeError */
  async add(key: string): Promise<Milliseconds | undefined> {
    const object = this.#options.view.virtualKeys.get(key)
    if (object === undefined || !this.isMissing(key, object)) return undefined
    const { finalizers, uid = '' } = object.metadata
    // Before: the cache may show it sooner than the API server answers.
    this.#added.set(key, uid)
    let isDone = false
    try {
      isDone = await this.#patch(key, additionTo(uid, finalizers))
    } finally {
      if (!isDone) this.#added.delete(key)
    }
    return isDone ? undefined : NOT_FOUND_AGAIN_MS
  }

  /** @param object has it @throws KubeError */
  async remove(key: string, object: KubeObject): Promise<void> {
    await this.#patch(key, finalizerRemoval(object))
  }

  /** Whether there is such an object. */
  async #patch(key: string, operations: readonly JsonPatchOperation[]): Promise<boolean> {
    try {
      await this.#options.client.jsonPatch(VIRTUAL_KEYS, nameOf(key), operations)
      return true
    } catch (error) {
      if (error instanceof KubeError && error.isNotFound) return false
      throw error
    }
  }
}

/** @returns whether it holds ours */
export function hasFinalizer(object: KubeObject): boolean {
  return asArray(object.metadata['finalizers']).includes(FINALIZER)
}

/**
 * What is tested is what was read, and only that: two writers do not overwrite each other's, and a status that is written
 * meanwhile does not matter. To the API server an absent list tests as null.
 */
function additionTo(uid: string, finalizers: JsonValue | undefined): readonly JsonPatchOperation[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: FINALIZERS, value: finalizers ?? null },
    finalizers === undefined
      ? { op: 'add', path: FINALIZERS, value: [FINALIZER] }
      : { op: 'add', path: `${FINALIZERS}/-`, value: FINALIZER },
  ]
}

/** Takes ours out of an object that has it; the API server answers 422 where others have changed the list meanwhile. */
export function finalizerRemoval(object: KubeObject): readonly JsonPatchOperation[] {
  const path = `${FINALIZERS}/${asArray(object.metadata['finalizers']).indexOf(FINALIZER)}`
  return [
    { op: 'test', path, value: FINALIZER },
    { op: 'remove', path },
  ]
}
