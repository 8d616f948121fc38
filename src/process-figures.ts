/** What the process takes of its machine. File descriptors are told by Linux only. */
import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessFigures } from './proxy/telemetry/process-metrics.ts'

export const OWN_PROCESS: ProcessFigures = {
  startedAtMs: Date.now() - process.uptime() * 1_000,
  maxOpenFiles: readMaxOpenFiles(),
  cpu: () => process.cpuUsage(),
  memory: () => process.memoryUsage(),
  openFiles: countOpenFiles,
}

function countOpenFiles(): number | undefined {
  try {
    // The folder that is being read is one of them.
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}

function readMaxOpenFiles(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
