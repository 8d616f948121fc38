/** How a resource is named among those of its kind, in words, in logs and as the key of maps. */

export interface NamespacedName {
  /** Absent or empty: of a cluster-scoped kind. */
  readonly namespace?: string | undefined
  readonly name: string
}

/** `namespace/name`, or the name alone where there is no namespace. */
export function namespacedName({ namespace = '', name }: NamespacedName): string {
  return namespace === '' ? name : `${namespace}/${name}`
}
