import { asArray, asObject, asString, isJsonObject } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import type { CallOptions, DeleteOptions, KubeClient, ObjectList, Selection, WriteOptions } from './kube-api.ts'
import { KubeError, LOCAL_REASONS } from './kube-error.ts'
import type { KubeHttp, KubeRequest } from './kube-http.ts'
import { isKubeObject } from './kube-object.ts'
import type { KubeObject, ObjectName } from './kube-object.ts'
import { apiVersionOf, collectionPath, EVENTS, objectPath } from './resource.ts'
import type { Resource } from './resource.ts'
import { pause } from './timing.ts'
import type { Timing } from './timing.ts'
import { TokenBucket } from './token-bucket.ts'
import { unquoted } from './unquoted.ts'
import { watch } from './watch.ts'

/** Objects a page: the API server's own clients use it. */
const PAGE_SIZE = 500
const LIST_TIMEOUT_MS = 60_000
/** Well above what a settled operator needs; the server's own fairness bounds all clients together. */
const REQUESTS_PER_SECOND = 50
const REQUESTS_BURST = 100
/** JSON is YAML; the server wants this name for it. */
const APPLY = 'application/apply-patch+yaml'
const JSON_PATCH = 'application/json-patch+json'
/** Of unknown fields the server would warn, which nobody reads, after reading each body a second time. */
const FIELD_VALIDATION = 'Ignore'

export interface KubeClientOptions {
  readonly timing: Timing
  /** Manager of the fields that this client writes. */
  readonly fieldManager: string
  readonly requestsPerSecond?: number
  readonly burst?: number
}

/** A client with a rate of its own; several may share the connections of one KubeHttp (the leader elector must not queue behind others). */
export function createKubeClient(http: KubeHttp, options: KubeClientOptions): KubeClient {
  const { timing, requestsPerSecond = REQUESTS_PER_SECOND, burst = REQUESTS_BURST } = options
  const bucket = new TokenBucket(requestsPerSecond, burst, timing)
  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    const waitMs = bucket.reserve()
    if (waitMs > 0) await pause(timing, waitMs, signal)
  }
  const call: Call = async (request) => {
    await turn(request.signal)
    return http.json(request)
  }
  return Object.freeze({
    ...readingVerbs(call),
    ...writingVerbs(call, options.fieldManager),
    async *watch(resource, watching) {
      await turn(watching.signal)
      yield* watch(http, timing, resource, watching)
    },
  } satisfies KubeClient)
}

type Call = (request: KubeRequest) => Promise<JsonObject>

function readingVerbs(call: Call): Pick<KubeClient, 'get' | 'list' | 'review' | 'raw'> {
  return {
    get: async (resource, name, options = {}) =>
      complete(resource, await call({ ...bounds(options), method: 'GET', path: objectPath(resource, name) })),
    list: (resource, options = {}) => listAll(call, resource, options),
    review: (resource, body, options = {}) => {
      const path = collectionPath(resource, namespaceOf(body))
      return unquoted(resource, body, call({ ...bounds(options), method: 'POST', path, body: typed(resource, body) }))
    },
    raw: (path, options = {}) => call({ ...bounds(options), method: 'GET', path }),
  }
}

type WritingVerb = 'create' | 'replace' | 'serverSideApply' | 'jsonPatch' | 'delete' | 'createEvent'

function writingVerbs(call: Call, defaultManager: string): Pick<KubeClient, WritingVerb> {
  const write = async (resource: Resource, request: KubeRequest, options: WriteOptions): Promise<KubeObject> => {
    const { fieldManager = defaultManager, dryRun = false } = options
    const query = {
      ...request.query,
      fieldManager,
      fieldValidation: FIELD_VALIDATION,
      dryRun: dryRun ? 'All' : undefined,
    }
    return complete(resource, await unquoted(resource, request.body, call({ ...bounds(options), ...request, query })))
  }
  const create: KubeClient['create'] = (resource, object, options = {}) =>
    write(
      resource,
      { method: 'POST', path: collectionPath(resource, namespaceOf(object)), body: typed(resource, object) },
      options,
    )
  return {
    create,
    createEvent: (event, options) => create(EVENTS, event, options),
    replace: (resource, object, options = {}) =>
      write(
        resource,
        { method: 'PUT', path: objectPath(resource, object.metadata), body: typed(resource, object) },
        options,
      ),
    serverSideApply: (resource, object, options = {}) => {
      const path = objectPath(resource, nameIn(object), options.subresource)
      const body = typed(resource, object)
      return write(
        resource,
        { method: 'PATCH', path, query: { force: options.force }, body, contentType: APPLY },
        options,
      )
    },
    jsonPatch: (resource, name, operations, options = {}) => {
      const path = objectPath(resource, name, options.subresource)
      return write(resource, { method: 'PATCH', path, body: operations, contentType: JSON_PATCH }, options)
    },
    delete: async (resource, name, options = {}) => {
      await call({
        ...bounds(options),
        method: 'DELETE',
        path: objectPath(resource, name),
        body: deleteOptions(options),
      })
    },
  }
}

function deleteOptions({ uid, resourceVersion, propagation = 'Background' }: DeleteOptions): JsonObject {
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
  return { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, propagationPolicy: propagation }
}

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

/** With `apiVersion` and `kind`, which callers may leave out. */
function typed(resource: Resource, object: JsonObject): JsonObject {
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind }
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
