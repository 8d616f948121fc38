/** The guardrails of a process: built once, compiled forms kept per policy. */
import { createDetector, type Detector } from '../../domain/guardrails/masking/detector.ts'
import type { CustomPattern } from '../../domain/guardrails/masking/pattern-engine.ts'
import type { TokenSuffix } from '../../domain/guardrails/masking/restoring/redaction-token.ts'
import { createInjectionDetector, DEFAULT_INJECTION_THRESHOLD } from '../../domain/guardrails/injection/detector.ts'
import type { EffectivePolicy } from '../../domain/policy/effective-policy.ts'
import type { Secret } from '../../domain/secret.ts'
import type { Guardrails } from '../pipeline/ports.ts'
import { loadInjectionWeights } from './injection-weights.ts'
import { re2PatternEngine } from './re2-pattern-engine.ts'
import { CleanTexts, rememberClean } from './remembered-clean.ts'
import { rememberInjection } from './remembered-injection.ts'
import { createTokenSuffix } from './redaction-suffix.ts'

export function createGuardrails(): Guardrails {
  const detectors = new WeakMap<EffectivePolicy['masking'], Detector>()
  const clean = new CleanTexts()
  const suffixes = new WeakMap<Secret, TokenSuffix>()
  let injection: Guardrails['injection'] | undefined
  let jsonSchemas: ReturnType<Guardrails['jsonSchemas']> | undefined
  return {
    /** Loaded at the first use, as most processes never need it. */
    jsonSchemas() {
      return (jsonSchemas ??= import('./json-schemas.ts').then(({ createJsonSchemas }) => createJsonSchemas()))
    },
    injectionThreshold: DEFAULT_INJECTION_THRESHOLD,
    /** Read at the first use: a process that never needs it does not hold the weights. */
    get injection() {
      return (injection ??= rememberInjection(createInjectionDetector(loadInjectionWeights())))
    },
    detectorFor(masking) {
      const known = detectors.get(masking)
      if (known !== undefined) return known
      const detector = rememberClean(
        createDetector({ kinds: new Set(masking.kinds), custom: masking.custom.map(compile) }),
        clean,
      )
      detectors.set(masking, detector)
      return detector
    },
    tokenSuffixOf(secret) {
      const known = suffixes.get(secret)
      if (known !== undefined) return known
      const suffix = createTokenSuffix(secret)
      suffixes.set(secret, suffix)
      return suffix
    },
  }
}

/** @throws {Error} for a pattern that the configuration should have refused: the request is refused, not unmasked. */
function compile({ kind, pattern }: { readonly kind: string; readonly pattern: string }): CustomPattern {
  const compiled = re2PatternEngine.compile(pattern)
  if (compiled.type === 'error') throw new Error(`custom masking pattern of ${kind}: ${compiled.message}`)
  return { kind, pattern: compiled }
}
