/**
 * Whether providers can be used, as the leader knows it: from checks of its own where `healthCheck.mode` is Active, and
 * from what sidecars report of their circuit breakers.
 *
 *   check each interval --thresholds--.
 *                                      >--> verdict --at most one change in ten seconds--> shown in the status
 *   reports of sidecars each 5 s -----'
 *
 * Data planes decide for themselves: what is shown here changes no routing.
 */
import type { Secret } from '../../domain/secret.ts'
import type { ProviderEntry } from '../../domain/snapshot/snapshot.ts'
import type { Log } from '../kube/log.ts'
import type { Cancel, Milliseconds, Timing } from '../kube/timing.ts'
import { afterProbe, describeFailure, NO_PROBES } from './probe-record.ts'
import type { ProbeRecord, ProbeResult } from './probe-record.ts'
import { healthOf, isSameHealth } from './provider-health.ts'
import type { CircuitReport, ProviderHealth } from './provider-health.ts'

/** Providers that flap must not flood the API server. */
const SHOW_EVERY_MS = 10_000
const JITTER = 0.1
const FIRST_WITHIN_MS: Milliseconds = 1_000

/** Asks providers; implemented over the data plane's own connections, so with the same rules for addresses. */
export interface ProviderProber {
  /** One check within `healthCheck.timeoutMs`. Never rejects. */
  probe(provider: ProviderEntry, credential: Secret | undefined, signal: AbortSignal): Promise<ProbeResult>
  /** Closes connections to all other providers. */
  retain(providers: readonly ProviderEntry[]): void
}

export interface HealthMonitorOptions {
  readonly prober: ProviderProber
  readonly timing: Timing
  readonly log: Log
  /** What is to be shown of a provider has changed. */
  readonly onChanged: (provider: string) => void
}

interface Watched {
  provider: ProviderEntry
  readonly abort: AbortController
  record: ProbeRecord
  cancelProbe: Cancel | undefined
  cancelShow: Cancel | undefined
  shown: { readonly health: ProviderHealth; readonly sinceMs: Milliseconds } | undefined
}

export class HealthMonitor {
  readonly #options: HealthMonitorOptions
  readonly #watched = new Map<string, Watched>()
  #credentials: ReadonlyMap<string, Secret> = new Map()
  /** Undefined before the first report: what a former leader has said holds until then. */
  #circuits: ReadonlyMap<string, CircuitReport> | undefined
  #stopped = false

  constructor(options: HealthMonitorOptions) {
    this.#options = options
  }

  /** Watches exactly these providers. One whose checks are the same keeps what is known of it. */
  use(providers: readonly ProviderEntry[], credentials: ReadonlyMap<string, Secret>): void {
    if (this.#stopped) return
    this.#credentials = credentials
    this.#options.prober.retain(providers.filter(isProbed))
    const names = new Set(providers.map(({ name }) => name))
    for (const [name, watched] of this.#watched) if (!names.has(name)) this.#forget(name, watched)
    for (const provider of providers) this.#watch(provider)
  }

  /** What sidecars report of their breakers, by provider; those without a report have none open. */
  report(circuits: ReadonlyMap<string, CircuitReport>): void {
    this.#circuits = circuits
    for (const watched of this.#watched.values()) this.#show(watched)
  }

  /** As it is to be shown; undefined before anything is known. */
  healthOf(provider: string): ProviderHealth | undefined {
    return this.#watched.get(provider)?.shown?.health
  }

  /** How many are shown as not healthy. */
  get unhealthy(): number {
    return [...this.#watched.values()].filter(({ shown }) => shown?.health.status === 'False').length
  }

  stop(): void {
    this.#stopped = true
    for (const [name, watched] of this.#watched) this.#forget(name, watched)
    this.#options.prober.retain([])
  }

  #watch(provider: ProviderEntry): void {
    const known = this.#watched.get(provider.name)
    if (known !== undefined && isSameCheck(known.provider, provider)) {
      known.provider = provider
      return
    }
    if (known !== undefined) this.#forget(provider.name, known)
    const watched: Watched = {
      provider,
      abort: new AbortController(),
      record: NO_PROBES,
      cancelProbe: undefined,
      cancelShow: undefined,
      // What is shown stays until something else is known.
      shown: known?.shown,
    }
    this.#watched.set(provider.name, watched)
    this.#show(watched)
    if (isProbed(provider)) this.#schedule(watched, this.#options.timing.random() * FIRST_WITHIN_MS)
  }

  #forget(name: string, watched: Watched): void {
    watched.cancelProbe?.()
    watched.cancelShow?.()
    watched.abort.abort()
    this.#watched.delete(name)
  }

  #schedule(watched: Watched, delayMs: Milliseconds): void {
    watched.cancelProbe = this.#options.timing.after(delayMs, () => void this.#probe(watched))
  }

  async #probe(watched: Watched): Promise<void> {
    const { prober, timing, log } = this.#options
    const { provider, abort } = watched
    const result = await prober.probe(provider, this.#credentials.get(provider.name), abort.signal)
    if (abort.signal.aborted) return
    const before = watched.record.verdict
    watched.record = afterProbe(watched.record, result, provider.healthCheck, timing.now())
    const { verdict } = watched.record
    if (verdict !== before && verdict === 'down')
      log.warn({ provider: provider.name, why: describeFailure(result) }, 'provider is down')
    if (verdict !== before && before === 'down') log.info({ provider: provider.name }, 'provider is up again')
    this.#show(watched)
    const spread = 1 - JITTER + 2 * JITTER * timing.random()
    this.#schedule(watched, watched.provider.healthCheck.intervalMs * spread)
  }

  /** Shows what is known, now or when that may be. */
  #show(watched: Watched): void {
    const { timing, onChanged } = this.#options
    const { provider, record, shown } = watched
    watched.cancelShow?.()
    watched.cancelShow = undefined
    const isJudged = record.verdict !== undefined || this.#circuits !== undefined || !isUsed(provider)
    const health = isJudged ? healthOf(provider, record, this.#circuits?.get(provider.name)) : undefined
    if (health === undefined || (shown !== undefined && isSameHealth(shown.health, health))) return
    const waitMs = shown === undefined ? 0 : shown.sinceMs + SHOW_EVERY_MS - timing.elapsed()
    if (waitMs > 0) {
      watched.cancelShow = timing.after(waitMs, () => this.#show(watched))
      return
    }
    watched.shown = { health, sinceMs: timing.elapsed() }
    onChanged(provider.name)
  }
}

function isProbed({ enabled, healthCheck }: ProviderEntry): boolean {
  return enabled && healthCheck.mode === 'Active'
}

/** Whether anybody looks at its health at all. */
function isUsed({ enabled, healthCheck }: ProviderEntry): boolean {
  return enabled && healthCheck.mode !== 'Disabled'
}

/** Whether what was found out about the one holds for the other. */
function isSameCheck(left: ProviderEntry, right: ProviderEntry): boolean {
  const part = ({ type, enabled, endpoint, credentials, healthCheck }: ProviderEntry) =>
    JSON.stringify([type, enabled, endpoint, credentials, healthCheck])
  return part(left) === part(right)
}
