/** What is said of a resource that is valid and means something else than it seems to. */
import type { KindName, ObjectMeta } from '../domain/resources/kinds.ts'
import { formatPath, type FieldPath } from './problem.ts'

export interface Remark {
  readonly resource: { readonly kind: KindName; readonly metadata: ObjectMeta }
  readonly field: FieldPath
  /** Never holds a secret. */
  readonly message: string
}

/** `spec.access.models: no Provider has a model gtp-4o, did you mean gpt-4o?` */
export function formatRemark({ field, message }: Remark): string {
  return `${formatPath(field)}: ${message}`
}
