import t from 'tap'
import { AnswerMemory, memoryForValues } from '../../../../src/proxy/pipeline/memory/answer-memory.ts'
import { readAnswer, readErrorBody } from '../../../../src/proxy/pipeline/attempts/read-whole.ts'

const MIB = 1024 * 1024

function read(text: string, heapLimit: number): Promise<Uint8Array> {
  const budget = new AnswerMemory(64 * MIB, memoryForValues(heapLimit))
  const body = (async function* () {
    yield Buffer.from(text)
  })()
  const reply = { status: 200, headers: {}, body, firstContentSeen: () => {} }
  return readAnswer(reply, () => budget.open(new AbortController().signal))
}

t.test('an answer whose values do not fit the heap is none', async (t) => {
  const names = Array.from({ length: 300_000 }, (_, index) => `{"a${index}":1}`).join()
  const many = `{"x":[${names}]}`
  const fault = { code: 'upstream_format_error', message: /more values than there is memory for/ }
  await t.rejects(read(many, 128 * MIB), fault)
  t.equal((await read(many, 4096 * MIB)).length, many.length)
  const probability = { token: 'a', logprob: -0.5, bytes: [97] }
  const token = { ...probability, top_logprobs: Array.from({ length: 20 }, () => probability) }
  const told = JSON.stringify({ content: Array.from({ length: 5_000 }, () => token) })
  t.equal((await read(told, 96 * MIB)).length, told.length)
  const prose = JSON.stringify({ content: '[{"a":1},'.repeat(1_000_000) })
  t.equal((await read(prose, 96 * MIB)).length, prose.length)
})

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
