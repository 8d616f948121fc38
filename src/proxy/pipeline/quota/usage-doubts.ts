/** Counts of providers that no call can have: they are not charged, and the log tells whose they are. */
import type { Usage } from '../../../domain/completion/result.ts'
import { believed } from '../../../domain/quota/belief.ts'
import type { PromptSize } from '../../../domain/quota/prompt-size.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Now } from '../ports.ts'
import type { RequestRecord } from '../request-record.ts'
import type { Logger, Services } from '../services.ts'
import { ToldLately } from '../told-lately.ts'

/** A deployment that counts so in each answer is told of once a minute. */
const REPEAT_MS = 60_000
/** Of more deployments at a time the first may be told of again earlier. */
const MAX_TOLD = 1_000

export class UsageDoubtLog {
  readonly #log: Logger
  readonly #told: ToldLately

  constructor(log: Logger, now: Now) {
    this.#log = log
    this.#told = new ToldLately(now, REPEAT_MS, MAX_TOLD)
  }

  tell(requestId: string, deployment: string, { input, cachedInput, cacheWrite, output }: Usage): void {
    if (this.#told.has(deployment)) return
    const counted = { inputTokens: input + cachedInput + cacheWrite, outputTokens: output }
    this.#log.warn({ requestId, deployment, ...counted }, 'usage not believed')
  }
}

/** `told` without what no call can have, which the log then tells of. `prompt`: of what was sent. */
export function believedUsage(
  told: Usage,
  deployment: Deployment,
  prompt: PromptSize | undefined,
  { incoming }: RequestRecord,
  { usageDoubts }: Pick<Services, 'usageDoubts'>,
): Usage {
  const usage = believed(told, deployment.model, prompt)
  if (usage !== told) usageDoubts.tell(incoming.requestId, deployment.id, told)
  return usage
}
