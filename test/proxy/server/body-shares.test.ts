import fc from 'fast-check'
import t, { type Test } from 'tap'
import { BodyMemory, type BodyShare } from '../../../src/proxy/server/body-shares.ts'
import { bodyCost, SMALL_BODY_BYTES } from '../../../src/proxy/server/body-memory.ts'

const MIB = 1024 * 1024
const SMALL = bodyCost(SMALL_BODY_BYTES)

/** 40 MiB, of which 10 are the reserve: one largest body of 5 MiB (20) fits, two do not. */
function budgetOf(options: { maxWaitMs?: number; maxWaiting?: number } = {}): BodyMemory {
  return new BodyMemory({ bytes: 40 * MIB, maxBodyBytes: 5 * MIB, maxWaitMs: 60_000, ...options })
}

/** A share that is given back at the test's end. */
function open(t: Test, budget: BodyMemory): BodyShare {
  const share = budget.open()
  t.teardown(() => share.release())
  return share
}

t.test('what fits is held at once and given back once', async (t) => {
  const budget = budgetOf()
  const share = open(t, budget)
  t.equal(share.hold(20 * MIB), undefined)
  t.equal(budget.heldBytes, 20 * MIB)
  t.equal(share.hold(8 * MIB), undefined)
  t.equal(budget.heldBytes, 8 * MIB)
  share.release()
  share.release()
  t.equal(budget.heldBytes, 0)
  t.equal(share.hold(1), undefined)
  t.equal(budget.heldBytes, 0, 'a request that has ended holds nothing any more')
})

t.test('what does not fit waits for room, in its order', async (t) => {
  const budget = budgetOf()
  const order: string[] = []
  const [first, second, third] = [open(t, budget), open(t, budget), open(t, budget)]
  first.hold(20 * MIB)
  const waitingSecond = second.hold(20 * MIB)?.then(() => order.push('second'))
  // It would fit, and would keep the one before it waiting for ever.
  const waitingThird = third.hold(10 * MIB)?.then(() => order.push('third'))
  t.equal(budget.waiting, 2)
  first.release()
  await Promise.all([waitingSecond, waitingThird])
  t.strictSame(order, ['second', 'third'])
  t.equal(budget.heldBytes, 30 * MIB)
  second.release()
  third.release()
  t.equal(budget.heldBytes, 0)
})

t.test('small bodies get in while large ones hold all that is theirs and others wait', async (t) => {
  const budget = budgetOf()
  const large = open(t, budget)
  large.hold(30 * MIB)
  const waiting = open(t, budget)
  void waiting.hold(20 * MIB)
  const small = Array.from({ length: (10 * MIB) / SMALL }, () => open(t, budget))
  for (const share of small) t.equal(share.hold(SMALL), undefined)
  t.equal(budget.heldBytes, 40 * MIB)
  const late = open(t, budget)
  const granted = late.hold(SMALL)
  t.ok(granted, 'the reserve is used up')
  // Not before its turn among all, but as soon as the reserve has room.
  small[0]?.release()
  await granted
  t.equal(budget.waiting, 1)
  for (const share of [large, waiting, late, ...small]) share.release()
  t.equal(budget.heldBytes, 0)
})

t.test('small bodies use what large ones leave, but not past a large one that waits', async (t) => {
  const budget = budgetOf()
  const small = Array.from({ length: (30 * MIB) / SMALL }, () => open(t, budget))
  for (const share of small) t.equal(share.hold(SMALL), undefined)
  const large = open(t, budget)
  const granted = large.hold(20 * MIB)
  t.ok(granted)
  t.ok(open(t, budget).hold(SMALL), 'beyond the reserve it waits behind the large one')
  for (const share of small.slice(0, (10 * MIB) / SMALL)) share.release()
  await granted
})

t.test('a body that has begun goes before those that have not', async (t) => {
  const budget = budgetOf()
  const order: string[] = []
  const [holder, begun, fresh] = [open(t, budget), open(t, budget), open(t, budget)]
  begun.hold(SMALL)
  holder.hold(20 * MIB)
  const last = fresh.hold(20 * MIB)?.then(() => order.push('fresh'))
  const next = begun.hold(20 * MIB)?.then(() => order.push('begun'))
  holder.release()
  await next
  begun.release()
  await last
  t.strictSame(order, ['begun', 'fresh'])
})

t.test('bodies that hold a part and all wait for more do not wait for each other', async (t) => {
  const budget = budgetOf()
  const shares = [open(t, budget), open(t, budget), open(t, budget)]
  for (const share of shares) share.hold(10 * MIB)
  // As their reader does: what is refused ends.
  const ends = shares.map(async (share, index) => {
    try {
      await share.hold(20 * MIB)
      return index
    } catch (error) {
      share.release()
      throw error
    }
  })
  const told = await Promise.allSettled([...ends.slice(0, 1), ...ends.slice(2)])
  t.match(told, [
    { status: 'fulfilled', value: 0 },
    { status: 'rejected', reason: { code: 'rate_limit_exceeded' } },
  ])
  t.equal(budget.waiting, 1, 'the second waits for the first')
  shares[0]?.release()
  t.equal(await ends[1], 1)
})

t.test('a body that has begun takes what there is room for past those that wait', async (t) => {
  const budget = budgetOf()
  const [begun, fresh] = [open(t, budget), open(t, budget)]
  begun.hold(20 * MIB)
  t.ok(fresh.hold(20 * MIB))
  t.equal(begun.hold(21 * MIB), undefined)
  t.equal(budget.heldBytes, 21 * MIB)
})

