import type { JsonObject, JsonValue } from '../../domain/json.ts'
import type { KubeObject, ObjectName } from './kube-object.ts'
import type { Resource } from './resource.ts'
import type { Milliseconds } from './timing.ts'
import type { WatchEvent } from './watch-events.ts'

/** Which objects. Without a namespace: of the whole cluster. */
export interface Selection {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: Milliseconds
}

export interface WriteOptions extends CallOptions {
  /** Whose fields these are, where it is not the client's. */
  readonly fieldManager?: string
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields from other managers instead of failing with a 409. */
  readonly force?: boolean
  readonly subresource?: 'status'
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: 'status'
}

export interface DeleteOptions extends CallOptions {
  /** Delete only this very object: 409 where it is another by now. */
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
}

export interface WatchOptions extends Selection {
  /** Of the list that the watch goes on from. */
  readonly resourceVersion: string
  /** After which the server ends it; a client's choice, so that many do not end at once. */
  readonly timeoutSeconds?: number
  /** Silence, bookmarks included, after which the connection counts as dead. */
  readonly inactivityMs?: Milliseconds
  readonly signal?: AbortSignal | undefined
}

/** @see https://www.rfc-editor.org/rfc/rfc6902 */
export type JsonPatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string }

export interface ObjectList {
  readonly items: readonly KubeObject[]
  /** To watch from. */
  readonly resourceVersion: string
}

/**
 * The verbs of the API server on raw JSON. Every failure is a KubeError; nothing is retried: callers know what may be.
 * What is written gets its `apiVersion` and `kind` from the resource.
 */
export interface KubeClient {
  get(resource: Resource, name: ObjectName, options?: CallOptions): Promise<KubeObject>
  /** All pages. A 410 between two pages is thrown: start again. */
  list(resource: Resource, options?: Selection & CallOptions): Promise<ObjectList>
  /** Ends when the server ends it; throws when it breaks, is silent for too long, or the server says so (410: list again). */
  watch(resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined>
  create(resource: Resource, object: JsonObject, options?: WriteOptions): Promise<KubeObject>
  /** Writes all of it, if nobody did since its `metadata.resourceVersion`: 409 otherwise. */
  replace(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>
  /** Creates the object or sets exactly these fields; what this manager set before and leaves out now is removed. */
  serverSideApply(resource: Resource, object: JsonObject, options?: ApplyOptions): Promise<KubeObject>
  /** 422 where a `test` fails. */
  jsonPatch(
    resource: Resource,
    name: ObjectName,
    operations: readonly JsonPatchOperation[],
    options?: PatchOptions,
  ): Promise<KubeObject>
  /** Resolves when the server has taken it: finalizers may keep the object for longer. 404 where there is none. */
  delete(resource: Resource, name: ObjectName, options?: DeleteOptions): Promise<void>
  /** An Event of events.k8s.io/v1. */
  createEvent(event: JsonObject, options?: CallOptions): Promise<KubeObject>
  /** Objects that are answered and not stored, such as a TokenReview. */
  review(resource: Resource, body: JsonObject, options?: CallOptions): Promise<JsonObject>
  /** Any JSON of the server, such as `/version`. */
  raw(path: string, options?: CallOptions): Promise<JsonObject>
}
