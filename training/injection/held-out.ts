/**
 * What the detector finds of a family of attacks that it has not been trained on: for each family the classifier is trained on all
 * others, then scores a sample of it, with and without the rules' help: node training/injection/held-out.ts
 */
import { renderWeights } from '../../src/domain/guardrails/injection/classifier/weights.ts'
import {
  createInjectionDetector,
  DEFAULT_INJECTION_THRESHOLD,
  type InjectionDetector,
} from '../../src/domain/guardrails/injection/detector.ts'
import type { Sample } from './generate.ts'
import { train } from './model.ts'
import { readDataset } from './train.ts'

/** Every so many samples are scored. */
const STRIDE = 3

const samples = readDataset()
process.stdout.write('| family held out | samples | found | benign refused |\n| --- | --- | --- | --- |\n')
for (const family of new Set(samples.map(({ family }) => family))) {
  const label = samples.find((sample) => sample.family === family)?.label ?? 0
  const of = (sample: Sample): boolean => sample.family === family && sample.label === label
  const detector = createInjectionDetector(renderWeights(train(samples.filter((sample) => !of(sample)))))
  const held = samples.filter(of).filter((_, index) => index % STRIDE === 0)
  const share = `${(100 * reached(detector, held)).toFixed(1)} %`
  process.stdout.write(`| ${family} | ${held.length} | ${label === 1 ? share : ''} | ${label === 0 ? share : ''} |\n`)
}

function reached(detector: InjectionDetector, held: readonly Sample[]): number {
  const scores = held.map(
    ({ scope, text }) => detector.score([{ scope, role: scope === 'message' ? 'user' : 'tool', text }]).score,
  )
  return scores.filter((score) => score >= DEFAULT_INJECTION_THRESHOLD).length / held.length
}
