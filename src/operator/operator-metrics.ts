/** The operator's metrics. Labels hold no names that tenants choose, but those of namespaces that are enabled for injection. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { Audit } from './injection/auditor.ts'
import type { ControllerFigures, ControllerMetrics } from './controllers/controllers.ts'

export interface OperatorMetrics extends ControllerMetrics {
  /** The page as Prometheus reads it. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>
  /** Each authentication of a sidecar, by its result. */
  authenticated(result: string): void
  /** Each pod that the webhook decided on. */
  injected(result: string): void
  audited(audit: Audit): void
  /** When a certificate ends, milliseconds since the epoch; undefined: there is none. */
  watchCertificate(name: 'server' | 'authority', endsAtMs: () => number | undefined): void
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
  const injections = counter('tollgate_injections_total', 'Pods that the webhook decided on', ['result'])
  const uninjected = new Gauge({
    name: 'tollgate_uninjected_pods',
    help: 'Pods of enabled namespaces without a sidecar; on the leader',
    labelNames: ['namespace'],
    registers,
  })
  const stale = new Gauge({
    name: 'tollgate_stale_sidecars',
    help: 'Pods whose sidecar was injected with other settings than the present ones; on the leader',
    registers,
  })
  const expiries = new Map<string, () => number | undefined>()
  watchExpiries(registers, expiries)
  return {
    injected: (result) => injections.inc({ result }),
    audited: (audit) => {
      uninjected.reset()
      for (const [namespace, pods] of audit.uninjected) uninjected.set({ namespace }, pods)
      stale.set(audit.stale)
    },
    watchCertificate: (name, endsAtMs) => expiries.set(name, endsAtMs),
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

function watchExpiries(registers: Registry[], expiries: ReadonlyMap<string, () => number | undefined>): void {
  const gauge = new Gauge({
    name: 'tollgate_certificate_expiry_seconds',
    help: 'Seconds until the certificate ends; negative when it has',
    labelNames: ['certificate'],
    registers,
    collect() {
      this.reset()
      for (const [certificate, endsAtMs] of expiries) {
        const endsAt = endsAtMs()
        if (endsAt !== undefined) this.set({ certificate }, Math.round((endsAt - Date.now()) / 1_000))
      }
    },
  })
  gauge.reset()
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
  gauge(
    'tollgate_unhealthy_providers',
    'Providers whose condition Healthy is False; on the leader',
    () => figures().unhealthyProviders,
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
  const failing = new Gauge({
    name: 'tollgate_watch_failing',
    help: '1 where the resource cannot be read from the API server: its changes are not seen',
    labelNames: ['resource'],
    registers: [],
    collect() {
      for (const [resource, isFailing] of Object.entries(figures().failingWatches))
        this.set({ resource }, Number(isFailing))
    },
  })
  registry.registerMetric(failing)
}
