import t from 'tap'
import { SignOfLife, type Sign, type Waiter } from '../../../src/proxy/providers/sign-of-life.ts'

const PATIENCE_MS = 60_000

/** A SignOfLife whose questions the test answers, in their order. */
function setUp() {
  const questions: { signal: AbortSignal; answer: (sign: Sign) => void }[] = []
  const life = new SignOfLife(PATIENCE_MS, (signal) => {
    const { promise, resolve } = Promise.withResolvers<Sign>()
    if (!(signal instanceof AbortSignal)) throw new TypeError('not a signal')
    questions.push({ signal, answer: resolve })
    return promise
  })
  return { life, questions }
}

/** Keeps what it is told. */
function listener(): Waiter & { told: string[]; restMs: number } {
  return {
    told: [],
    restMs: 0,
    lives(restMs) {
      this.told.push('lives')
      this.restMs = restMs
    },
    isGone() {
      this.told.push('gone')
    },
  }
}

/** What a question's answer sets off has run by then. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

t.test('one question is asked for all who wait, and its result is for all', async (t) => {
  for (const [sign, told] of [
    ['lives', 'lives'],
    ['gone', 'gone'],
    ['unknown', 'lives'],
  ] as const) {
    const { life, questions } = setUp()
    const all = Array.from({ length: 1_000 }, listener)
    for (const waiter of all) life.ask(waiter)
    t.equal(questions.length, 1)
    questions[0]?.answer(sign)
    await settled()
    for (const waiter of all) t.strictSame(waiter.told, [told])
  }
})

t.test('who asks while what came still counts waits on without a question, until it does not', async (t) => {
  const { life, questions } = setUp()
  life.seenAtMs = performance.now() - PATIENCE_MS / 2
  const first = listener()
  life.ask(first)
  t.strictSame(first.told, ['lives'])
  t.ok(first.restMs > 0 && first.restMs <= PATIENCE_MS / 2, `${first.restMs}`)
  t.equal(questions.length, 0)
  life.seenAtMs = performance.now() - PATIENCE_MS
  life.ask(first)
  t.equal(questions.length, 1)
})

t.test('an answer counts for those who ask after it', async (t) => {
  const { life, questions } = setUp()
  life.ask(listener())
  questions[0]?.answer('lives')
  await settled()
  const late = listener()
  life.ask(late)
  t.strictSame(late.told, ['lives'])
  t.equal(questions.length, 1)
})

t.test('a server that was gone, or could not be asked, is asked anew', async (t) => {
  for (const sign of ['gone', 'unknown'] as const) {
    const { life, questions } = setUp()
    for (const count of [1, 2]) {
      life.ask(listener())
      t.equal(questions.length, count)
      questions.at(-1)?.answer(sign)
      await settled()
    }
  }
})

t.test('what came for somebody else while the question was on its way is a sign as well', async (t) => {
  const { life, questions } = setUp()
  const waiter = listener()
  life.ask(waiter)
  life.seenAtMs = performance.now()
  questions[0]?.answer('gone')
  await settled()
  t.strictSame(waiter.told, ['lives'])
})

t.test('a question ends with the last who waits for it, and tells nobody', async (t) => {
  const { life, questions } = setUp()
  const [first, second, third] = [listener(), listener(), listener()]
  life.ask(first)
  life.ask(second)
  life.leave(first)
  t.notOk(questions[0]?.signal.aborted)
  life.leave(second)
  t.ok(questions[0]?.signal.aborted)
  life.ask(third)
  t.equal(questions.length, 2)
  questions[0]?.answer('gone')
  await settled()
  t.strictSame([first.told, second.told, third.told], [[], [], []])
  questions[1]?.answer('lives')
  await settled()
  t.strictSame([first.told, second.told, third.told], [[], [], ['lives']])
})

t.test('whoever leaves because of what another was told is told nothing', async (t) => {
  const { life, questions } = setUp()
  const second = listener()
  life.ask({ lives: () => undefined, isGone: () => life.leave(second) })
  life.ask(second)
  questions[0]?.answer('gone')
  await settled()
  t.strictSame(second.told, [])
})
