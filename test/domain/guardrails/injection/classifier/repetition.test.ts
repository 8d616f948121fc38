import t from 'tap'
import { windowNorm } from '../../../../../src/domain/guardrails/injection/classifier/classifier.ts'
import {
  BUCKETS,
  featuresOf,
  type Features,
} from '../../../../../src/domain/guardrails/injection/classifier/features.ts'
import {
  distinctWords,
  withoutRepetition,
} from '../../../../../src/domain/guardrails/injection/classifier/repetition.ts'
import { read } from '../../../../../src/domain/guardrails/injection/reading.ts'

const WEIGHTS = { scale: 0.5, bias: -1, steps: new Int8Array(BUCKETS).fill(1) }
const AS_IT_STANDS = 3

function features(text: string): Features {
  return featuresOf(read(text), 'message')
}

t.test('words are counted once in any stretch', (t) => {
  const text = features('one two one one three two')
  t.equal(distinctWords(text, 0, 6), 3)
  t.equal(distinctWords(text, 2, 4), 1)
  t.equal(distinctWords(text, 3, 3), 0)
  t.end()
})

t.test('a window without repetition keeps its log-odds', (t) => {
  const window = { from: 0, to: 3 }
  const distinct = withoutRepetition(WEIGHTS, features('one two three'), window, AS_IT_STANDS)
  t.same(distinct, { words: 3, logOdds: AS_IT_STANDS })
  t.end()
})

t.test('in a window that repeats a third of its words, each feature counts once', (t) => {
  for (const text of ['one two one', 'aa bb '.repeat(10)]) {
    const all = features(text)
    const window = { from: 0, to: all.offsets.length - 1 }
    const once = new Set(all.buckets.subarray(0, all.offsets.at(-1)))
    t.same(withoutRepetition(WEIGHTS, all, window, AS_IT_STANDS), {
      words: 2,
      logOdds: -1 + (0.5 * once.size) / windowNorm(2),
    })
  }
  t.end()
})

t.test('what repeats less is corrected in part', (t) => {
  const { logOdds } = withoutRepetition(WEIGHTS, features('a b c d e f g h i a'), { from: 0, to: 10 }, AS_IT_STANDS)
  const { logOdds: whole } = withoutRepetition(WEIGHTS, features('a b c a'), { from: 0, to: 4 }, AS_IT_STANDS)
  t.ok(logOdds !== AS_IT_STANDS && Math.abs(AS_IT_STANDS - logOdds) < Math.abs(AS_IT_STANDS - whole))
  t.end()
})

t.test('after 70,000 windows words are counted as at first', (t) => {
  const text = features('one two one')
  for (let window = 0; window < 70_000; window++) if (distinctWords(text, 0, 3) !== 2) t.fail(`window ${window}`)
  t.end()
})
