/**
 * An injection detector that remembers what it said. A conversation comes back whole with every turn: its earlier texts are
 * known by their digest and only the new ones are scored. Digests, not texts, are kept; SHA-256, since whoever finds two texts of
 * one digest could have the attack pass for the harmless one.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { InjectionDetector, InjectionVerdict } from '../../domain/guardrails/injection/detector.ts'
import type { TextSpan } from '../../domain/completion/text-span.ts'
import { takeAll, type Steps } from '../../domain/steps.ts'

/** Verdicts kept: about 1 MB, and the turns of some hundred conversations. */
const DEFAULT_ENTRIES = 4096

/**
 * @param detector must judge each text by itself
 * @param entries the texts last seen that are remembered
 */
export function rememberInjection(detector: InjectionDetector, entries = DEFAULT_ENTRIES): InjectionDetector {
  const known = new LRUCache<string, InjectionVerdict>({ max: entries })
  const nothing = detector.score([])
  function* scoreInSteps(spans: Iterable<TextSpan>): Steps<InjectionVerdict> {
    let highest = nothing
    let examined = 0
    for (const span of spans) {
      const verdict = yield* scoreOnce(detector, known, span)
      examined += verdict.examined
      if (verdict.score > highest.score) highest = verdict
      yield
    }
    return { ...highest, examined }
  }
  return { score: (spans) => takeAll(scoreInSteps(spans)), scoreInSteps }
}

function* scoreOnce(
  detector: InjectionDetector,
  known: LRUCache<string, InjectionVerdict>,
  span: TextSpan,
): Steps<InjectionVerdict> {
  // A lone surrogate has no bytes of its own: such texts could share a digest.
  if (!span.text.isWellFormed()) return yield* detector.scoreInSteps([span])
  const key = `${span.scope} ${span.role} ${hash('sha256', span.text, 'base64url')}`
  const remembered = known.get(key)
  if (remembered !== undefined) return remembered
  const verdict = yield* detector.scoreInSteps([span])
  known.set(key, verdict)
  return verdict
}
