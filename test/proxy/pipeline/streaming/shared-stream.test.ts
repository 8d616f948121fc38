import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { SseEvent } from '../../../../src/domain/formats/format.ts'
import { formatOf } from '../../../../src/domain/formats/registry.ts'
import { decodeItems, type ItemStream, type StreamItem } from '../../../../src/proxy/pipeline/streaming/item-stream.ts'
import { ALONE_BYTES, SHARED_BYTES, SharedStream } from '../../../../src/proxy/pipeline/streaming/shared-stream.ts'

const STAYS = new AbortController().signal

const CHAT = formatOf('chat-completions')

type Batch = readonly StreamItem[]

/** A provider's stream that a test feeds, and what was done to it. */
function provider(t: Test, stalledMs = 60_000) {
  const decoder = CHAT.createStreamDecoder()
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
  let lettings = 0
  const shared = new SharedStream({
    source,
    format: CHAT,
    unseen: (items) => unseen.push(textOf(items)),
    abort: () => {
      aborts++
      // As the transport does: who reads fails.
      feed(new Error('aborted'))
    },
    letLeaderGo() {
      lettings++
      shared.leaderLeft()
    },
    stalledMs,
  })
  t.teardown(() => feed(undefined))
  return {
    shared,
    unseen,
    aborts: () => aborts,
    lettings: () => lettings,
    isLeft: () => isLeft,
    pull: () => queue.length,
    say: (...texts: string[]) =>
      texts.forEach((text) => {
        const event = chunk(text)
        feed([{ event, parts: decoder.push(event) }])
      }),
    sayWithoutEvent: (text: string) => feed([{ parts: decoder.push(chunk(text)) }]),
    end: () => feed(undefined),
    fail: (error: Error) => feed(error),
  }
}

function chunk(content: string): SseEvent {
  return { data: JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] }) }
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

/** A client that is never let go. */
const KEPT = () => undefined

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
  const one = shared.follow(STAYS, KEPT)
  t.equal(await next(one), 'a')
  const two = shared.follow(STAYS, KEPT)
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
  const follower = shared.follow(STAYS, KEPT)
  fail(new Error('cut'))
  await t.rejects(rest(shared.leader), /cut/)
  t.equal(await next(follower), 'a')
  await t.rejects(rest(follower), /cut/)
})

t.test("a leader's client that goes takes nothing from the others, and its request pays for all", async (t) => {
  const { shared, say, end, unseen, isLeft } = provider(t)
  say('a')
  await next(shared.leader)
  const follower = shared.follow(STAYS, KEPT)
  say('b')
  t.equal(await next(follower), 'a')
  t.equal(await next(follower), 'b')
  let settled = false
  const gone = shared.leader.return().then(() => (settled = true))
  const late = shared.follow(STAYS, KEPT)
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
  const [one, two] = [shared.follow(STAYS, KEPT), shared.follow(STAYS, KEPT)]
  const gone = shared.leader.return()
  await one?.return()
  await turn()
  t.equal(aborts(), 0)
  await two?.return()
  await gone
  t.equal(aborts(), 1)
  t.equal(shared.canBeFollowed, false)
  t.equal(shared.follow(STAYS, KEPT), undefined)
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
  t.equal(shared.follow(STAYS, KEPT), undefined)
})

t.test('a follower that leaves leaves the others alone', async (t) => {
  const { shared, say, end, aborts } = provider(t)
  say('a')
  await next(shared.leader)
  const [one, two] = [shared.follow(STAYS, KEPT), shared.follow(STAYS, KEPT)]
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
  t.equal(shared.follow(STAYS, KEPT), undefined)
  end()
})

