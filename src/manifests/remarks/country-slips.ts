/**
 * Codes that are no country's, which a header could not say: an exclusion by one excludes nothing. Not `uk`, which is the
 * same as `gb` here.
 */
import { isCountry } from '../../domain/country-codes.ts'
import type { ProviderSpec } from '../../domain/resources/kinds.ts'
import type { ManifestResources } from '../load.ts'
import type { FieldPath } from '../problem.ts'
import type { Remark } from './remark.ts'
import { exclusionsOf, type PolicyHolder } from './stated-policies.ts'

/** How others (the EU) abbreviate. */
const MEANT: ReadonlyMap<string, string> = new Map([['el', 'Greece is gr']])

interface Countries {
  readonly field: FieldPath
  readonly names: readonly string[]
}

/** By resource, in the order of the manifests. */
export function countrySlips({ organizations, providers, virtualKeys }: ManifestResources): readonly Remark[] {
  return [
    ...organizations.flatMap((resource) => slips(resource, excludedBy(resource))),
    ...providers.flatMap((resource) => slips(resource, ofProvider(resource.spec))),
    ...virtualKeys.flatMap((resource) => slips(resource, excludedBy(resource))),
  ]
}

function excludedBy(holder: PolicyHolder): readonly Countries[] {
  return exclusionsOf(holder).filter(({ excludes }) => excludes === 'countries')
}

function ofProvider({ countries, models }: ProviderSpec): readonly Countries[] {
  const ofModels = models.map((model, index) => ({
    field: ['spec', 'models', index, 'countries'],
    names: model.countries ?? [],
  }))
  return [{ field: ['spec', 'countries'], names: countries }, ...ofModels]
}

function slips(resource: Remark['resource'], lists: readonly Countries[]): Remark[] {
  return lists.flatMap(({ field, names }) =>
    names.flatMap((code, entry) => {
      if (isCountry(code)) return []
      const message = [`${code} is no country's code of ISO 3166`, MEANT.get(code) ?? []].flat().join('; ')
      return [{ resource, field, entry, message }]
    }),
  )
}
