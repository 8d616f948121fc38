/** What a pod says that means something else than it seems to, or that its sidecar cannot work with: for warnings. */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { annotationsOf, INJECT_LABEL, isKnownAnnotation, labelsOf } from './annotations.ts'
import type { PodWishes } from './annotations.ts'
import { SIDECAR_CONTAINER } from './sidecar-container.ts'
import { containersOf } from './sidecar-shape.ts'

/** Each finding in the words of a warning, without the product's name. */
export function slipsOf(pod: JsonObject, wishes: PodWishes): readonly string[] {
  return [...labelSlips(pod), ...portSlips(pod, wishes), ...nameServiceSlips(pod, wishes)]
}

function labelSlips(pod: JsonObject): readonly string[] {
  const labels = labelsOf(pod)
  const optOut = `the label ${INJECT_LABEL}="false" of the pod (in a Deployment: of its template)`
  const value = asString(labels[INJECT_LABEL])
  const asAnnotation = annotationsOf(pod)[INJECT_LABEL] !== undefined
  return [
    ...(value === undefined || value === 'true'
      ? []
      : [`label ${INJECT_LABEL}=${value} says nothing: what keeps the sidecar out is ${optOut}`]),
    ...(asAnnotation ? [`annotation ${INJECT_LABEL} says nothing: what keeps the sidecar out is ${optOut}`] : []),
    ...Object.keys(labels)
      .filter(isKnownAnnotation)
      .map((name) => `label ${name} says nothing: it is an annotation`),
  ]
}

/** The sidecar is there first, and who listens on all addresses wants its port, too. */
function portSlips({ spec }: JsonObject, { dataPort, adminPort }: PodWishes): readonly string[] {
  const all = ['containers', 'initContainers'].flatMap((field) => containersOf(asObject(spec), field))
  const taken = new Map([
    [dataPort, 'set the annotation tollgate.dev/port to another'],
    [adminPort, 'let the application listen on another'],
  ])
  return all
    .filter(({ name }) => name !== SIDECAR_CONTAINER)
    .flatMap((container) =>
      asArray(container['ports'])
        .map(asObject)
        .filter((port) => (port?.['protocol'] ?? 'TCP') === 'TCP')
        .flatMap((port) => {
          const number = Number(port?.['containerPort'])
          const cure = taken.get(number)
          const name = asString(container['name']) ?? ''
          return cure === undefined
            ? []
            : [`container ${name} states port ${number}, where the sidecar listens: one of them cannot; ${cure}`]
        }),
    )
}

/** A cluster's own names are known to its DNS only. */
function nameServiceSlips({ spec }: JsonObject, { operatorAddress }: PodWishes): readonly string[] {
  if (asObject(spec)?.['dnsPolicy'] !== 'Default' || !/\.svc[.:]/.test(operatorAddress)) return []
  return [
    `dnsPolicy Default (the node's DNS) does not know ${operatorAddress}: the pod will wait in Init:0/1; use ClusterFirst, or None with the cluster's DNS`,
  ]
}
