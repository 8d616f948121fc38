/** Codes that people take for a country's and that are not: an exclusion by one excludes nothing. */
import type { ManifestResources } from './load.ts'
import type { Remark } from './remark.ts'

/** By ISO 3166; `uk` and `el` are how others (domains, the EU) abbreviate. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['uk', 'the United Kingdom is gb'],
  ['el', 'Greece is gr'],
])

interface Countries {
  readonly path: string
  readonly codes: readonly string[] | undefined
}

/** By resource, in the order of the manifests. */
export function countrySlips({ organizations, providers, virtualKeys }: ManifestResources): readonly Remark[] {
  return [
    ...organizations.flatMap((resource) => slips(resource, ofOrganization(resource.spec))),
    ...providers.flatMap((resource) => slips(resource, ofProvider(resource.spec))),
    ...virtualKeys.flatMap((resource) =>
      slips(resource, [{ path: 'spec.policies.excludeCountries', codes: resource.spec.policies?.excludeCountries }]),
    ),
  ]
}

function ofOrganization({
  defaults,
  compliance,
  projects = [],
}: ManifestResources['organizations'][number]['spec']): Countries[] {
  return [
    { path: 'spec.defaults.excludeCountries', codes: defaults?.excludeCountries },
    { path: 'spec.compliance.deniedCountries', codes: compliance?.deniedCountries },
    ...projects.map((project, index) => ({
      path: `spec.projects[${index}].defaults.excludeCountries`,
      codes: project.defaults?.excludeCountries,
    })),
  ]
}

function ofProvider({ countries, models }: ManifestResources['providers'][number]['spec']): Countries[] {
  return [
    { path: 'spec.countries', codes: countries },
    ...models.map((model, index) => ({ path: `spec.models[${index}].countries`, codes: model.countries })),
  ]
}

function slips(resource: Remark['resource'], lists: readonly Countries[]): Remark[] {
  return lists.flatMap(({ path, codes = [] }) =>
    codes.flatMap((code) => {
      const meant = MEANT.get(code)
      return meant === undefined ? [] : [{ resource, message: `${path}: ${code} is no country's code; ${meant}` }]
    }),
  )
}
