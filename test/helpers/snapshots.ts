/** Snapshots with any number of owners, organizations and keys, without manifests. */
import type { OrganizationEntry, ProviderEntry, Snapshot, VirtualKeyEntry } from '../../src/domain/snapshot/snapshot.ts'

const LIMITS = { budgets: [], tokenQuotas: [], rateLimits: {} } as const

export function organizationEntry(name: string): OrganizationEntry {
  return { name, defaults: {}, compliance: {}, limits: LIMITS, projects: [] }
}

export interface KeyEntryOptions {
  readonly organization?: string
  readonly digest?: string
  readonly providers?: readonly string[]
  readonly serviceAccounts?: readonly string[]
}

/** `id` is `owner/name`. */
export function keyEntry(id: string, options: KeyEntryOptions = {}): VirtualKeyEntry {
  const { organization = 'acme', digest = `digest of ${id}`, providers = ['p'], serviceAccounts = [] } = options
  return {
    id,
    organization,
    digests: [{ digest }],
    suspended: false,
    privileges: { demask: true, trace: true, overrideRouting: true, asyncBilling: true },
    policies: {},
    access: { models: [], providers, allowAuto: true, adapters: [], serviceAccounts },
    limits: LIMITS,
  }
}

/** A provider with the model `m`. Given an address it is reached without encryption. */
export function providerEntry(name: string, baseUrl = 'https://example.invalid/v1'): ProviderEntry {
  return {
    name,
    type: 'OpenAICompatible',
    enabled: true,
    priority: 1,
    weight: 1,
    countries: [],
    endpoint: { baseUrl, allowInsecureHttp: true, headers: {} },
    credentials: { type: 'Bearer' },
    timeouts: { connectMs: 5_000, firstByteMs: 30_000, streamIdleMs: 60_000, totalMs: 600_000 },
    failover: { retryOnStatus: [500], maxAttempts: 1, circuitBreaker: { consecutiveFailures: 5, openForMs: 1_000 } },
    healthCheck: { mode: 'Disabled', intervalMs: 1_000, timeoutMs: 1_000, unhealthyThreshold: 1, healthyThreshold: 1 },
    limits: {},
    models: [
      {
        name: 'm',
        upstreamName: 'm',
        aliases: [],
        enabled: true,
        quality: 0.5,
        priority: 1,
        weight: 1,
        countries: [],
        capabilities: ['chat', 'streaming'],
        pricing: { input: 1_000, output: 1_000 },
      },
    ],
  }
}

export function snapshotOf(parts: Partial<Omit<Snapshot, 'schema'>> = {}): Snapshot {
  const { revision = 'r', organizations = [organizationEntry('acme')], providers = [providerEntry('p')] } = parts
  return { schema: 1, revision, organizations, providers, virtualKeys: parts.virtualKeys ?? [keyEntry('team-a/app')] }
}
