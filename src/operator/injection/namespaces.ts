/** Which namespaces want sidecars. */
import { asObject } from '../../domain/json.ts'
import type { KubeObject } from '../kube/kube-object.ts'

export const INJECTION_LABEL = 'tollgate.dev/injection'
export const ENABLED = 'enabled'

/** Whether the webhook is asked about pods of the namespace. */
export function isEnabled({ metadata }: KubeObject): boolean {
  return asObject(metadata['labels'])?.[INJECTION_LABEL] === ENABLED
}
