import t, { type Test } from 'tap'
import { decodeItems, type ItemStream, type StreamItem } from '../../../src/proxy/pipeline/item-stream.ts'
import { ALONE_BYTES, SHARED_BYTES, SharedStream } from '../../../src/proxy/pipeline/shared-stream.ts'

type Batch = readonly StreamItem[]

/** A provider's stream that a test feeds, and what was done to it. */
function provider(t: Test, stalledMs = 60_000) {
  const queue: (Batch | Error | undefined)[] = []
  let wake = Promise.withResolvers<void>()
  let isLeft = false
  const feed = (next: Batch | Error | undefined) => {
    queue.push(next)
    wake.resolve()
  }
  async function* pieces(): AsyncGenerator<Batch> {
    try {
      for (;;) {
        while (queue.length === 0) {
          wake = Promise.withResolvers()
          await wake.promise
        }
        const next = queue.shift()
        if (next instanceof Error) throw next
        if (next === undefined) return
        yield next
      }
    } finally {
      isLeft = true
    }
  }
  const source = decodeItems(pieces(), { push: (batch: Batch) => batch, end: () => [] })
  const unseen: string[] = []
  let aborts = 0
  const shared = new SharedStream({
    source,
    unseen: (items) => unseen.push(textOf(items)),
    abort: () => {
      aborts++
      // As the transport does: who reads fails.
      feed(new Error('aborted'))
    },
    stalledMs,
  })
  t.teardown(() => feed(undefined))
  return {
    shared,
    unseen,
    aborts: () => aborts,
    isLeft: () => isLeft,
    pull: () => queue.length,
    say: (...texts: string[]) =>
      texts.forEach((text) => feed([{ parts: [{ type: 'text-delta', choice: 0, id: 'x', delta: text }] }])),
    end: () => feed(undefined),
    fail: (error: Error) => feed(error),
  }
}

function textOf(items: Batch): string {
  return items.flatMap(({ parts }) => parts.map((part) => ('delta' in part ? part.delta : ''))).join('')
}

async function next(stream: ItemStream | undefined): Promise<string | undefined> {
  const pulled = await stream?.next()
  return pulled?.done === false ? textOf(pulled.value) : undefined
}

async function rest(stream: ItemStream | undefined): Promise<string> {
  let text = ''
  for await (const items of stream ?? []) text += textOf(items)
  return text
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('alone, the leader pulls and nothing is read ahead of it', async (t) => {
  const { shared, say, end, pull } = provider(t)
  say('a', 'b', 'c')
  t.equal(await next(shared.leader), 'a')
  await turn()
  t.equal(pull(), 2)
  end()
  t.equal(await rest(shared.leader), 'bc')
})

t.test('who follows gets all from the beginning, as it arrives', async (t) => {
  const { shared, say, end } = provider(t)
  say('a')
  t.equal(await next(shared.leader), 'a')
  const waiting = next(shared.leader)
  const one = shared.follow()
  t.equal(await next(one), 'a')
  const two = shared.follow()
  const coming = next(one)
  say('b')
  t.equal(await waiting, 'b', 'what the leader was pulling itself')
  t.equal(await coming, 'b')
  say('c', 'd')
  t.equal(await next(one), 'c', 'without the leader')
  end()
  const texts = await Promise.all([shared.leader, one, two].map(rest))
  t.strictSame(texts, ['cd', 'd', 'abcd'])
  t.equal(shared.isFollowed, false)
})

t.test('a failure is a failure for all, after what came before', async (t) => {
  const { shared, say, fail } = provider(t)
  say('a')
  t.equal(await next(shared.leader), 'a')
  const follower = shared.follow()
  fail(new Error('cut'))
  await t.rejects(rest(shared.leader), /cut/)
  t.equal(await next(follower), 'a')
  await t.rejects(rest(follower), /cut/)
})

t.test("a leader's client that goes takes nothing from the others, and its request pays for all", async (t) => {
  const { shared, say, end, unseen, isLeft } = provider(t)
  say('a')
  await next(shared.leader)
  const follower = shared.follow()
  say('b')
  t.equal(await next(follower), 'a')
  t.equal(await next(follower), 'b')
  let settled = false
  const gone = shared.leader.return().then(() => (settled = true))
  const late = shared.follow()
  say('c')
  t.equal(await next(follower), 'c')
  t.equal(settled, false, 'the call goes on')
  say('d')
  end()
  t.equal(await rest(follower), 'd')
  t.equal(await rest(late), 'abcd')
  await gone
  t.strictSame(unseen, ['b', 'c', 'd'])
  t.ok(isLeft())
})

t.test('when the last one has gone the call is ended', async (t) => {
  const { shared, say, aborts, isLeft, unseen } = provider(t)
  say('a')
  await next(shared.leader)
  const [one, two] = [shared.follow(), shared.follow()]
  const gone = shared.leader.return()
  await one?.return()
  await turn()
  t.equal(aborts(), 0)
  await two?.return()
  await gone
  t.equal(aborts(), 1)
  t.equal(shared.canBeFollowed, false)
  t.equal(shared.follow(), undefined)
  await turn()
  t.ok(isLeft())
  t.strictSame(unseen, [])
})

t.test('a leader that nobody follows ends the call itself', async (t) => {
  const { shared, say, aborts, isLeft } = provider(t)
  say('a')
  await next(shared.leader)
  await shared.leader.return()
  t.ok(isLeft())
  t.equal(aborts(), 0)
  t.equal(shared.follow(), undefined)
})

t.test('a follower that leaves leaves the others alone', async (t) => {
  const { shared, say, end, aborts } = provider(t)
  say('a')
  await next(shared.leader)
  const [one, two] = [shared.follow(), shared.follow()]
  await next(one)
  await one?.return()
  say('b')
  end()
  t.strictSame(await Promise.all([rest(shared.leader), rest(two)]), ['b', 'ab'])
  t.equal(aborts(), 0)
})

t.test('alone, a long stream is not kept; it can be followed no more', async (t) => {
  const { shared, say, end } = provider(t)
  for (let each = 0; each < 100; each++) {
    say('x'.repeat(1_000))
    await next(shared.leader)
    if (shared.bytes > ALONE_BYTES) t.fail(`${shared.bytes} bytes`)
  }
  t.equal(shared.bytes, 0)
  t.equal(shared.canBeFollowed, false)
  t.equal(shared.follow(), undefined)
  end()
})

t.test('what slow readers have not read is bounded; one that stalls is cut off', async (t) => {
  const { shared, say, end, pull } = provider(t, 20)
  say('a')
  await next(shared.leader)
  const stalled = shared.follow()
  const quick = shared.follow()
  const size = 10_000
  const chunks = Math.ceil((3 * SHARED_BYTES) / size)
  for (let each = 0; each < chunks; each++) say('x'.repeat(size))
  end()
  await turn()
  const reading = Promise.all([rest(shared.leader), rest(quick)])
  await turn()
  t.ok(pull() > 0, 'not all is taken at once')
  t.ok(shared.bytes < SHARED_BYTES + 2 * size)
  const [own, other] = await reading
  t.equal(own?.length, chunks * size)
  t.equal(other?.length, chunks * size + 1)
  await t.rejects(rest(stalled), /too slowly/)
})
