/**
 * The proxy's Prometheus metrics. Label values are bounded: names from the configuration, fixed words, and `none`.
 * Never a tag, a key or anything a client wrote.
 */
import { Counter, Gauge, Registry } from 'prom-client'
import type { PipelineMetrics } from '../pipeline/services.ts'
import { watchProcess, type ProcessFigures } from './process-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'

export interface Metrics extends PipelineMetrics {
  /** All metrics as they stand, as Prometheus reads them. */
  page(): Promise<MetricsPage>
  /** Revision and time of the configuration in force. */
  configurationLoaded(ok: boolean, atMs: number): void
  /** Has the age of the configuration's last confirmation read, where something confirms it. */
  watchStaleness(readMs: () => number): void
  /** Has the figures of the stores read whenever the page is asked for. */
  watchStores(read: () => StoreFigures): void
  /** Has the providers of the configuration in force read whenever the page is asked for, and whether each is down. */
  watchProviders(read: () => ReadonlyMap<string, boolean>): void
  /** Has the process's own figures read whenever the page is asked for. */
  watchProcess(figures: ProcessFigures): void
}

export interface MetricsPage {
  readonly contentType: string
  readonly text: string
}

/** What waits behind the requests. */
export interface StoreFigures {
  /** Settlements that the store has not confirmed, and how long the oldest has been waiting. */
  readonly pendingSettlements: number
  readonly settlementLagMs: number
  /** Settlements that found the queue full: charged at their bound. Since the start. */
  readonly droppedSettlements: number
  /** Organizations whose quota store cannot be asked. */
  readonly quotaStoresUnavailable: number
  /** Audit records on their way to Redis, and those that will never be there, since the start. */
  readonly pendingAuditRecords: number
  readonly droppedAuditRecords: number
  /** Look-ups in the shared cache that were skipped because it was slow, since the start. */
  readonly cacheReadsSkipped: number
  readonly cacheStoreSlow: boolean
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requests = new RequestMetrics(registry)
  const registers = [registry]
  const loads = new Counter({
    name: 'tollgate_configuration_loads_total',
    help: 'Configurations read.',
    labelNames: ['result'],
    registers,
  })
  const loadedAt = new Gauge({
    name: 'tollgate_configuration_timestamp_seconds',
    help: 'When the configuration in force was loaded.',
    registers,
  })
  return {
    page: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    configurationLoaded(ok, atMs) {
      loads.inc({ result: ok ? 'ok' : 'refused' })
      if (ok) loadedAt.set(atMs / 1_000)
    },
    watchStaleness: (readMs) => watchStaleness(registry, readMs),
    watchStores: (read) => watchStores(registry, read),
    watchProviders: (read) => watchProviders(registry, read),
    watchProcess: (figures) => watchProcess(registry, figures),
    requestEnded: (record, outcome, endedAtMs) => requests.requestEnded(record, outcome, endedAtMs),
  }
}

function watchStaleness(registry: Registry, readMs: () => number): void {
  const stale = new Gauge({
    name: 'tollgate_config_stale_seconds',
    help: 'Time since the configuration in force was last seen to be the published one.',
    registers: [],
    collect() {
      this.set(readMs() / 1_000)
    },
  })
  registry.registerMetric(stale)
}

/** The series of a provider ends with its entry in the configuration. */
function watchProviders(registry: Registry, read: () => ReadonlyMap<string, boolean>): void {
  const down = new Gauge({
    name: 'tollgate_provider_down',
    help: '1 while the health checks of a provider fail, or the circuits of all its models that were tried are open.',
    labelNames: ['provider'],
    registers: [],
    collect() {
      this.reset()
      for (const [provider, isDown] of read()) this.set({ provider }, isDown ? 1 : 0)
    },
  })
  registry.registerMetric(down)
}

function watchStores(registry: Registry, read: () => StoreFigures): void {
  const registers = [registry]
  const gauge = (name: string, help: string, figure: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(figure())
      },
    })
  const counter = (name: string, help: string, figure: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(figure())
      },
    })
  gauge('tollgate_pending_settlements', 'Requests not settled in the store.', () => read().pendingSettlements)
  gauge('tollgate_settlement_lag_seconds', 'Age of the oldest of them.', () => read().settlementLagMs / 1_000)
  gauge(
    'tollgate_quota_store_unavailable',
    'Organizations whose quota store cannot be asked.',
    () => read().quotaStoresUnavailable,
  )
  gauge('tollgate_audit_pending_records', 'Audit records not yet in Redis.', () => read().pendingAuditRecords)
  counter(
    'tollgate_settlements_dropped_total',
    'Settlements that found the queue full; charged at their bound.',
    () => read().droppedSettlements,
  )
  counter(
    'tollgate_audit_dropped_total',
    'Audit records that are on stdout and not in Redis.',
    () => read().droppedAuditRecords,
  )
  gauge('tollgate_cache_store_slow', '1 while the shared cache is skipped.', () => (read().cacheStoreSlow ? 1 : 0))
  counter(
    'tollgate_cache_reads_skipped_total',
    'Look-ups in the shared cache that were skipped because it was slow.',
    () => read().cacheReadsSkipped,
  )
}
