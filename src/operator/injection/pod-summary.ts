/**
 * What is kept of every pod of the cluster: a pod has kilobytes of what nobody here reads, and there are ten thousands.
 * A summary is an object that the reflector can keep, and `readSummary` its reader.
 */
import { createHash } from 'node:crypto'
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import { splitPem } from '../certificates/serving-certificate.ts'
import { isDeleting } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { annotationsOf, CONFIG_HASH_ANNOTATION, INJECT_LABEL, labelsOf } from './annotations.ts'
import { SIDECAR_CONTAINER } from './sidecar-container.ts'
import { containersOf, sidecarProblem } from './sidecar-shape.ts'
import type { SidecarRules } from './sidecar-shape.ts'

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror'
const ENDED = ['Succeeded', 'Failed']

export interface PodSummary {
  readonly uid: string
  readonly podIPs: readonly string[]
  readonly serviceAccount: string
  readonly hostNetwork: boolean
  readonly ended: boolean
  /** Not to be injected: opted out, on the host's network, a mirror of a static pod; or it is ending. */
  readonly exempt: boolean
  /** Whether an init container has the sidecar's name, as it should be or not. */
  readonly hasNamesake: boolean
  /** Why its sidecar may not be trusted; empty: it may, if `authorities` are ours. */
  readonly problem: string
  /** Fingerprints of the authorities that its sidecar trusts. */
  readonly authorities: readonly string[]
  /** What it was injected with; empty: it does not say. */
  readonly configHash: string
}

export function summarizePod(pod: KubeObject, rules: Omit<SidecarRules, 'isTrusted'>): KubeObject {
  const { name, namespace, uid, resourceVersion } = pod.metadata
  const spec = asObject(pod['spec'])
  const status = asObject(pod['status'])
  let authorities: readonly string[] = []
  const isTrusted = (pem: string): boolean => {
    authorities = fingerprints(pem) ?? []
    return authorities.length > 0
  }
  const problem = sidecarProblem(spec, { ...rules, isTrusted })
  const annotations = annotationsOf(pod)
  const hostNetwork = spec?.['hostNetwork'] === true
  const summary: JsonObject = {
    podIPs: asArray(status?.['podIPs']).flatMap((one) => asString(asObject(one)?.['ip']) ?? []),
    serviceAccount: spec?.['serviceAccountName'],
    hostNetwork,
    ended: ENDED.includes(asString(status?.['phase']) ?? ''),
    exempt:
      hostNetwork ||
      labelsOf(pod)[INJECT_LABEL] === 'false' ||
      annotations[MIRROR_ANNOTATION] !== undefined ||
      isDeleting(pod),
    hasNamesake: containersOf(spec, 'initContainers').some((container) => container['name'] === SIDECAR_CONTAINER),
    problem: problem ?? '',
    authorities: [...authorities],
    configHash: annotations[CONFIG_HASH_ANNOTATION],
  }
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    summary,
  }
}

export function readSummary(summarized: KubeObject): PodSummary {
  const summary = asObject(summarized['summary']) ?? {}
  return {
    uid: summarized.metadata.uid ?? '',
    podIPs: texts(summary['podIPs']),
    serviceAccount: asString(summary['serviceAccount']) ?? '',
    hostNetwork: summary['hostNetwork'] === true,
    ended: summary['ended'] === true,
    exempt: summary['exempt'] === true,
    hasNamesake: summary['hasNamesake'] === true,
    problem: asString(summary['problem']) ?? '',
    authorities: texts(summary['authorities']),
    configHash: asString(summary['configHash']) ?? '',
  }
}

/** Of each certificate; undefined where there is anything else in the text: some reader might take it for one. */
export function fingerprints(pem: string): readonly string[] | undefined {
  const certificates = splitPem(pem)
  let rest = pem
  for (const one of certificates) rest = rest.replace(one.trimEnd(), '')
  if (rest.trim() !== '') return undefined
  return certificates.map((one) => createHash('sha256').update(one.replaceAll(/\s/g, '')).digest('hex').slice(0, 32))
}

function texts(value: JsonValue | undefined): readonly string[] {
  return asArray(value).flatMap((one) => asString(one) ?? [])
}
