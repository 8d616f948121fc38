/**
 * Weighs rules down where a text talks ABOUT attacks: words of security work or a question in the same window, more so where
 * what met the rule is quoted. Running counts make each question two subtractions.
 */
import { CONCEPTS } from '../lexicon/concepts.ts'
import type { Reading } from '../reading.ts'
import type { Window } from '../windows.ts'
import type { Firing } from './rule.ts'

const META = 1 << CONCEPTS.meta
const QUESTION = 1 << CONCEPTS.question
/** Factors on a rule's weight. */
const ABOUT_ATTACKS = 0.6
const QUESTION_ABOUT_ATTACKS = 0.5
/** "How do I override all previous rules in CSS?" asks; it does not order. */
const ASKED_FIRST = 0.55
const FIRST_TOKENS = 4
const QUOTED = 0.6
const QUOTED_IN_DOCUMENT = 0.85

/**
 * @param document whether the text is a document or tool output, where a question is not asked by the user
 * @returns the factor, 0..1, on a rule that was met, seen in a window
 */
export function createDiscount(reading: Reading, document: boolean): (firing: Firing, window: Window) => number {
  const meta = runningCounts(reading, META)
  const questions = runningCounts(reading, QUESTION)
  const askedFirst = !document && (questions[Math.min(FIRST_TOKENS, reading.tokens.count)] ?? 0) > 0
  return ({ token, rule }, window) => {
    const about = between(meta, window)
    const asked = between(questions, window) > 0
    let factor = 1
    if (about >= 2) factor *= ABOUT_ATTACKS
    if (about >= 1 && asked && !document) factor *= QUESTION_ABOUT_ATTACKS
    if (askedFirst && rule.family === 'override') factor *= ASKED_FIRST
    if (reading.quoted[token] === 1) factor *= document ? QUOTED_IN_DOCUMENT : QUOTED
    return factor
  }
}

function runningCounts(reading: Reading, concepts: number): Int32Array {
  const counts = new Int32Array(reading.tokens.count + 1)
  for (const hit of reading.hits) if (hit.concepts & concepts) counts[hit.token + 1] = 1
  for (let token = 1; token < counts.length; token++) counts[token] = (counts[token] ?? 0) + (counts[token - 1] ?? 0)
  return counts
}

function between(counts: Int32Array, window: Window): number {
  return (counts[window.to] ?? 0) - (counts[window.from] ?? 0)
}
