/** What applies to one request after header, key, project, organization and compliance have spoken. */
import type { NanoUsdPer1M } from '../quota/money.ts'
import type { CacheSettings, Flag, ScoringMethod } from '../snapshot/snapshot.ts'

export interface EffectivePolicy {
  readonly flags: ReadonlySet<Flag>
  readonly excludeProviders: ReadonlySet<string>
  readonly excludeModels: ReadonlySet<string>
  readonly excludeCountries: ReadonlySet<string>
  readonly maxCost: NanoUsdPer1M | undefined
  readonly minQuality: number | undefined
  /** Undefined: nobody chose one, so priority decides first and `balanced` ranks within it. */
  readonly scoringMethod: ScoringMethod | undefined
  readonly billing: 'sync' | 'async'
  readonly trace: boolean
  readonly tags: Readonly<Record<string, string>>
  readonly fallback: 'SameModel' | 'AnyModel'
  readonly cache: CacheSettings
  readonly quotaFailure: 'Closed' | 'Open'
  readonly injectionThreshold: number | undefined
  readonly masking: {
    readonly kinds: readonly string[]
    readonly custom: readonly { readonly kind: string; readonly pattern: string }[]
  }
}
