/**
 * Shares of the evaluation texts that reach the threshold: node training/injection/evaluate.ts [threshold] [--list]
 * `--list` also shows attacks that were missed and benign texts that would be refused.
 */
import { readFileSync } from 'node:fs'
import { createInjectionDetector, DEFAULT_INJECTION_THRESHOLD } from '../../src/domain/guardrails/injection/detector.ts'
import { EVALUATION } from './evaluation.ts'
import { WEIGHTS } from './train.ts'

const BENIGN = new Set(['benign', 'hard', 'benign-documents', 'later-benign', 'later-hard'])

const detector = createInjectionDetector(readFileSync(WEIGHTS))
const threshold = Number(process.argv.find((argument) => /^0?\.\d+$/.test(argument)) ?? DEFAULT_INJECTION_THRESHOLD)
const list = process.argv.includes('--list')
for (const [set, texts] of Object.entries(EVALUATION)) {
  const scored = texts.map((text) => ({ name: text.name, verdict: detector.score([text.span]) }))
  const reached = scored.filter(({ verdict }) => verdict.score >= threshold)
  process.stdout.write(
    `${set.padEnd(18)} ${reached.length} of ${texts.length}  ${((100 * reached.length) / texts.length).toFixed(1)} %\n`,
  )
  if (!list) continue
  const wrong = BENIGN.has(set) ? reached : scored.filter(({ verdict }) => verdict.score < threshold)
  for (const { name, verdict } of wrong)
    process.stdout.write(`   ${verdict.score.toFixed(2)} [${verdict.rules.join(' ')}] ${name.slice(0, 150)}\n`)
}
