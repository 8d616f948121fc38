/** Small, complete entries of a snapshot, of which a test states only what matters to it. */
import { compileSnapshot } from '../../../src/domain/snapshot/compiled-snapshot.ts'
import type { CompiledSnapshot, Deployment } from '../../../src/domain/snapshot/compiled-snapshot.ts'
import type {
  KeyAccess,
  ModelEntry,
  Pricing,
  ProviderEntry,
  VirtualKeyEntry,
} from '../../../src/domain/snapshot/snapshot.ts'
import type { EffectivePolicy } from '../../../src/domain/policy/effective-policy.ts'
import type { HealthView } from '../../../src/domain/routing/route.ts'
import { parsePricePer1M } from '../../../src/domain/quota/money.ts'

export function model(name: string, fields: Partial<ModelEntry> = {}): ModelEntry {
  return {
    name,
    upstreamName: name,
    aliases: [],
    enabled: true,
    quality: 0.5,
    priority: 100,
    weight: 1,
    countries: [],
    capabilities: ['chat', 'streaming'],
    ...fields,
  }
}

export function provider(
  name: string,
  models: readonly ModelEntry[],
  fields: Partial<ProviderEntry> = {},
): ProviderEntry {
  return {
    name,
    type: 'OpenAICompatible',
    enabled: true,
    priority: 100,
    weight: 1,
    countries: [],
    endpoint: { allowInsecureHttp: false, headers: {} },
    credentials: { type: 'None' },
    timeouts: { connectMs: 2000, firstByteMs: 5000, streamIdleMs: 5000, totalMs: 20_000 },
    failover: {
      retryOnStatus: [429, 500, 502, 503, 504, 529],
      maxAttempts: 1,
      circuitBreaker: { consecutiveFailures: 3, openForMs: 30_000 },
    },
    healthCheck: { mode: 'Passive', intervalMs: 30_000, timeoutMs: 5000, unhealthyThreshold: 3, healthyThreshold: 1 },
    limits: {},
    models,
    ...fields,
  }
}

/** Dollars per million tokens. */
export function price(input: string, output: string): { readonly pricing: Pricing } {
  return { pricing: { input: parsePricePer1M(input), output: parsePricePer1M(output) } }
}

export function compile(...providers: ProviderEntry[]): CompiledSnapshot {
  return compileSnapshot({ schema: 1, revision: 'r1', organizations: [], providers, virtualKeys: [] })
}

export function deploymentOf(compiled: CompiledSnapshot, id: string): Deployment {
  const deployment = compiled.deploymentsById.get(id)
  if (deployment === undefined) throw new Error(`the sample has no ${id}`)
  return deployment
}

export function key(access: Partial<KeyAccess> = {}): VirtualKeyEntry {
  return {
    id: 'team/app',
    organization: 'acme',
    digests: [],
    suspended: false,
    privileges: { demask: false, trace: false, overrideRouting: true, asyncBilling: false },
    policies: {},
    access: {
      models: [],
      providers: ['one', 'two', 'three'],
      allowAuto: true,
      adapters: [],
      serviceAccounts: [],
      ...access,
    },
    limits: { budgets: [], tokenQuotas: [], rateLimits: {} },
  }
}

export function policy(fields: Partial<EffectivePolicy> = {}): EffectivePolicy {
  return {
    flags: new Set(),
    excludeProviders: new Set(),
    excludeModels: new Set(),
    excludeCountries: new Set(),
    maxCost: undefined,
    minQuality: undefined,
    scoringMethod: undefined,
    billing: 'sync',
    trace: false,
    tags: {},
    fallback: 'AnyModel',
    cache: {},
    quotaFailure: 'Closed',
    injectionThreshold: undefined,
    masking: { kinds: [], custom: [] },
    ...fields,
  }
}

/**
 * @param refusing ids of those that are cooling down as they refuse the gateway
 * @param failing ids of those that are out as the checks of their provider fail
 */
export function health(
  cooling: Record<string, number> = {},
  latency: Record<string, number> = {},
  refusing: readonly string[] = [],
  failing: readonly string[] = [],
): HealthView {
  return {
    coolingDownUntil: (id) => cooling[id],
    refusesUs: (id) => refusing.includes(id),
    failsChecks: (id) => failing.includes(id),
    latencyMs: (id) => latency[id],
  }
}
