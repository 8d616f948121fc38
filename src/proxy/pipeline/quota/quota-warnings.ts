/** The log's share of quota warnings: the audit record and the metric tell of every request, the log of every limit. */
import type { QuotaPlan } from '../../../domain/quota/limits.ts'
import type { QuotaWarning } from '../../../domain/quota/outcome.ts'
import type { Now } from '../ports.ts'
import type { Logger } from '../services.ts'
import { ToldLately } from '../told-lately.ts'

/** A limit that stays exceeded is told of again after so long. */
const REPEAT_MS = 600_000
/** Of more limits at a time the first may be told of again earlier. */
const MAX_TOLD = 10_000

export class QuotaWarningLog {
  readonly #log: Logger
  /** By the limit, so that it outlives the configuration that it was told under. */
  readonly #told: ToldLately

  constructor(log: Logger, now: Now) {
    this.#log = log
    this.#told = new ToldLately(now, REPEAT_MS, MAX_TOLD)
  }

  /** @param virtualKey whose request met them */
  tell(virtualKey: string, plan: QuotaPlan, warnings: readonly QuotaWarning[]): void {
    for (const warning of warnings) {
      if (this.#told.has(nameOf(warning, plan))) continue
      const message = warning.type === 'exceeded' ? 'quota used up' : 'quota nearly used up'
      this.#log.warn({ organization: plan.organization, virtualKey, ...warning }, message)
    }
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
