/** Reads the weights that ship with the injection detector. */
import { readFileSync } from 'node:fs'

/** About 64 KiB. @throws {Error} where the file is missing: the package is broken. */
export function loadInjectionWeights(): Uint8Array {
  return readFileSync(new URL('../../domain/guardrails/injection/weights.bin', import.meta.url))
}
