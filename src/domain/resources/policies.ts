/** Policies, compliance and limits: manifest fields to the snapshot's units. */
import { parseMicroUsd, parsePricePer1K } from '../quota/money.ts'
import type {
  Budget,
  CacheSettings,
  ComplianceSettings,
  Limits,
  PolicySettings,
  RateLimits,
} from '../snapshot/snapshot.ts'
import { parseDuration } from './durations.ts'
import type { BudgetSpec, CacheSpec, ComplianceSpec, LimitsSpec, PoliciesSpec, RateLimitsSpec } from './kinds.ts'
import { present } from './present.ts'

/** Defaults of a key, project or organization. @throws {RangeError} where a price or duration is malformed. */
export function toPolicySettings(spec: PoliciesSpec = {}): PolicySettings {
  return present<PolicySettings>({
    flags: spec.flags,
    excludeProviders: spec.excludeProviders,
    excludeModels: spec.excludeModels,
    excludeCountries: spec.excludeCountries,
    maxCost: spec.maxCostPer1K === undefined ? undefined : parsePricePer1K(spec.maxCostPer1K),
    minQuality: spec.minQuality,
    scoringMethod: spec.scoringMethod,
    billing: spec.billing,
    trace: spec.trace,
    tags: spec.tags,
    fallback: spec.fallback,
    cache: spec.cache === undefined ? undefined : toCacheSettings(spec.cache),
  })
}

/** The organization's floor. @throws {RangeError} */
export function toComplianceSettings(spec: ComplianceSpec | undefined): ComplianceSettings {
  if (spec === undefined) return {}
  return present<ComplianceSettings>({
    requiredFlags: spec.requiredFlags,
    deniedProviders: spec.deniedProviders,
    deniedModels: spec.deniedModels,
    deniedCountries: spec.deniedCountries,
    maxCost: spec.maxCostPer1K === undefined ? undefined : parsePricePer1K(spec.maxCostPer1K),
    minQuality: spec.minQuality,
    requiredTags: spec.requiredTags,
    quotaFailure: spec.quotaFailure,
    injectionThreshold: spec.injection?.threshold,
    masking: spec.masking,
  })
}

/** Budgets, token quotas and rate limits of a scope. @throws {RangeError} */
export function toLimits(spec: LimitsSpec): Limits {
  return {
    budgets: (spec.budgets ?? []).map(toBudget),
    tokenQuotas: spec.tokenQuotas ?? [],
    rateLimits: toRateLimits(spec.rateLimits),
  }
}

function toBudget({ limitUSD, ...rest }: BudgetSpec): Budget {
  return { ...rest, limit: parseMicroUsd(limitUSD) }
}

function toRateLimits(spec: RateLimitsSpec = {}): RateLimits {
  return present<RateLimits>({
    requestsPerMinute: spec.requestsPerMinute,
    tokensPerMinute: spec.tokensPerMinute,
    burst: spec.burst,
    maxConcurrent: spec.maxConcurrent,
  })
}

function toCacheSettings({ exact, semantic }: CacheSpec): CacheSettings {
  return present<CacheSettings>({
    exact: exact === undefined ? undefined : present({ enabled: exact.enabled, ttlMs: optionalMs(exact.ttl) }),
    semantic:
      semantic === undefined
        ? undefined
        : present({
            enabled: semantic.enabled,
            ttlMs: optionalMs(semantic.ttl),
            minSimilarity: semantic.minSimilarity,
            model: semantic.model,
          }),
  })
}

function optionalMs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration)
}
