/** The shipped weights, for tests. */
import { readFileSync } from 'node:fs'

export const SHIPPED_WEIGHTS: Uint8Array = readFileSync(
  new URL('../../../../src/domain/guardrails/injection/weights.bin', import.meta.url),
)
