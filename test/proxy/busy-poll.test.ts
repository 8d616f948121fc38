/** Busy polling with a loop whose time and turns the test gives. */
import t from 'tap'
import { BusyPoll, type PolledLoop } from '../../src/proxy/busy-poll.ts'

/** A turn takes ten microseconds. */
const TURN_MS = 0.01
/** More than any poll takes. */
const LONG_MS = 1

class FakeLoop implements PolledLoop {
  #nowMs = 0
  #next: (() => void)[] = []

  now(): number {
    return this.#nowMs
  }

  nextTurn(run: () => void): void {
    this.#next.push(run)
  }

  /** @returns for how many turns somebody polled in that time; beyond them the loop sleeps */
  passes(ms: number): number {
    const endMs = this.#nowMs + ms
    let polled = 0
    while (this.#nowMs < endMs && this.#next.length > 0) {
      const due = this.#next
      this.#next = []
      this.#nowMs += TURN_MS
      if (due.length > 1) throw new Error('two chains of turns')
      for (const run of due) run()
      polled++
    }
    this.#nowMs = Math.max(this.#nowMs, endMs)
    return polled
  }
}

/** @returns the turns polled for `count` answers that each come after `answerMs` */
function exchanges(loop: FakeLoop, poll: BusyPoll, count: number, answerMs: number): number[] {
  return Array.from({ length: count }, () => {
    poll.asked()
    const polled = loop.passes(answerMs)
    poll.came()
    return polled + loop.passes(LONG_MS)
  })
}

t.test('a quick answer is polled for, and no longer than until it has come', (t) => {
  const loop = new FakeLoop()
  const polled = exchanges(loop, new BusyPoll(loop), 100, 0.1)
  t.ok(
    polled.every((turns) => turns >= 10 && turns <= 12),
    `turns of 10 µs: ${polled.join(' ')}`,
  )
  t.end()
})

t.test('a slow answer is polled for at most a few times, and then hardly ever', (t) => {
  const loop = new FakeLoop()
  const polled = exchanges(loop, new BusyPoll(loop), 10_000, 5)
  t.ok(Math.max(...polled) <= 21, 'a poll has an end')
  t.ok(polled.filter((turns) => turns > 0).length <= 4 + Math.ceil(10_000 / 256))
  t.ok(
    polled.slice(-256).some((turns) => turns > 0),
    'it goes on trying',
  )
  t.end()
})

t.test('who becomes quick is polled for again, who becomes slow no more', (t) => {
  const loop = new FakeLoop()
  const poll = new BusyPoll(loop)
  exchanges(loop, poll, 1_000, 5)
  t.ok(
    exchanges(loop, poll, 300, 0.05)
      .slice(-10)
      .every((turns) => turns > 0),
  )
  t.equal(exchanges(loop, poll, 20, 5).filter((turns) => turns > 0).length, 8)
  t.end()
})

t.test('one slow answer among quick ones does not end it, every second one does', (t) => {
  const loop = new FakeLoop()
  const poll = new BusyPoll(loop)
  for (let round = 0; round < 50; round++) {
    const polled = exchanges(loop, poll, 9, 0.05)
    t.ok(polled.every((turns) => turns > 0))
    exchanges(loop, poll, 1, 5)
  }
  for (let round = 0; round < 50; round++) {
    exchanges(loop, poll, 1, 0.05)
    exchanges(loop, poll, 1, 5)
  }
  t.same(exchanges(loop, poll, 1, 0.05), [0])
  t.end()
})

t.test('where several answers are owed it is polled until the last has come', (t) => {
  const loop = new FakeLoop()
  const poll = new BusyPoll(loop)
  poll.asked()
  loop.passes(0.05)
  poll.asked()
  poll.came(true)
  t.ok(loop.passes(0.1) >= 10)
  poll.came()
  t.ok(loop.passes(LONG_MS) <= 1)
  t.end()
})

t.test('an answer that nobody has asked for is none', (t) => {
  const loop = new FakeLoop()
  const poll = new BusyPoll(loop)
  for (let count = 0; count < 1_000; count++) poll.came()
  t.ok(exchanges(loop, poll, 20, 5).filter((turns) => turns > 0).length <= 4)
  t.end()
})

t.test('of the real loop: no turns are asked for any more when nothing comes', async (t) => {
  const poll = new BusyPoll()
  poll.asked()
  t.ok(process.getActiveResourcesInfo().includes('Immediate'))
  await new Promise((resolve) => setTimeout(resolve, 5))
  t.notOk(process.getActiveResourcesInfo().includes('Immediate'))
})
