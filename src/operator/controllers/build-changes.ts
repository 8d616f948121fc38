/** Which resources may need another status after a publication. */
import type { Condition } from '../../domain/resources/conditions.ts'
import type { Build } from './build.ts'

/**
 * Names of the resources of `after` about which `before` said something else: with thousands of keys most publications
 * are about a few of them. Organizations and Providers always, for they are few and count others.
 * `before` undefined: all.
 */
export function changedResources(before: Build | undefined, after: Build): readonly string[] {
  const ids = [...after.versions.keys()]
  return before === undefined ? ids : ids.filter((id) => !id.startsWith('VirtualKey/') || isChanged(id, before, after))
}

function isChanged(id: string, before: Build, after: Build): boolean {
  return (
    before.versions.get(id) !== after.versions.get(id) ||
    before.revisions.get(id) !== after.revisions.get(id) ||
    !areSame(before.conditions.get(id), after.conditions.get(id))
  )
}

function areSame(before: readonly Condition[] = [], after: readonly Condition[] = []): boolean {
  return (
    before.length === after.length &&
    before.every((one, index) => {
      const other = after[index]
      return one.type === other?.type && one.reason === other.reason && one.message === other.message
    })
  )
}
