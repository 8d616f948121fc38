import type { ControlHeader } from './control-header.ts'
import { isCountry } from '../country-codes.ts'
import { canonicalList, invalidHeader, listElements, quoted } from './grammar.ts'

const NAME = 'x-llm-exclude-countries'

/** As many as a policy's own list may have. */
const MAX_COUNTRIES = 64

const COUNTRY = /^[a-z]{2}$/

/** Countries whose infrastructure must not be used: ISO 3166 alpha-2, lower case as the specification asks. */
export const excludeCountries = {
  name: NAME,
  cardinality: 'list',
  parse: (value) => ({ excludeCountries: canonicalList(listElements(NAME, value, MAX_COUNTRIES).map(parseCountry)) }),
  privilegeFor: () => 'overrideRouting',
} satisfies ControlHeader

function parseCountry(element: string): string {
  if (!COUNTRY.test(element))
    throw invalidHeader(NAME, `${quoted(element)} is not a lower-case two-letter country code`)
  if (!isCountry(element)) throw invalidHeader(NAME, `${quoted(element)} is no country's code of ISO 3166`)
  return element
}
