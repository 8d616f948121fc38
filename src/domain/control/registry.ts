/** The control headers, in the order in which errors are reported and privileges are checked. */
import { billing } from './billing.ts'
import type { ControlHeader } from './control-header.ts'
import { excludeCountries } from './exclude-countries.ts'
import { excludeModels } from './exclude-models.ts'
import { excludeProviders } from './exclude-providers.ts'
import { flags } from './flags.ts'
import { maxCost } from './max-cost.ts'
import { minQuality } from './min-quality.ts'
import { scoringMethod } from './scoring-method.ts'
import { tags } from './tags.ts'
import { trace } from './trace.ts'

/** Prefix of the standard's names, and of their legacy aliases. @see specification section 9 */
const PREFIX = 'x-llm-'
const ALIAS_PREFIX = 'x-gateway-'

/** All of specification section 4.2, in its order. */
export const CONTROL_HEADERS: readonly ControlHeader[] = [
  flags,
  excludeProviders,
  excludeModels,
  excludeCountries,
  maxCost,
  minQuality,
  scoringMethod,
  tags,
  billing,
  trace,
]

/** The header that a lower-case field name, canonical or alias, stands for. */
export const CONTROL_HEADER_BY_NAME: ReadonlyMap<string, ControlHeader> = new Map(
  CONTROL_HEADERS.flatMap((header) => [
    [header.name, header],
    [aliasOf(header), header],
  ]),
)

/** Legacy name, equivalent: `x-gateway-flags` of `x-llm-flags`. */
export function aliasOf(header: ControlHeader): string {
  return ALIAS_PREFIX + header.name.slice(PREFIX.length)
}
