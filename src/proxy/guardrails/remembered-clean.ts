/**
 * A detector that remembers in which texts it found nothing. An application's system prompt and tool definitions come with every one
 * of its requests: to look a text up takes a quarter of the time of scanning it. A text with findings is never kept.
 */
import type { Detector } from '../../domain/guardrails/masking/detector.ts'

/** UTF-16 units of all texts kept: those of a few dozen applications with long prompts and many tools. */
const MOST_UNITS = 1024 * 1024
/** A longer text would push out too many others. */
const LONGEST_PART = 1 / 32
/** What a text costs beside its units, so that many short ones are bounded too. */
const UNITS_PER_TEXT = 32

/** What all detectors of a process remember together: there is one for each set of rules, and organizations are many. */
export class CleanTexts {
  readonly #mostUnits: number
  #units = 0
  /** Replaced as a whole, so that a detector that is not asked any more keeps nothing either. */
  #known = new WeakMap<Detector, Set<string>>()

  /** @param mostUnits when the texts are longer together, all are forgotten */
  constructor(mostUnits = MOST_UNITS) {
    this.#mostUnits = mostUnits
  }

  mayKeep(text: string): boolean {
    return text.length <= this.#mostUnits * LONGEST_PART
  }

  has(detector: Detector, text: string): boolean {
    return this.#known.get(detector)?.has(text) === true
  }

  /** @param text one that `has` does not know */
  add(detector: Detector, text: string): void {
    const units = text.length + UNITS_PER_TEXT
    this.#units += units
    if (this.#units > this.#mostUnits) {
      this.#known = new WeakMap()
      this.#units = units
    }
    const known = this.#known.get(detector)
    if (known === undefined) this.#known.set(detector, new Set([text]))
    else known.add(text)
  }
}

/** @param detector must judge each text by itself */
export function rememberClean(detector: Detector, clean: CleanTexts): Detector {
  return {
    detect(text, comesAgain = false) {
      if (!comesAgain || !clean.mayKeep(text)) return detector.detect(text)
      if (clean.has(detector, text)) return []
      const findings = detector.detect(text)
      if (findings.length === 0) clean.add(detector, text)
      return findings
    },
    detectByField: (fieldName, text) => detector.detectByField(fieldName, text),
    detectInSteps: (text, expect) => detector.detectInSteps(text, expect),
  }
}
