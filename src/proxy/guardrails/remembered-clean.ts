/**
 * A detector that remembers in which texts it found nothing. An application's system prompt and tool definitions come with every one
 * of its requests: to look a text up takes a quarter of the time of scanning it. A text with findings is never kept.
 */
import type { Detector } from '../../domain/guardrails/masking/detector.ts'

/** UTF-16 units of all texts kept: those of a few applications with long prompts and dozens of tools. */
const MOST_UNITS = 256 * 1024
/** A longer text would push out too many others. */
const LONGEST_PART = 1 / 8

/**
 * @param detector must judge each text by itself
 * @param mostUnits when the texts are longer together, all are forgotten
 */
export function rememberClean(detector: Detector, mostUnits = MOST_UNITS): Detector {
  const clean = new Set<string>()
  let units = 0
  return {
    detect(text, comesAgain = false) {
      if (!comesAgain || text.length > mostUnits * LONGEST_PART) return detector.detect(text)
      if (clean.has(text)) return []
      const findings = detector.detect(text)
      if (findings.length > 0) return findings
      units += text.length
      if (units > mostUnits) {
        clean.clear()
        units = text.length
      }
      clean.add(text)
      return findings
    },
  }
}
