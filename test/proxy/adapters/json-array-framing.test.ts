import t from 'tap'
import { jsonArrayFraming } from '../../../src/proxy/adapters/json-array-framing.ts'

async function* chunksOf(...chunks: string[]): AsyncGenerator<string> {
  yield* chunks
}

t.test('an array grows by the event, and is JSON at its end', async (test) => {
  const frames = await Array.fromAsync(
    jsonArrayFraming.frame(chunksOf('data: {"a":1}\n\n', 'data: {"b":2}\n\ndata: {\ndata: "c":3}\n\n')),
  )
  test.equal(frames.length, 3)
  test.strictSame(JSON.parse(frames.join('')), [{ a: 1 }, { b: 2 }, { c: 3 }])
  test.strictSame(JSON.parse((await Array.fromAsync(jsonArrayFraming.frame(chunksOf()))).join('')), [])
})

t.test('a client that has gone ends the answer, whether it was started or not', async (test) => {
  for (const started of [false, true]) {
    let returned = 0
    const events: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ value: 'data: {}\n\n', done: false }),
        return: async () => ({ value: (returned += 1), done: true }),
      }),
    }
    const frames = jsonArrayFraming.frame(events)[Symbol.asyncIterator]()
    if (started) test.equal((await frames.next()).value, '[{}')
    await frames.return?.()
    test.equal(returned, 1)
    test.strictSame(await frames.next(), { value: undefined, done: true })
  }
})
