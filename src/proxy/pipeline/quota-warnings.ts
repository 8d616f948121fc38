/** The log's share of quota warnings: the audit record and the metric tell of every request, the log of every limit. */
import type { QuotaPlan } from '../../domain/quota/limits.ts'
import type { QuotaWarning } from '../../domain/quota/outcome.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Now } from './ports.ts'
import type { Logger } from './services.ts'

/** A limit that stays exceeded is told of again after so long. */
const REPEAT_MS = 600_000
/** Of more limits at a time the first may be told of again earlier. */
const MAX_TOLD = 10_000

export class QuotaWarningLog {
  readonly #log: Logger
  readonly #now: Now
  /** When each warning was last told, the oldest first: by its limit, so that it outlives the configuration that it was told under. */
  readonly #told = new Map<string, Milliseconds>()

  constructor(log: Logger, now: Now) {
    this.#log = log
    this.#now = now
  }

  /** @param virtualKey whose request met them */
  tell(virtualKey: string, plan: QuotaPlan, warnings: readonly QuotaWarning[]): void {
    for (const warning of warnings) {
      if (this.#isTold(nameOf(warning, plan))) continue
      const message = warning.type === 'exceeded' ? 'quota used up' : 'quota nearly used up'
      this.#log.warn({ organization: plan.organization, virtualKey, ...warning }, message)
    }
  }

  #isTold(name: string): boolean {
    const nowMs = this.#now()
    const toldMs = this.#told.get(name)
    if (toldMs !== undefined && nowMs - toldMs < REPEAT_MS) return true
    this.#told.delete(name)
    this.#told.set(name, nowMs)
    const [oldest] = this.#told.keys()
    if (this.#told.size > MAX_TOLD && oldest !== undefined) this.#told.delete(oldest)
    return false
  }
}

/** A limit of an organization is that of all its keys; one whose amount has changed is another. */
function nameOf(
  { type, scope, window, reset, unit, limit }: QuotaWarning,
  { organization, scopes }: QuotaPlan,
): string {
  const name = scopes.find(({ kind }) => kind === scope)?.name
  return JSON.stringify([type, organization, name, window, reset, unit, limit])
}
