/** What the credentials service asks of the cluster: reviews of tokens, facts of pods, and what is in force. */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Secret } from '../../domain/secret.ts'
import { AUDIENCE } from '../credentials/authenticate.ts'
import type { PodFacts, PodLookup, TokenReviewer } from '../credentials/ports.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { Log } from '../kube/log.ts'
import { Reflector } from '../kube/reflector.ts'
import { PODS, TOKEN_REVIEWS } from '../kube/resource.ts'
import type { Timing } from '../kube/timing.ts'

/** The container as it is injected. */
const SIDECAR_CONTAINER = 'tollgate'

export function tokenReviewer(client: Pick<KubeClient, 'review'>): TokenReviewer {
  return {
    async review(token: Secret, audiences: readonly string[]) {
      const answer = await client.review(TOKEN_REVIEWS, { spec: { token: token.reveal(), audiences: [...audiences] } })
      const status = asObject(answer['status'])
      const user = asObject(status?.['user'])
      return {
        authenticated: status?.['authenticated'] === true,
        username: asString(user?.['username']) ?? '',
        audiences: textsOf(status?.['audiences']),
        extra: Object.fromEntries(
          Object.entries(asObject(user?.['extra']) ?? {}).map(([name, values]) => [name, textsOf(values)]),
        ),
      }
    },
  }
}

export interface PodWatchOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch' | 'get'>
  readonly timing: Timing
  readonly log: Log
  /** Told the uid of a pod that is gone. */
  readonly onDeleted: (uid: string) => void
}

/** All pods of the cluster, of which only what is asked for is kept. */
export class PodWatch implements PodLookup {
  readonly #client: Pick<KubeClient, 'get'>
  readonly #reflector: Reflector

  constructor({ client, timing, log, onDeleted }: PodWatchOptions) {
    this.#client = client
    this.#reflector = new Reflector({ client, resource: PODS, timing, log, transform: trim })
    this.#reflector.onChange(({ current, previous }) => {
      const uid = previous?.metadata.uid
      if (uid !== undefined && current?.metadata.uid !== uid) onDeleted(uid)
    })
  }

  start(): void {
    this.#reflector.start()
  }

  stop(): Promise<void> {
    return this.#reflector.stop()
  }

  /** A sidecar may come before its pod's address is in the cache: then the API server is asked. */
  async get(namespace: string, name: string): Promise<PodFacts | undefined> {
    const known = this.#reflector.store.get(`${namespace}/${name}`)
    if (known !== undefined && factsOf(known).podIPs.length > 0) return factsOf(known)
    try {
      return factsOf(await this.#client.get(PODS, { namespace, name }))
    } catch (error) {
      if (error instanceof KubeError && error.isNotFound) return undefined
      throw error
    }
  }
}

/** Pure: what is known of a pod. */
export function factsOf(pod: KubeObject): PodFacts {
  const spec = asObject(pod['spec'])
  const status = asObject(pod['status'])
  return {
    uid: pod.metadata.uid ?? '',
    podIPs: asArray(status?.['podIPs']).flatMap((one) => asString(asObject(one)?.['ip']) ?? []),
    serviceAccount: asString(spec?.['serviceAccountName']) ?? '',
    hasSidecar: hasSidecar(spec),
    hostNetwork: spec?.['hostNetwork'] === true,
    ended: ['Succeeded', 'Failed'].includes(asString(status?.['phase']) ?? ''),
  }
}

/**
 * A native sidecar of our name which alone mounts a token of our audience. That its image is ours is for admission to
 * see to: whoever may create pods without it can name any image anyway.
 */
function hasSidecar(spec: JsonObject | undefined): boolean {
  const volumes = asArray(spec?.['volumes']).map(asObject).filter(isIdentity)
  const names = new Set(volumes.map((volume) => asString(volume?.['name'])))
  const mounts = (container: JsonObject | undefined): boolean =>
    asArray(container?.['volumeMounts']).some((mount) => names.has(asString(asObject(mount)?.['name'])))
  const [initial, others] = [asArray(spec?.['initContainers']), asArray(spec?.['containers'])].map((list) =>
    (list ?? []).map(asObject).filter(mounts),
  )
  const [sidecar, ...more] = initial ?? []
  return (
    sidecar?.['name'] === SIDECAR_CONTAINER &&
    sidecar['restartPolicy'] === 'Always' &&
    more.length === 0 &&
    others?.length === 0
  )
}

function isIdentity(volume: JsonObject | undefined): boolean {
  return asArray(asObject(volume?.['projected'])?.['sources']).some(
    (source) => asObject(asObject(source)?.['serviceAccountToken'])?.['audience'] === AUDIENCE,
  )
}

/** A pod has kilobytes of what nobody here reads. */
function trim(pod: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = pod.metadata
  const spec = asObject(pod['spec'])
  const status = asObject(pod['status'])
  const containers = (value: JsonObject[string]) =>
    asArray(value).map((one) => {
      const container = asObject(one)
      return present({
        name: container?.['name'],
        restartPolicy: container?.['restartPolicy'],
        volumeMounts: asArray(container?.['volumeMounts']).map((mount) => present({ name: asObject(mount)?.['name'] })),
      })
    })
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: present({
      serviceAccountName: spec?.['serviceAccountName'],
      hostNetwork: spec?.['hostNetwork'],
      volumes: asArray(spec?.['volumes']).filter((volume) => isIdentity(asObject(volume))),
      initContainers: containers(spec?.['initContainers']),
      containers: containers(spec?.['containers']),
    }),
    status: present({ phase: status?.['phase'], podIPs: status?.['podIPs'] }),
  }
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function textsOf(value: JsonObject[string]): readonly string[] {
  return asArray(value).flatMap((one) => asString(one) ?? [])
}
