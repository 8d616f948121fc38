import t from 'tap'
import { memoryForBodies } from '../../../src/proxy/server/body-memory.ts'

const MIB = 1024 * 1024

t.test('the memory for bodies is a part of the heap, and of the container where that is less', async (t) => {
  t.equal(memoryForBodies(512 * MIB, 0), 256 * MIB)
  t.equal(memoryForBodies(512 * MIB, 428 * MIB), 100 * MIB)
  t.equal(memoryForBodies(100 * MIB, 64 * MIB), 0)
  // Without a limit some versions of Node tell 2^64.
  t.equal(memoryForBodies(512 * MIB, 2 ** 64), 256 * MIB)
})
