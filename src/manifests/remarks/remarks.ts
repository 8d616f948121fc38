/** All that is remarked on manifests that are valid one by one. */
import { takeAll, type Steps } from '../../domain/steps.ts'
import { countrySlips } from './country-slips.ts'
import { idleCaches } from './idle-caches.ts'
import { idleClocks } from './idle-clocks.ts'
import { idleLimits } from './idle-limits.ts'
import type { ManifestResources } from '../load.ts'
import { providerSlips } from './provider-slips.ts'
import { refusedAddresses, type AddressCheck } from './refused-addresses.ts'
import type { Remark } from './remark.ts'
import { unmatchedAccess } from './unmatched-access.ts'
import { unmatchedKinds } from './unmatched-kinds.ts'
import { unmatchedNames } from './unmatched-names.ts'
import { unpricedModels } from './unpriced-models.ts'

/** All of them: for a check. The log of a standalone gateway says by groups what it would not refuse a call for. */
export function remarksOn(resources: ManifestResources, checkAddress: AddressCheck): readonly Remark[] {
  return [
    ...takeAll(unmatchedInLists(resources)),
    ...unmatchedKinds(resources),
    ...unpricedModels(resources),
    ...takeAll(settingSlips(resources, checkAddress)),
  ]
}

/** Of them the names in exclusions and lists of access that nothing declared bears. */
export function* unmatchedInLists(resources: ManifestResources): Steps<readonly Remark[]> {
  return [...(yield* unmatchedNames(resources)), ...(yield* unmatchedAccess(resources))]
}

/** Of them the settings that do nothing, or not what they seem to, whatever else is declared. */
export function* settingSlips(resources: ManifestResources, checkAddress: AddressCheck): Steps<readonly Remark[]> {
  return [
    ...(yield* idleCaches(resources)),
    ...idleLimits(resources),
    ...idleClocks(resources),
    ...providerSlips(resources),
    ...refusedAddresses(resources, checkAddress),
    ...countrySlips(resources),
  ]
}
