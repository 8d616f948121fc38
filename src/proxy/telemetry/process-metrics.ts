/**
 * What the process takes of its machine, under the names that every Prometheus client gives it. Read when the page is asked
 * for: prom-client's own set has a timer every 10 ms beside it, a fifth of the CPU that an idle sidecar asks for.
 */
import { Counter, Gauge, type Registry } from 'prom-client'

export interface ProcessFigures {
  /** Since the epoch. */
  readonly startedAtMs: number
  /** Undefined, as `openFiles`: the system does not tell. */
  readonly maxOpenFiles: number | undefined
  openFiles(): number | undefined
  /** Microseconds since the start. */
  cpu(): { readonly user: number; readonly system: number }
  /** Bytes. */
  memory(): { readonly rss: number; readonly heapUsed: number; readonly heapTotal: number; readonly external: number }
}

type Read = () => number | undefined

/** Has the figures read whenever the page is asked for; what the system does not tell is left out. */
export function watchProcess(registry: Registry, figures: ProcessFigures): void {
  const { startedAtMs, maxOpenFiles, openFiles, cpu, memory } = figures
  counter(registry, 'process_cpu_user_seconds_total', 'CPU time of the process itself.', () => cpu().user / 1e6)
  counter(registry, 'process_cpu_system_seconds_total', 'CPU time of the system for it.', () => cpu().system / 1e6)
  counter(registry, 'process_cpu_seconds_total', 'CPU time of both.', () => {
    const { user, system } = cpu()
    return (user + system) / 1e6
  })
  gauge(registry, 'process_start_time_seconds', 'When it started, since the epoch.', () =>
    Math.round(startedAtMs / 1_000),
  )
  gauge(registry, 'process_resident_memory_bytes', 'Memory that it holds.', () => memory().rss)
  gauge(registry, 'process_open_fds', 'Open file descriptors.', openFiles)
  gauge(registry, 'process_max_fds', 'File descriptors that may be open.', () => maxOpenFiles)
  gauge(registry, 'nodejs_heap_size_used_bytes', 'Heap in use.', () => memory().heapUsed)
  gauge(registry, 'nodejs_heap_size_total_bytes', 'Heap taken from the system.', () => memory().heapTotal)
  gauge(registry, 'nodejs_external_memory_bytes', 'Memory outside the heap for objects in it.', () => memory().external)
}

function counter(registry: Registry, name: string, help: string, read: Read): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(read() ?? 0)
    },
  }).reset()
}

function gauge(registry: Registry, name: string, help: string, read: Read): void {
  if (read() === undefined) return
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read() ?? 0)
    },
  }).set(0)
}
