import t from 'tap'
import { replayFirst, tellEnd } from '../../../src/proxy/pipeline/item-source.ts'

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

async function all(items: AsyncIterable<number>): Promise<number[]> {
  const seen: number[] = []
  for await (const item of items) seen.push(item)
  return seen
}

t.test('what was read already comes first', async (t) => {
  const log = { ended: 0 }
  t.strictSame(await all(replayFirst(0, count(log))), [0, 1, 2, 3])
  t.equal(log.ended, 1)
})

t.test('who leaves after the first ends the source', async (t) => {
  const log = { ended: 0 }
  const source = count(log)
  await source.next()
  for await (const item of replayFirst(0, source)) {
    t.equal(item, 0)
    break
  }
  t.equal(log.ended, 1)
})

t.test('after leaving nothing comes', async (t) => {
  const items = replayFirst(0, count({ ended: 0 }))
  await items.return()
  t.strictSame(await items.next(), { done: true, value: undefined })
})

t.test('the end is told once, however it comes', async (t) => {
  const told: string[] = []
  const open = (name: string, failAt?: number) =>
    tellEnd(replayFirst(0, count({ ended: 0 }, failAt)), () => told.push(name))
  t.strictSame(await all(open('read')), [0, 1, 2, 3])
  await t.rejects(all(open('failed', 2)), { message: 'cut' })
  for await (const _item of open('left')) break
  const unread = open('never begun')
  await unread.return()
  await unread.return()
  await unread.next()
  t.strictSame(told, ['read', 'failed', 'left', 'never begun'])
})
