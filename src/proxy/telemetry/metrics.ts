/**
 * The proxy's Prometheus metrics. Label values are bounded: names from the configuration, fixed words, and `none`.
 * Never a tag, a key or anything a client wrote.
 */
import type { PipelineMetrics } from '../pipeline/services.ts'
import { renderPage, type MetricFamily, type MetricsPage } from './exposition.ts'
import { Counter, readFamily } from './metric-families.ts'
import { RequestMetrics } from './request-metrics.ts'

export interface Metrics extends PipelineMetrics {
  /** All metrics as they stand, as Prometheus reads them. */
  page(): MetricsPage
  /** Revision and time of the configuration in force. */
  configurationLoaded(ok: boolean, atMs: number): void
  /** Has the age of the configuration's last confirmation read, where something confirms it. */
  watchStaleness(readMs: () => number): void
  /** Has the figures of the stores read whenever the page is asked for. */
  watchStores(read: () => StoreFigures): void
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
  const requests = new RequestMetrics()
  const loads = new Counter('tollgate_configuration_loads_total', 'Configurations read.', ['result'])
  let loadedAtSeconds = 0
  const loadedAt = readFamily(
    'gauge',
    'tollgate_configuration_timestamp_seconds',
    'When the configuration in force was loaded.',
    () => loadedAtSeconds,
  )
  const families: MetricFamily[] = [...requests.families, loads, loadedAt]
  return {
    page: () => renderPage(families),
    configurationLoaded(ok, atMs) {
      loads.at(ok ? 'ok' : 'refused').add()
      if (ok) loadedAtSeconds = atMs / 1_000
    },
    watchStaleness: (readMs) => void families.push(stalenessFamily(readMs)),
    watchStores: (read) => void families.push(...storeFamilies(read)),
    requestEnded: (record, outcome, endedAtMs) => requests.requestEnded(record, outcome, endedAtMs),
  }
}

function stalenessFamily(readMs: () => number): MetricFamily {
  return readFamily(
    'gauge',
    'tollgate_config_stale_seconds',
    'Time since the configuration in force was last seen to be the published one.',
    () => readMs() / 1_000,
  )
}

function storeFamilies(read: () => StoreFigures): MetricFamily[] {
  const gauge = (name: string, help: string, figure: () => number) => readFamily('gauge', name, help, figure)
  const counter = (name: string, help: string, figure: () => number) => readFamily('counter', name, help, figure)
  return [
    gauge('tollgate_pending_settlements', 'Requests not settled in the store.', () => read().pendingSettlements),
    gauge('tollgate_settlement_lag_seconds', 'Age of the oldest of them.', () => read().settlementLagMs / 1_000),
    gauge(
      'tollgate_quota_store_unavailable',
      'Organizations whose quota store cannot be asked.',
      () => read().quotaStoresUnavailable,
    ),
    gauge('tollgate_audit_pending_records', 'Audit records not yet in Redis.', () => read().pendingAuditRecords),
    counter(
      'tollgate_settlements_dropped_total',
      'Settlements that found the queue full; charged at their bound.',
      () => read().droppedSettlements,
    ),
    counter(
      'tollgate_audit_dropped_total',
      'Audit records that are on stdout and not in Redis.',
      () => read().droppedAuditRecords,
    ),
    gauge('tollgate_cache_store_slow', '1 while the shared cache is skipped.', () => (read().cacheStoreSlow ? 1 : 0)),
    counter(
      'tollgate_cache_reads_skipped_total',
      'Look-ups in the shared cache that were skipped because it was slow.',
      () => read().cacheReadsSkipped,
    ),
  ]
}
