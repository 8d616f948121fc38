import { asArray, asObject, asString, isJsonObject } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import type { CallOptions, KubeClient, ObjectList, Selection, WriteOptions } from './kube-api.ts'
import { KubeError, LOCAL_REASONS } from './kube-error.ts'
import type { KubeHttp, KubeRequest } from './kube-http.ts'
import { isKubeObject } from './kube-object.ts'
import type { KubeObject, ObjectName } from './kube-object.ts'
import { apiVersionOf, collectionPath, EVENTS, objectPath } from './resource.ts'
import type { Resource } from './resource.ts'
import { pause } from './timing.ts'
import type { Timing } from './timing.ts'
import { TokenBucket } from './token-bucket.ts'
import { watch } from './watch.ts'

/** Objects a page: the API server's own clients use it. */
const PAGE_SIZE = 500
const LIST_TIMEOUT_MS = 60_000
/** Well above what a settled operator needs; the server's own fairness bounds all clients together. */
const REQUESTS_PER_SECOND = 50
const REQUESTS_BURST = 100

export interface KubeClientOptions {
  readonly timing: Timing
  /** Manager of the fields that this client writes. */
  readonly fieldManager: string
  readonly requestsPerSecond?: number
  readonly burst?: number
}

/** A client with a rate of its own; several may share the connections of one KubeHttp (the leader elector must not queue behind others). */
export function createKubeClient(http: KubeHttp, options: KubeClientOptions): KubeClient {
  const { timing, fieldManager } = options
  const bucket = new TokenBucket(
    options.requestsPerSecond ?? REQUESTS_PER_SECOND,
    options.burst ?? REQUESTS_BURST,
    timing,
  )
  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    const waitMs = bucket.reserve()
    if (waitMs > 0) await pause(timing, waitMs, signal)
  }
  const call = async (request: KubeRequest): Promise<JsonObject> => {
    await turn(request.signal)
    return http.json(request)
  }
  const callFor = async (resource: Resource, request: KubeRequest): Promise<KubeObject> =>
    complete(resource, await call(request))
  const writeQuery = ({ fieldManager: manager = fieldManager, dryRun }: WriteOptions) => ({
    fieldManager: manager,
    dryRun: dryRun === true ? 'All' : undefined,
  })
  const create: KubeClient['create'] = (resource, object, write = {}) =>
    callFor(resource, {
      ...bounds(write),
      method: 'POST',
      path: collectionPath(resource, namespaceOf(object)),
      query: writeQuery(write),
      body: object,
    })

  return Object.freeze({
    get: (resource, name, options = {}) =>
      callFor(resource, { ...bounds(options), method: 'GET', path: objectPath(resource, name) }),
    list: (resource, options = {}) => listAll(call, resource, options),
    async *watch(resource, options) {
      await turn(options.signal)
      yield* watch(http, timing, resource, options)
    },
    create,
    replace: (resource, object, write = {}) =>
      callFor(resource, {
        ...bounds(write),
        method: 'PUT',
        path: objectPath(resource, object.metadata),
        query: writeQuery(write),
        body: object,
      }),
    serverSideApply: (resource, object, apply = {}) =>
      callFor(resource, {
        ...bounds(apply),
        method: 'PATCH',
        path: objectPath(resource, nameIn(object), apply.subresource),
        query: { ...writeQuery(apply), force: apply.force },
        body: { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind },
        contentType: 'application/apply-patch+yaml',
      }),
    jsonPatch: (resource, name, operations, patch = {}) =>
      callFor(resource, {
        ...bounds(patch),
        method: 'PATCH',
        path: objectPath(resource, name, patch.subresource),
        query: writeQuery(patch),
        body: operations,
        contentType: 'application/json-patch+json',
      }),
    delete: async (resource, name, options = {}) => {
      const { uid, resourceVersion, propagation = 'Background' } = options
      const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion }
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, propagationPolicy: propagation }
      await call({ ...bounds(options), method: 'DELETE', path: objectPath(resource, name), body })
    },
    createEvent: (event, options = {}) => create(EVENTS, event, options),
    review: (resource, body, options = {}) =>
      call({ ...bounds(options), method: 'POST', path: collectionPath(resource, namespaceOf(body)), body }),
    raw: (path, options = {}) => call({ ...bounds(options), method: 'GET', path }),
  } satisfies KubeClient)
}

type Call = (request: KubeRequest) => Promise<JsonObject>

async function listAll(call: Call, resource: Resource, options: Selection & CallOptions): Promise<ObjectList> {
  const items: KubeObject[] = []
  let next: string | undefined
  for (;;) {
    const page = await call({
      timeoutMs: LIST_TIMEOUT_MS,
      ...bounds(options),
      method: 'GET',
      path: collectionPath(resource, options.namespace),
      query: { ...selectors(options), limit: PAGE_SIZE, continue: next },
    })
    const metadata = asObject(page['metadata'])
    const resourceVersion = asString(metadata?.['resourceVersion'])
    if (resourceVersion === undefined) throw malformed(`a list of ${resource.plural} without a resourceVersion`)
    for (const item of asArray(page['items'])) items.push(complete(resource, item))
    const following = asString(metadata?.['continue'])
    if (following === undefined || following === '') return { items, resourceVersion }
    if (following === next) throw malformed(`a list of ${resource.plural} that does not go on`)
    next = following
  }
}

/** Items of a list come without `apiVersion` and `kind` where the kind is built in. */
function complete(resource: Resource, value: JsonValue | undefined): KubeObject {
  const object = isJsonObject(value) ? { apiVersion: apiVersionOf(resource), kind: resource.kind, ...value } : undefined
  if (isKubeObject(object)) return object
  throw malformed(`an answer that is no ${resource.kind}`)
}

function selectors({ labelSelector, fieldSelector }: Selection): {
  labelSelector: string | undefined
  fieldSelector: string | undefined
} {
  return { labelSelector, fieldSelector }
}

function bounds({ signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}

function namespaceOf(object: JsonObject): string | undefined {
  return asString(asObject(object['metadata'])?.['namespace'])
}

function nameIn(object: JsonObject): ObjectName {
  const metadata = asObject(object['metadata'])
  const name = asString(metadata?.['name'])
  const namespace = asString(metadata?.['namespace'])
  if (name === undefined) throw new TypeError('an object to apply needs metadata.name')
  return namespace === undefined ? { name } : { name, namespace }
}

function malformed(message: string): KubeError {
  return new KubeError(message, { status: 0, reason: LOCAL_REASONS.malformed })
}
