/** Label selectors over namespaces, with the meaning that Kubernetes gives them. */
import type { LabelSelector, NamespaceResource, SelectorRequirement } from './kinds.ts'

/** The label that every namespace carries without anybody writing it. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name'

/** Whether `labels` satisfy every part of `selector`. An empty selector matches everything. */
export function matchesSelector(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(selector.matchLabels ?? {})
  return (
    wanted.every(([key, value]) => labelOf(labels, key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
  )
}

/** Labels of a namespace by its name; a namespace that nobody described still has its name as a label. */
export function namespaceLabels(
  namespaces: readonly NamespaceResource[],
): (name: string) => Readonly<Record<string, string>> {
  const byName = new Map(namespaces.map(({ name, labels }) => [name, { ...labels, [NAMESPACE_NAME_LABEL]: name }]))
  return (name) => byName.get(name) ?? { [NAMESPACE_NAME_LABEL]: name }
}

function meets({ key, operator, values = [] }: SelectorRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = labelOf(labels, key)
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return operator satisfies never
  }
}

function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}
