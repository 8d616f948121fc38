import t from 'tap'
import {
  decodeItems,
  knownItems,
  type ItemDecoder,
  type ItemStream,
  type StreamItem,
} from '../../../../src/proxy/pipeline/streaming/item-stream.ts'
import type { Taker } from '../../../../src/proxy/pipeline/pull.ts'

interface Log {
  ended: number
}

async function* count(log: Log, failAt = Infinity): AsyncGenerator<number> {
  try {
    for (let number = 1; number <= 3; number += 1) {
      if (number === failAt) throw new Error('cut')
      yield number
    }
  } finally {
    log.ended += 1
  }
}

const item = (data: string): StreamItem => ({ event: { data }, parts: [] })
const numbers: ItemDecoder<number> = { push: (number) => [item(String(number))], end: () => [item('end')] }

async function all(items: ItemStream): Promise<string[]> {
  const seen: string[] = []
  for await (const batch of items) seen.push(...batch.map(({ event }) => event?.data ?? ''))
  return seen
}

function watched(items: ItemStream): { seen: string[]; ends: string[] } {
  const told = { seen: new Array<string>(), ends: new Array<string>() }
  items.watch({
    saw: (batch) => told.seen.push(...batch.map(({ event }) => event?.data ?? '')),
    ended: ({ type }) => told.ends.push(type),
  })
  return told
}

t.test('pieces become items, up to the last of the decoder', async (t) => {
  const log = { ended: 0 }
  const items = decodeItems(count(log), numbers)
  const told = watched(items)
  t.strictSame(await all(items), ['1', '2', '3', 'end'])
  t.same(told, { seen: ['1', '2', '3', 'end'], ends: ['complete'] })
  t.equal(log.ended, 1)
})

t.test('a piece that completes nothing is read past', async (t) => {
  const odd: ItemDecoder<number> = { push: (n) => (n % 2 === 1 ? [item(String(n))] : []), end: () => [] }
  t.strictSame(await all(decodeItems(count({ ended: 0 }), odd)), ['1', '3'])
})

t.test('a stream that is over ends before its pieces do, and lets go of them', async (t) => {
  const log = { ended: 0 }
  const decoder = {
    isOver: false,
    push(number: number) {
      this.isOver = number === 2
      return [item(String(number))]
    },
    end: () => [item('end')],
  }
  const items = decodeItems(count(log), decoder)
  const told = watched(items)
  t.strictSame(await all(items), ['1', '2'])
  t.same(told, { seen: ['1', '2'], ends: ['complete'] })
  t.equal(log.ended, 1)
  await items.return()
  t.same(told.ends, ['complete'])
})

t.test('what has no room is not read on, and fails where it gets none', async (t) => {
  const log = { ended: 0 }
  const room = Promise.withResolvers<void>()
  const none = Promise.withResolvers<void>()
  const read: number[] = []
  const rooms = [undefined, room.promise, none.promise]
  const decoder = {
    room: undefined as Promise<void> | undefined,
    push(number: number) {
      read.push(number)
      this.room = rooms[number]
      return number === 1 ? [] : [item(String(number))]
    },
    end: () => [item('end')],
  }
  const items = decodeItems(count(log), decoder)
  const told = watched(items)
  const first = items.next()
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(read, [1])
  room.resolve()
  t.strictSame((await first).value, [item('2')])
  const second = items.next()
  none.reject(new Error('no room'))
  await t.rejects(second, { message: 'no room' })
  t.strictSame(read, [1, 2])
  t.same(told.ends, ['failed'])
  t.equal(log.ended, 1, 'and its source is left')
})

t.test('a watcher that throws when there was no room fails the reader, not the process', async (t) => {
  const decoder = { room: Promise.reject(new Error('no room')), push: () => [], end: () => [] }
  const items = decodeItems(count({ ended: 0 }), decoder)
  items.watch({
    ended() {
      throw new Error('bug')
    },
  })
  await t.rejects(items.next(), { message: 'bug' })
})

t.test('what was put back comes first, and watchers see it once', async (t) => {
  const items = decodeItems(count({ ended: 0 }), numbers)
  const { value = [] } = await items.next()
  const told = watched(items)
  items.unread(value)
  t.strictSame(await all(items), ['1', '2', '3', 'end'])
  t.strictSame(told.seen, ['1', '2', '3', 'end'])
})

t.test('who leaves ends the source, and nothing comes any more', async (t) => {
  const log = { ended: 0 }
  const items = decodeItems(count(log), numbers)
  const told = watched(items)
  await items.next()
  await items.return()
  await items.return()
  t.strictSame(await items.next(), { done: true, value: undefined })
  t.strictSame(told.ends, ['left'])
  t.equal(log.ended, 1)
})

t.test('a body that breaks off fails its reader and tells it once', async (t) => {
  const items = decodeItems(count({ ended: 0 }, 2), numbers)
  const told = watched(items)
  await t.rejects(all(items), { message: 'cut' })
  await items.return()
  t.same(told, { seen: ['1'], ends: ['failed'] })
})

t.test('a decoder that throws ends the source', async (t) => {
  const log = { ended: 0 }
  const items = decodeItems(count(log), {
    push() {
      throw new Error('nonsense')
    },
    end: () => [],
  })
  const told = watched(items)
  await t.rejects(all(items), { message: 'nonsense' })
  t.strictSame(told.ends, ['failed'])
  t.equal(log.ended, 1)
})

t.test('what came before an error inside the answer is handed on first', async (t) => {
  const log = { ended: 0 }
  const decoder: ItemDecoder<number> & { failure?: Error } = {
    push(number) {
      decoder.failure = new Error('reported')
      return [item(String(number))]
    },
    end: () => [],
  }
  const items = decodeItems(count(log), decoder)
  const told = watched(items)
  await t.rejects(all(items), { message: 'reported' })
  t.same(told, { seen: ['1'], ends: ['failed'] })
  t.equal(log.ended, 1, 'the body is not read to its end')
})

t.test('a watcher that throws fails the reader, not the process', async (t) => {
  const items = knownItems([item('known')])
  items.watch({
    ended() {
      throw new Error('bug')
    },
  })
  await t.rejects(all(items), { message: 'bug' })
})

t.test('known items come as one batch', async (t) => {
  t.strictSame(await all(knownItems([item('a'), item('b')])), ['a', 'b'])
})

t.test('a pull is answered before it returns where the pieces are there', async (t) => {
  let next = 1
  const pieces = {
    pull: (taker: Taker<number>) => (next <= 2 ? taker.take(next++) : taker.end()),
    return: async () => undefined,
    [Symbol.asyncIterator]: () => count({ ended: 0 }),
  }
  const items = decodeItems(pieces, numbers)
  const log: string[] = []
  const taker: Taker<readonly StreamItem[]> = {
    take: (batch) => log.push(...batch.map(({ event }) => event?.data ?? '')),
    end: () => log.push('no more'),
    fail: (error) => log.push(String(error)),
  }
  for (let pulls = 0; pulls < 4; pulls++) items.pull(taker)
  t.strictSame(log, ['1', '2', 'end', 'no more'])
})

t.test('it tells where its reader rests, and not while that waits for the next batch', async (t) => {
  const items = decodeItems(count({ ended: 0 }), numbers)
  t.equal(items.restsAt, 0)
  const pulled = items.next()
  t.equal(items.restsAt, undefined)
  await pulled
  t.equal(items.restsAt, 1)
  items.unread([item('once more')])
  await items.next()
  t.equal(items.restsAt, 2)
})
