import t from 'tap'
import { readErrorBody } from '../../../src/proxy/pipeline/read-whole.ts'

t.test('the body of an error that does not come is left, and its connection with it', async (t) => {
  let left = 0
  const body = {
    next: () => new Promise<IteratorResult<Uint8Array, undefined>>(() => {}),
    async return() {
      left += 1
      return { done: true as const, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
  const read = await readErrorBody({ status: 500, headers: {}, body, firstContentSeen: () => {} }, 10)
  t.equal(read.length, 0)
  t.equal(left, 1)
})
