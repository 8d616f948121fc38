/** What the tests of the cache have in common: organizations with namespaces, gateways on one state, and repeatable chance. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** Manifests of the namespace `ns-<name>` and of an organization of that name with projects `p1` and `p2`, whose keys may do what caching looks at. */
export function organization(name: string): string {
  return `apiVersion: v1
kind: Namespace
metadata: { name: ns-${name}, labels: { org: ${name} } }
---
apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: ${name} }
spec:
  projects: [{ name: p1 }, { name: p2 }]
  grants: [{ name: all, namespaceSelector: { matchLabels: { org: ${name} } }, privileges: [demask, overrideRouting] }]
`
}

/** A state directory for gateways that are to share their secrets; gone after the test. */
export function stateFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-state-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Chance {
  /** A whole number from 0, `bound` excluded. */
  below(bound: number): number
  oneOf<Item>(items: readonly Item[]): Item
}

/** Numerical Recipes' generator: the same choices in every run. */
export function seededChance(seed: number): Chance {
  let state = seed
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  return { below, oneOf: <Item>(items: readonly Item[]) => items[below(items.length)] as Item }
}