t.test('waiting is bounded in time', async (t) => {
  const budget = budgetOf({ maxWaitMs: 1 })
  const holder = open(t, budget)
  holder.hold(30 * MIB)
  await t.rejects(Promise.resolve(open(t, budget).hold(20 * MIB)), {
    code: 'rate_limit_exceeded',
    status: 429,
    retryable: true,
    details: { retryAfterSeconds: Number },
  })
  t.equal(budget.waiting, 0)
  t.equal(budget.heldBytes, 30 * MIB)
})

t.test('who waited in vain before others no longer keeps them waiting', async (t) => {
  const budget = budgetOf({ maxWaitMs: 50 })
  open(t, budget).hold(20 * MIB)
  const refused = Promise.resolve(open(t, budget).hold(20 * MIB))
  const behind = open(t, budget)
  const granted = behind.hold(10 * MIB)
  t.ok(granted)
  await t.rejects(refused, { code: 'rate_limit_exceeded' })
  await granted
  t.equal(budget.heldBytes, 30 * MIB)
})

t.test('waiting is bounded in number', async (t) => {
  const budget = budgetOf({ maxWaiting: 2 })
  open(t, budget).hold(30 * MIB)
  const waiting = [open(t, budget), open(t, budget)]
  for (const share of waiting) void share.hold(MIB)
  await t.rejects(Promise.resolve(open(t, budget).hold(MIB)), { code: 'rate_limit_exceeded' })
  waiting[0]?.release()
  t.equal(budget.waiting, 1, 'a request that has ended does not wait any more')
  for (const share of waiting) share.release()
  t.equal(budget.waiting, 0)
})

t.test('a first in the queue that leaves lets the next one in', async (t) => {
  const budget = budgetOf()
  open(t, budget).hold(20 * MIB)
  const leaving = open(t, budget)
  void leaving.hold(20 * MIB)
  const granted = open(t, budget).hold(10 * MIB)
  t.ok(granted)
  leaving.release()
  await granted
})

t.test('of a large body whose contents are forgotten, what was sent on still counts', async (t) => {
  const budget = budgetOf()
  const [large, small] = [open(t, budget), open(t, budget)]
  large.hold(bodyCost(5 * MIB))
  small.hold(bodyCost(1_000))
  const next = open(t, budget)
  const granted = next.hold(bodyCost(5 * MIB))
  t.ok(granted)
  large.forgetContents()
  small.forgetContents()
  await granted
  t.equal(budget.heldBytes, 5 * MIB + bodyCost(1_000) + bodyCost(5 * MIB))
})

t.test('what stays of large bodies takes nothing of the reserve, however little it is', async (t) => {
  const budget = budgetOf()
  for (let opened = 0; opened < 60; opened++) {
    const share = open(t, budget)
    t.equal(share.hold(bodyCost(128 * 1024)), undefined)
    share.forgetContents()
  }
  t.equal(budget.heldBytes, (60 * MIB) / 8)
  open(t, budget).hold(20 * MIB)
  const waiting = open(t, budget)
  void waiting.hold(20 * MIB)
  const small = Array.from({ length: (10 * MIB) / SMALL }, () => open(t, budget))
  for (const share of small) t.equal(share.hold(SMALL), undefined)
})

t.test('the largest body always fits alone, however little memory there is', async (t) => {
  const budget = new BodyMemory({ bytes: 0, maxBodyBytes: 10 * MIB })
  const share = open(t, budget)
  t.equal(share.hold(bodyCost(10 * MIB)), undefined)
  t.equal(open(t, budget).hold(SMALL), undefined)
  t.equal(share.hold(bodyCost(10 * MIB) + MIB), undefined, 'a little more, for its structure, is let pass')
})

t.test('a body that is judged above the whole budget can never be taken', async (t) => {
  await t.rejects(
    Promise.resolve(
      budgetOf()
        .open()
        .hold(41 * MIB),
    ),
    { code: 'request_too_large', status: 413 },
  )
})

t.test('property: never more than the budget, and nothing is left when all have ended', async () => {
  const step = fc.record({
    share: fc.integer({ min: 0, max: 7 }),
    bytes: fc.oneof(fc.integer({ min: 0, max: SMALL }), fc.integer({ min: 0, max: 40 * MIB })),
    type: fc.constantFrom('hold', 'hold', 'release'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const budget = budgetOf({ maxWaiting: 4 })
      const shares = Array.from({ length: 8 }, () => budget.open())
      const waits = new Set<number>()
      for (const { share: index, bytes, type } of steps) {
        const share = shares[index]
        if (type === 'release') {
          share?.release()
          shares[index] = budget.open()
          waits.delete(index)
        } else if (!waits.has(index)) {
          // As its reader does: one question at a time.
          const room = share?.hold(bytes)
          if (room !== undefined) waits.add(index)
          room?.then(
            () => shares[index] === share && waits.delete(index),
            () => shares[index] === share && waits.delete(index),
          )
        }
        await Promise.resolve()
        if (budget.heldBytes < 0 || budget.heldBytes > 40 * MIB) return false
      }
      for (const share of shares) share.release()
      return budget.heldBytes === 0 && budget.waiting === 0
    }),
  )
})
