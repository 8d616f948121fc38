/** What is said of a resource that is valid and means something else than it seems to. */
import type { KindName, ObjectMeta } from '../domain/resources/kinds.ts'

export interface Remark {
  readonly resource: { readonly kind: KindName; readonly metadata: ObjectMeta }
  /** Begins with the field: `spec.access.models: no Provider has a model gtp-4o, did you mean gpt-4o?` Never holds a secret. */
  readonly message: string
}
