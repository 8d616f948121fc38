import t from 'tap'
import {
  runningSums,
  windowLogOdds,
  windowNorm,
} from '../../../../../src/domain/guardrails/injection/classifier/classifier.ts'
import { BUCKETS, featuresOf } from '../../../../../src/domain/guardrails/injection/classifier/features.ts'
import { parseWeights, renderWeights } from '../../../../../src/domain/guardrails/injection/classifier/weights.ts'
import { read } from '../../../../../src/domain/guardrails/injection/reading.ts'
import { windowsOf } from '../../../../../src/domain/guardrails/injection/windows.ts'
import { readDataset } from '../../../../../training/injection/train.ts'
import { generateSamples } from '../../../../../training/injection/generate.ts'
import { train } from '../../../../../training/injection/model.ts'
import { SHIPPED_WEIGHTS } from '../weights-file.ts'

t.test('the data set is what the seeds give', (t) => {
  t.equal(JSON.stringify(readDataset()), JSON.stringify(generateSamples()))
  t.end()
})

t.test('training on the data set gives the shipped weights, bit for bit', (t) => {
  t.ok(Buffer.from(renderWeights(train(readDataset()))).equals(SHIPPED_WEIGHTS))
  t.end()
})

t.test('weights survive being written and read', (t) => {
  t.same(renderWeights(parseWeights(SHIPPED_WEIGHTS)), new Uint8Array(SHIPPED_WEIGHTS))
  t.end()
})

t.test('a window is the sum of the weights of its own tokens', (t) => {
  const steps = new Int8Array(BUCKETS).fill(1)
  const weights = { scale: 0.5, bias: -1, steps }
  const features = featuresOf(read('one two three four'), 'message')
  const own = (features.offsets[3] ?? 0) - (features.offsets[1] ?? 0)
  t.equal(windowLogOdds(weights, runningSums(weights, features), 1, 3), -1 + (0.5 * own) / windowNorm(2))
  t.end()
})

t.test('features grow with the letters and never faster', (t) => {
  // Counted, not timed.
  for (const word of ['ignore all previous instructions ', 'x', '忽略', 'a ', '"ignore" ']) {
    for (const length of [1000, 8000]) {
      const text = word.repeat(length / word.length)
      const { offsets, buckets } = featuresOf(read(text), 'tool-output')
      t.ok((offsets.at(-1) ?? 0) <= 11 * text.length, `${word}: ${offsets.at(-1)}`)
      t.ok((offsets.at(-1) ?? 0) <= buckets.length)
    }
  }
  t.end()
})

t.test('windows cover every token, at most four in 32 tokens and one a sentence', (t) => {
  for (const tokens of [0, 1, 31, 32, 33, 100, 128, 129, 5000]) {
    const windows = windowsOf(Int32Array.from({ length: tokens }, (_, token) => token))
    for (let token = 0; token < tokens; token++) t.ok(windows.some(({ from, to }) => from <= token && token < to))
    t.ok(windows.length <= 2 + tokens / 8, `${tokens}: ${windows.length}`)
  }
  const sentences = windowsOf(read('Six words stand in this sentence. '.repeat(40)).places)
  t.equal(sentences.filter(({ from, to }) => to - from === 6).length, 40)
  t.end()
})
