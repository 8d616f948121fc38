/** The operator's metrics. No label holds a name that tenants choose. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { ControllerFigures, ControllerMetrics } from './controllers/controllers.ts'

export interface OperatorMetrics extends ControllerMetrics {
  /** The page as Prometheus reads it. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>
  /** Each authentication of a sidecar, by its result. */
  authenticated(result: string): void
  /** Where levels are read from when the page is asked for. */
  watch(figures: () => ControllerFigures, isLeader: () => boolean): void
}

export function createOperatorMetrics(): OperatorMetrics {
  const registers = [new Registry()]
  const [registry = new Registry()] = registers
  collectDefaultMetrics({ register: registry })
  const counter = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Counter({ name, help, labelNames: [...labelNames], registers })
  const errors = counter('tollgate_reconcile_errors_total', 'Reconciles that failed and are tried again', ['work'])
  const repairs = counter(
    'tollgate_drift_repairs_total',
    'Shards in Redis that were not as published and were repaired',
  )
  const statuses = counter('tollgate_status_writes_total', 'Statuses written')
  const usages = counter('tollgate_usage_writes_total', 'Statuses written with the usage of their budgets')
  const restored = counter(
    'tollgate_counters_restored_total',
    'Counters of budgets that Redis had lost and were restored',
  )
  const authentications = counter('tollgate_sidecar_authentications_total', 'Authentications of sidecars', ['result'])
  return {
    reconcileFailed: (work) => errors.inc({ work }),
    repaired: (shards) => repairs.inc(shards),
    statusWritten: () => statuses.inc(),
    usageWritten: () => usages.inc(),
    countersRestored: (counters) => restored.inc(counters),
    authenticated: (result) => authentications.inc({ result }),
    page: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    watch: (figures, isLeader) => watchLevels(registry, figures, isLeader),
  }
}

function watchLevels(registry: Registry, figures: () => ControllerFigures, isLeader: () => boolean): void {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('tollgate_leader', '1 where this process leads', () => Number(isLeader()))
  gauge('tollgate_published_shards', 'Shards that the configuration has', () => figures().shards)
  gauge('tollgate_virtual_keys', 'Virtual keys in force', () => figures().virtualKeys)
  gauge(
    'tollgate_exhausted_quotas',
    'Keys, projects and organizations whose budget is spent',
    () => figures().exhaustedQuotas,
  )
  const depths = new Gauge({
    name: 'tollgate_queue_depth',
    help: 'Keys that wait for a worker',
    labelNames: ['queue'],
    registers: [],
    collect() {
      for (const [queue, depth] of Object.entries(figures().queueDepth)) this.set({ queue }, depth)
    },
  })
  registry.registerMetric(depths)
}
