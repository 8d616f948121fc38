/**
 * Whether the chart's Job for an uninstall was begun by one. Where the chart is rendered and applied with its hooks, as
 * `helm template ... | kubectl apply` does, it begins at once, and would end an installation that is to stay.
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { KubeObject, ObjectName } from '../kube/kube-object.ts'
import { isAnswer, type Reader } from '../kube/persistent-reader.ts'
import { JOBS } from '../kube/resource.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** Field managers of what writes manifests as they are: of kubectl, and of Flux where it has no release of Helm. */
const APPLIERS: ReadonlySet<string> = new Set([
  'kubectl',
  'kubectl-client-side-apply',
  'kubectl-create',
  'kustomize-controller',
])

/** False where the Job is not there or may not be read. @throws {KubeError} where the API server does not answer */
export async function isAppliedAsManifest(reader: Reader, name: ObjectName): Promise<boolean> {
  try {
    return isOfApplier(await reader.get(JOBS, name))
  } catch (error) {
    if (!isAnswer(error)) throw error
    return false
  }
}

function isOfApplier({ metadata }: KubeObject): boolean {
  if (asObject(metadata['annotations'])?.[LAST_APPLIED] !== undefined) return true
  const managers = asArray(metadata['managedFields']).map((entry) => asString(asObject(entry)?.['manager']) ?? '')
  return managers.some((manager) => APPLIERS.has(manager))
}