t.test('what slow readers have not read is bounded; one that stalls is cut off', async (t) => {
  const { shared, say, end, pull } = provider(t, 500)
  say('a')
  await next(shared.leader)
  const lettings: string[] = []
  const stalled = shared.follow(STAYS, () => lettings.push('stalled'))
  const quick = shared.follow(STAYS, () => lettings.push('quick'))
  const size = 10_000
  const chunks = Math.ceil((3 * SHARED_BYTES) / size)
  for (let each = 0; each < chunks; each++) say('x'.repeat(size))
  end()
  await turn()
  const reading = Promise.all([rest(shared.leader), rest(quick)])
  await turn()
  t.ok(pull() > 0, 'not all is taken at once')
  t.ok(shared.bytes < SHARED_BYTES + 3 * size, 'event and part are both counted')
  const [own, other] = await reading
  t.equal(own?.length, chunks * size)
  t.equal(other?.length, chunks * size + 1)
  await t.rejects(rest(stalled), /too slowly/)
  t.strictSame(lettings, ['stalled'], 'its client is let go')
})

t.test('a leader that stalls is let go, and its followers get the rest', async (t) => {
  const { shared, say, end, lettings, unseen } = provider(t, 100)
  say('a')
  await next(shared.leader)
  const follower = shared.follow(STAYS, KEPT)
  const size = 10_000
  const chunks = Math.ceil((3 * SHARED_BYTES) / size)
  for (let each = 0; each < chunks; each++) say('x'.repeat(size))
  end()
  const reading = rest(follower)
  while (lettings() === 0) await turn()
  await t.rejects(rest(shared.leader), /too slowly/)
  const leaving = shared.leader.return()
  t.equal((await reading)?.length, chunks * size + 1)
  await leaving
  t.equal(lettings(), 1)
  t.equal(unseen.join('').length, chunks * size, 'what its client did not get is counted still')
})

t.test('a leader that stalls where nobody waits is left to the clock of its own connection', async (t) => {
  const { shared, say, end, lettings } = provider(t, 50)
  say('a')
  await next(shared.leader)
  const gone = new AbortController()
  const follower = shared.follow(gone.signal, KEPT)
  const size = 10_000
  const chunks = Math.ceil((2 * SHARED_BYTES) / size)
  for (let each = 0; each < chunks; each++) say('x'.repeat(size))
  end()
  await next(follower)
  gone.abort()
  await setTimeout(200)
  t.equal((await rest(shared.leader)).length, chunks * size)
  t.equal(lettings(), 0)
})

t.test('a client that has gone does not wait for the next part', async (t) => {
  const { shared, say, aborts, end, unseen } = provider(t)
  say('a')
  await next(shared.leader)
  const gone = new AbortController()
  const [one, two] = [shared.follow(gone.signal, KEPT), shared.follow(STAYS, KEPT)]
  for (const follower of [one, two]) t.equal(await next(follower), 'a')
  // What the leader pulled itself before it was followed has come.
  say('b')
  t.equal(await next(shared.leader), 'b')
  t.equal(await next(one), 'b')
  const [ofOne, ofLeader] = [next(one), next(shared.leader)]
  await turn()
  gone.abort()
  await t.rejects(ofOne, /has gone/)
  shared.leaderLeft()
  await t.rejects(ofLeader, /has gone/)
  const left = shared.leader.return()
  say('c')
  end()
  t.equal(await rest(two), 'bc')
  await left
  t.strictSame(unseen, ['c'])
  t.equal(aborts(), 0)
  t.equal(shared.follow(gone.signal, KEPT), undefined)
})

t.test('the call ends with the last client, whatever is being waited for', async (t) => {
  const { shared, say, aborts } = provider(t)
  say('a')
  await next(shared.leader)
  // Begun before anybody follows.
  const pulling = next(shared.leader)
  const gone = new AbortController()
  const follower = shared.follow(gone.signal, KEPT)
  t.equal(await next(follower), 'a')
  const reading = next(follower)
  shared.leaderLeft()
  t.equal(aborts(), 0)
  gone.abort()
  t.equal(aborts(), 1)
  await t.rejects(reading, /has gone/)
  await t.rejects(pulling, /aborted/)
  await shared.leader.return()
})

t.test('parts without an event are shared as well, after the events that were recorded', async (t) => {
  const { shared, say, sayWithoutEvent, end } = provider(t)
  say('a')
  sayWithoutEvent('b')
  say('c')
  for (const text of ['a', 'b']) t.equal(await next(shared.leader), text)
  const follower = shared.follow(STAYS, KEPT)
  end()
  t.strictSame(await Promise.all([rest(shared.leader), rest(follower)]), ['c', 'abc'])
})
