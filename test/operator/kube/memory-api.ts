/** Leases, events and status writes of an API server in memory: resource versions, conflicts, and faults on demand. */
import { asObject, asString } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import type { KubeClient } from '../../../src/operator/kube/kube-api.ts'
import { KubeError } from '../../../src/operator/kube/kube-error.ts'
import { isKubeObject, keyOf } from '../../../src/operator/kube/kube-object.ts'
import type { KubeObject, ObjectName } from '../../../src/operator/kube/kube-object.ts'
import { apiVersionOf } from '../../../src/operator/kube/resource.ts'
import type { Resource } from '../../../src/operator/kube/resource.ts'

export interface Call {
  readonly verb: string
  readonly resource: string
  readonly body: unknown
}

/** `lost`: done, but the answer does not arrive. */
export type CallFault = 'unavailable' | 'lost' | 'slow'

export class MemoryApi {
  readonly objects = new Map<string, KubeObject>()
  readonly calls: Call[] = []
  /** Asked for each call of each client by name. */
  fault: (client: string, verb: string) => CallFault | undefined = () => undefined
  #version = 0

  /** A client; `name` tells them apart in `fault`. `slow` calls end after their own time limit, on `after`. */
  client(
    name: string,
    after: (ms: number) => Promise<void> = async () => undefined,
  ): Pick<KubeClient, 'get' | 'create' | 'replace' | 'jsonPatch' | 'createEvent' | 'serverSideApply'> {
    const call = async <Result>(
      verb: string,
      resource: string,
      body: unknown,
      timeoutMs: number,
      act: () => Result,
    ): Promise<Result> => {
      this.calls.push({ verb, resource, body })
      const fault = this.fault(name, verb)
      if (fault === 'unavailable') throw new KubeError('unavailable', { status: 503, reason: 'ServiceUnavailable' })
      if (fault === 'slow') await after(timeoutMs)
      if (fault === 'slow') throw new KubeError('no answer', { status: 0, reason: 'ClientTimeout' })
      const result = act()
      if (fault === 'lost') throw new KubeError('lost', { status: 0, reason: 'ConnectionFailed' })
      return structuredClone(result)
    }
    const create = (resource: Resource, object: JsonObject, timeoutMs = 0) =>
      call('create', resource.plural, object, timeoutMs, () => {
        if (this.objects.has(pathOf(resource, nameIn(object)))) throw refusal(409, 'AlreadyExists')
        return this.#store(resource, object)
      })
    return {
      get: (resource, at, options = {}) =>
        call('get', resource.plural, at, options.timeoutMs ?? 0, () => this.#find(resource, at)),
      create: (resource, object, options = {}) => create(resource, object, options.timeoutMs),
      createEvent: (event) =>
        create({ group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true }, event),
      replace: (resource, object, options = {}) =>
        call('replace', resource.plural, object, options.timeoutMs ?? 0, () => {
          const stored = this.#find(resource, object.metadata)
          if (stored.metadata.resourceVersion !== object.metadata.resourceVersion) throw refusal(409, 'Conflict')
          return this.#store(resource, object)
        }),
      jsonPatch: (resource, at, operations) =>
        call('jsonPatch', resource.plural, operations, 0, () => this.#find(resource, at)),
      serverSideApply: (resource, object) =>
        call('serverSideApply', resource.plural, object, 0, () => this.#find(resource, nameIn(object))),
    }
  }

  #find(resource: Resource, at: ObjectName): KubeObject {
    const object = this.objects.get(pathOf(resource, at))
    if (object === undefined) throw refusal(404, 'NotFound')
    return object
  }

  #store(resource: Resource, object: JsonObject): KubeObject {
    this.#version += 1
    const metadata = { ...asObject(object['metadata']), resourceVersion: `${this.#version}` }
    const stored = structuredClone({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...object, metadata })
    if (!isKubeObject(stored)) throw refusal(422, 'Invalid')
    this.objects.set(pathOf(resource, stored.metadata), stored)
    return stored
  }
}

function nameIn(object: JsonObject): ObjectName {
  const metadata = asObject(object['metadata'])
  const namespace = asString(metadata?.['namespace'])
  const name = asString(metadata?.['name']) ?? ''
  return namespace === undefined ? { name } : { namespace, name }
}

function pathOf(resource: Resource, at: ObjectName): string {
  return `${resource.plural}/${keyOf({ metadata: at })}`
}

function refusal(status: number, reason: string): KubeError {
  return new KubeError(reason, { status, reason })
}
