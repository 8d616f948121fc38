/** The flags whose guardrails this build has. A flag that is not here is refused with 501, never ignored. */
import type { Flag } from '../snapshot/snapshot.ts'

export const GUARDRAIL_FLAGS: ReadonlySet<Flag> = new Set<Flag>(['pii-safe', 'adversarial-detection', 'force-json'])
