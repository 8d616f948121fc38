import { isJsonObject } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { namespacedName } from '../../domain/resources/namespaced-name.ts'

/** Any Kubernetes object as the API server's JSON says it; `spec`, `status` and `data` are raw and need a parser. */
export interface KubeObject extends JsonObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
}

/** The part of `metadata` that this layer relies on. */
export interface ObjectMeta extends JsonObject {
  name: string
  /** Absent on cluster-scoped objects. */
  namespace?: string
  uid?: string
  /** Opaque; compared for equality only. */
  resourceVersion?: string
  generation?: number
}

/** Names an object of a resource. `namespace` is absent for cluster-scoped ones. */
export interface ObjectName {
  readonly namespace?: string
  readonly name: string
}

/** Whether `value` has the parts that every stored object has. */
export function isKubeObject(value: unknown): value is KubeObject {
  if (!isJsonObject(value) || typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') return false
  const { metadata } = value
  if (!isJsonObject(metadata) || typeof metadata['name'] !== 'string') return false
  return (
    isOptional(metadata['namespace'], 'string') &&
    isOptional(metadata['uid'], 'string') &&
    isOptional(metadata['resourceVersion'], 'string') &&
    isOptional(metadata['generation'], 'number')
  )
}

/** `namespace/name`, or `name` where there is no namespace: the key of stores and queues. */
export function keyOf({ metadata }: { readonly metadata: ObjectName }): string {
  return namespacedName(metadata)
}

/** The opposite of `keyOf`. */
export function nameOf(key: string): ObjectName {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/** Freezes a JSON value in depth, without recursion, and returns it: nobody who reads a cache may write into it. */
export function deepFreeze<Value extends object>(value: Value): Value {
  const open: object[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next)
    for (const child of Object.values(next)) {
      if (typeof child === 'object' && child !== null && !Object.isFrozen(child)) open.push(child)
    }
  }
  return value
}

function isOptional(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || typeof value === type
}

/** Whether somebody has asked for the object's deletion. */
export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata['deletionTimestamp'] !== undefined
}
