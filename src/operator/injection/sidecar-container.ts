/** The sidecar as a container of a pod, and what it needs beside it. Pure. */
import type { JsonObject } from '../../domain/json.ts'
import { AUDIENCE } from '../credentials/authenticate.ts'
import type { PodWishes } from './annotations.ts'

export const SIDECAR_CONTAINER = 'tollgate'
export const IDENTITY_VOLUME = 'tollgate-identity'
export const IDENTITY_PATH = '/var/run/tollgate'
export const SIDECAR_ARGS: readonly string[] = ['sidecar']
const TOKEN_SECONDS = 3_600
const ADMIN_PORT_NAME = 'tollgate-admin'

/** How a pod's sidecar is made: what the pod wishes, and the authorities that it shall trust (PEM). */
export interface SidecarPlan {
  readonly wishes: PodWishes
  readonly trust: string
}

/** A native sidecar: an init container that keeps running. @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/ */
export function renderSidecar({ wishes, trust }: SidecarPlan): JsonObject {
  return {
    name: SIDECAR_CONTAINER,
    image: wishes.image,
    imagePullPolicy: wishes.imagePullPolicy,
    restartPolicy: 'Always',
    args: [...SIDECAR_ARGS],
    env: sidecarEnv(wishes, trust),
    ports: [{ name: ADMIN_PORT_NAME, containerPort: wishes.adminPort, protocol: 'TCP' }],
    ...probes(wishes),
    resources: { requests: { ...wishes.resources.requests }, limits: { ...wishes.resources.limits } },
    securityContext: securityContext(wishes),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ name: IDENTITY_VOLUME, mountPath: IDENTITY_PATH, readOnly: true }],
  }
}

/** The token by which the operator knows the sidecar. */
export function renderIdentityVolume(): JsonObject {
  return {
    name: IDENTITY_VOLUME,
    projected: {
      // Readable by all, because the kubelet gives it to root where users differ; only the sidecar mounts it.
      defaultMode: 0o644,
      sources: [{ serviceAccountToken: { path: 'token', audience: AUDIENCE, expirationSeconds: TOKEN_SECONDS } }],
    },
  }
}

/** Names of the variables that the sidecar has, and no others. */
export const SIDECAR_ENV_NAMES: ReadonlySet<string> = new Set([
  'TOLLGATE_OPERATOR',
  'TOLLGATE_CA',
  'TOLLGATE_LISTEN',
  'TOLLGATE_ADMIN',
  'TOLLGATE_LOG_LEVEL',
  'POD_NAME',
  'POD_NAMESPACE',
  'POD_UID',
])

function sidecarEnv(wishes: PodWishes, trust: string): JsonObject[] {
  const value = (name: string, text: string): JsonObject => ({ name, value: text })
  const field = (name: string, fieldPath: string): JsonObject => ({
    name,
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
  })
  return [
    value('TOLLGATE_OPERATOR', wishes.operatorAddress),
    value('TOLLGATE_CA', trust),
    // Of this pod only: who reaches it needs no more than a virtual key.
    value('TOLLGATE_LISTEN', `127.0.0.1:${wishes.dataPort}`),
    // Of all addresses: the kubelet probes the pod's.
    value('TOLLGATE_ADMIN', `:${wishes.adminPort}`),
    value('TOLLGATE_LOG_LEVEL', wishes.logLevel),
    field('POD_NAME', 'metadata.name'),
    field('POD_NAMESPACE', 'metadata.namespace'),
    field('POD_UID', 'metadata.uid'),
  ]
}

function probes({ adminPort, await: awaits }: PodWishes): JsonObject {
  const get = (path: string): JsonObject => ({ httpGet: { path, port: adminPort, scheme: 'HTTP' } })
  return {
    // Holds back the containers that follow until the sidecar can answer.
    ...(awaits ? { startupProbe: { ...get('/readyz'), periodSeconds: 1, failureThreshold: 60 } } : {}),
    readinessProbe: { ...get('/readyz'), periodSeconds: 5, failureThreshold: 3 },
    livenessProbe: { ...get('/livez'), periodSeconds: 10, failureThreshold: 6 },
  }
}

/** As the Pod Security Standard `restricted` wants it. */
function securityContext({ runAsUser, runAsGroup }: PodWishes): JsonObject {
  return {
    runAsNonRoot: true,
    ...(runAsUser === null ? {} : { runAsUser }),
    ...(runAsGroup === null ? {} : { runAsGroup }),
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  }
}
