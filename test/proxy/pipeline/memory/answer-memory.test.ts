import t from 'tap'
import { AnswerMemory, memoryForAnswers } from '../../../../src/proxy/pipeline/memory/answer-memory.ts'
import { CallCancellation } from '../../../../src/proxy/pipeline/call-cancellation.ts'
import { AttemptError } from '../../../../src/proxy/pipeline/ports.ts'
import { GatewayError } from '../../../../src/domain/errors.ts'

const MIB = 1024 * 1024

function setUp(maxWaitMs?: number) {
  const budget = new AnswerMemory(40 * MIB, Infinity, maxWaitMs)
  const signals = [new CallCancellation(), new CallCancellation(), new CallCancellation()] as const
  const shares = [budget.open(signals[0]), budget.open(signals[1]), budget.open(signals[2])] as const
  return { budget, signals, shares }
}

t.test('an answer holds four times its size, more or less of it as it goes on', async (t) => {
  const { budget, shares } = setUp()
  t.equal(shares[0].hold(5 * MIB), undefined)
  t.equal(budget.heldBytes, 20 * MIB)
  t.equal(shares[0].hold(2 * MIB), undefined)
  t.equal(shares[1].hold(8 * MIB), undefined)
  t.equal(budget.heldBytes, 40 * MIB)
  shares[0].release()
  shares[0].release()
  t.equal(budget.heldBytes, 32 * MIB)
})

t.test('the answer that came first goes on without room, the others in their turn when it has ended', async (t) => {
  const { budget, shares } = setUp()
  for (const share of shares) t.equal(share.hold(3 * MIB), undefined)
  const order: string[] = []
  const third = shares[2].hold(8 * MIB)?.then(() => order.push('third'))
  const second = shares[1].hold(5 * MIB)?.then(() => order.push('second'))
  t.equal(budget.waiting, 2)
  t.equal(shares[0].hold(30 * MIB), undefined)
  shares[0].release()
  await second
  t.strictSame(order, ['second'], 'the second is now the first, and there is no room for both')
  t.equal(budget.waiting, 1)
  shares[1].release()
  await third
  t.equal(budget.heldBytes, 32 * MIB)
})

t.test('the shares of one request do not wait for each other', async (t) => {
  const { budget, signals, shares } = setUp()
  const beside = budget.open(signals[0])
  t.equal(shares[0].hold(1), undefined)
  t.equal(beside.hold(12 * MIB), undefined)
  const other = shares[1].hold(1)
  shares[0].release()
  t.equal(budget.waiting, 1)
  beside.release()
  await other
  t.equal(budget.heldBytes, 4)
})

t.test('who gets no room in time is told to come back, and what it held is free', async (t) => {
  const { budget, shares } = setUp(5)
  shares[0].hold(5 * MIB)
  shares[1].hold(4 * MIB)
  const refused = await shares[1].hold(6 * MIB)?.catch((error: unknown) => error)
  t.ok(refused instanceof GatewayError)
  t.match(refused, { code: 'rate_limit_exceeded', status: 429, details: { retryAfterSeconds: 5 } })
  t.equal(budget.heldBytes, 20 * MIB)
  t.equal(budget.waiting, 0)
})

t.test('a call that is given up, or has settled, waits no more', async (t) => {
  const { budget, signals, shares } = setUp()
  shares[0].hold(10 * MIB)
  const aborted = shares[1].hold(1)?.catch((error: unknown) => error)
  const settled = shares[2].hold(1)?.catch((error: unknown) => error)
  signals[1].abort()
  shares[2].release()
  for (const error of await Promise.all([aborted, settled])) {
    t.ok(error instanceof AttemptError)
    t.match(error, { kind: 'aborted' })
  }
  t.equal(budget.waiting, 0)
  t.equal(budget.heldBytes, 40 * MIB)
})

t.test('an answer that waits for its client holds what it is, and does not keep others from going on', async (t) => {
  const { budget, shares } = setUp()
  shares[0].hold(5 * MIB)
  t.ok(shares[0].holdUnread(5 * MIB))
  t.equal(budget.heldBytes, 5 * MIB)
  t.equal(shares[1].hold(20 * MIB), undefined, 'the first of those that are still read')
  shares[1].release()
  t.equal(budget.heldBytes, 5 * MIB)
  shares[0].release()
  t.equal(budget.heldBytes, 0)
})

t.test('answers that wait for their clients keep to the budget, and nobody goes beyond it beside them', async (t) => {
  const { budget, shares } = setUp()
  t.ok(shares[0].holdUnread(21 * MIB))
  t.notOk(shares[1].holdUnread(20 * MIB))
  t.equal(budget.heldBytes, 21 * MIB)
  const reading = shares[1].hold(5 * MIB)
  t.equal(budget.waiting, 1)
  shares[0].release()
  await reading
  t.equal(budget.heldBytes, 20 * MIB)
})

t.test('the memory for answers is a part of the heap, and of the container where that is less', async (t) => {
  t.equal(memoryForAnswers(512 * MIB, 0), 64 * MIB)
  t.equal(memoryForAnswers(4096 * MIB, 0), 256 * MIB)
  t.equal(memoryForAnswers(512 * MIB, 2 ** 64), 64 * MIB)
  t.equal(memoryForAnswers(512 * MIB, 188 * MIB), 10 * MIB)
  t.equal(memoryForAnswers(100 * MIB, 64 * MIB), 0)
})
