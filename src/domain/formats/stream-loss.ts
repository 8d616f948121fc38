/** What a client's stream cannot carry of a provider's answer in another format, told in warnings. */
import type { TranslationWarning } from '../completion/request.ts'

/** A provider may make up names of events without end. */
const MAX_WARNINGS = 16

/** Notes a loss, each once. */
export function noteLoss(warnings: TranslationWarning[], field: string, message: string): void {
  if (warnings.length < MAX_WARNINGS && !warnings.some((one) => one.message === message)) {
    warnings.push({ field, message })
  }
}
