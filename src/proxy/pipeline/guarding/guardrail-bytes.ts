/** How much text each guardrail saw, and where it stood: for the audit record and the metric. */
import type { TextScope, TextSpan } from '../../../domain/completion/text-span.ts'
import { utf8Size } from '../../../domain/quota/utf8-size.ts'
import type { RequestRecord } from '../request-record.ts'

/** How `RequestRecord.guardrailBytes` calls the texts that a guardrail saw. */
export type GuardrailLabels = Readonly<Record<TextScope, string>>

export const INJECTION_LABELS = labelsOf('adversarial-detection')
export const MASKING_LABELS = labelsOf('pii-safe')

export function countBytes(record: RequestRecord, labels: GuardrailLabels, { scope, text }: TextSpan): void {
  const label = labels[scope]
  record.guardrailBytes[label] = (record.guardrailBytes[label] ?? 0) + utf8Size(text).bytes
}

function labelsOf(guardrail: string): GuardrailLabels {
  return {
    system: `${guardrail}/system`,
    message: `${guardrail}/message`,
    'tool-definition': `${guardrail}/tool-definition`,
    'tool-input': `${guardrail}/tool-input`,
    'tool-output': `${guardrail}/tool-output`,
    parameter: `${guardrail}/parameter`,
  }
}
