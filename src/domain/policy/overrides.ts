/** What a request's control headers ask for, parsed: the input of the policy's top level. */
import type { PolicySettings, Privileges } from '../snapshot/snapshot.ts'

/**
 * The part of a policy that a control header may set. Canonical: lists are sorted and without repeats, so that two
 * changes mean the same exactly when their JSON is the same.
 */
export type PolicyChange = Pick<
  PolicySettings,
  | 'flags'
  | 'excludeProviders'
  | 'excludeModels'
  | 'excludeCountries'
  | 'maxCost'
  | 'minQuality'
  | 'scoringMethod'
  | 'billing'
  | 'trace'
  | 'tags'
>

/** A privilege without which the key may not send `header`. */
export interface PrivilegeNeed {
  readonly header: string
  readonly privilege: keyof Privileges
}

/** All control headers of one request. */
export interface ControlOverrides {
  readonly change: PolicyChange
  /** In the registry's order; empty where no header needs a privilege. */
  readonly needs: readonly PrivilegeNeed[]
}

/** A request without control headers. One shared object: `===` tells that the base policy applies as it is. */
export const NO_OVERRIDES: ControlOverrides = Object.freeze({ change: Object.freeze({}), needs: Object.freeze([]) })
