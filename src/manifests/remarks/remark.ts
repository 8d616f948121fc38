/** What is said of a resource that is valid and means something else than it seems to. */
import type { KindName, ObjectMeta } from '../../domain/resources/kinds.ts'
import { placeOf, type Places } from '../places.ts'
import { formatPath, type FieldPath } from '../problem.ts'

export interface Remark {
  readonly resource: { readonly kind: KindName; readonly metadata: ObjectMeta }
  readonly field: FieldPath
  /** Which of its items or entries is meant, where it has several. */
  readonly entry?: string | number
  /** Never holds a secret. */
  readonly message: string
}

/** `spec.access.models: no Provider has a model gtp-4o, did you mean gpt-4o?` */
export function formatRemark({ field, message }: Remark): string {
  return `${formatPath(field)}: ${message}`
}

/** Where it has to be corrected, as `placeOf`. */
export function placeOfRemark(
  { resource: { kind, metadata }, field, entry }: Remark,
  places: Places,
): string | undefined {
  return placeOf(places, { kind, ...metadata }, entry === undefined ? field : [...field, entry])
}
