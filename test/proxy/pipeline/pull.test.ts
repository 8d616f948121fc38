import t from 'tap'
import {
  DONE,
  answerPull,
  nextOf,
  pullAlone,
  pullFrom,
  type Pullable,
  type Taker,
} from '../../../src/proxy/pipeline/pull.ts'

/** What a taker was told, in order. */
function told(): Taker<number> & { readonly log: string[] } {
  const log: string[] = []
  return {
    log,
    take: (value) => log.push(String(value)),
    end: () => log.push('end'),
    fail: (error) => log.push(String(error)),
  }
}

async function* upTo(last: number, left: () => void): AsyncGenerator<number, undefined> {
  try {
    for (let number = 1; number <= last; number++) yield number
  } finally {
    left()
  }
  return undefined
}

t.test('any iterable is pulled from, value by value, to its end', async (t) => {
  let ends = 0
  const source = pullFrom(upTo(2, () => ends++))
  t.strictSame(await nextOf(source), { done: false, value: 1 })
  t.strictSame(await nextOf(source), { done: false, value: 2 })
  t.strictSame(await nextOf(source), DONE)
  t.strictSame(await nextOf(source), DONE)
  t.equal(ends, 1)
})

t.test('who leaves an iterable ends it', async (t) => {
  let ends = 0
  const source = pullFrom(upTo(2, () => ends++))
  await nextOf(source)
  await source.return()
  t.equal(ends, 1)
  t.strictSame(await nextOf(source), DONE)
  await pullFrom({ [Symbol.asyncIterator]: () => ({ next: async () => DONE }) }).return()
})

t.test('a failure of the iterable is the failure of the pull', async (t) => {
  const failing: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('cut')) }),
  }
  await t.rejects(nextOf(pullFrom(failing)), { message: 'cut' })
})

t.test('what can be pulled from is taken as it is, and answers at once where it has a value', async (t) => {
  const source: Pullable<number> & AsyncIterable<number> = {
    pull: (taker) => taker.take(7),
    return: async () => undefined,
    [Symbol.asyncIterator]: () => upTo(0, () => undefined),
  }
  const taker = told()
  pullFrom(source).pull(taker)
  t.strictSame(taker.log, ['7'])
})

t.test('a pull is answered once, by what its promise comes to', async (t) => {
  const taker = told()
  answerPull(taker, Promise.resolve({ done: false, value: 3 }))
  answerPull(taker, Promise.resolve(DONE))
  answerPull(taker, Promise.reject(new Error('cut')))
  await new Promise(setImmediate)
  t.strictSame(taker.log, ['3', 'end', 'Error: cut'])
})

t.test('what is thrown on the way of an answer fails the pull, and nothing else', async (t) => {
  const throwing = told()
  throwing.take = () => {
    throw new Error('in the reader')
  }
  throwing.end = () => {
    throw new Error('at the end')
  }
  answerPull(throwing, Promise.resolve({ done: false, value: 3 }))
  answerPull(throwing, Promise.resolve(DONE))
  await new Promise(setImmediate)
  t.strictSame(throwing.log, ['Error: in the reader', 'Error: at the end'])
  const taker = told()
  const source = (pull: Pullable<number>['pull']): Pullable<number> => ({ pull, return: async () => undefined })
  pullAlone(
    source(() => {
      throw new Error('in the source')
    }),
    taker,
  )
  pullAlone(
    source((reader) => reader.take(7)),
    taker,
  )
  t.strictSame(taker.log, ['Error: in the source', '7'])
})
