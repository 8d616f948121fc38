import t from 'tap'
import { releaseStartUpMemory } from '../../../src/proxy/server/start-up-memory.ts'

t.test('gives pages of the heap back', async (t) => {
  let garbage: object[] | undefined = Array.from({ length: 1_000_000 }, (_, index) => ({ index }))
  const before = process.memoryUsage().heapTotal
  t.equal(garbage.length, 1_000_000)
  garbage = undefined
  releaseStartUpMemory()
  t.ok(process.memoryUsage().heapTotal < before - 16 * 1024 * 1024)
})

t.test('leaves no collector behind that code could call', async (t) => {
  releaseStartUpMemory()
  t.equal(typeof globalThis.gc, 'undefined')
})
