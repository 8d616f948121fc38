import { spawnSync } from 'node:child_process'
import t from 'tap'
import { releaseStartUpMemory } from '../../../src/proxy/server/heap.ts'

t.test('asks for no setting that this V8 does not know', async (t) => {
  // It says so on stderr and goes on.
  const module = new URL('../../../src/proxy/server/heap.ts', import.meta.url).href
  const script = `const { settleHeap } = await import('${module}'); settleHeap(); console.log('settled')`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  t.equal(child.stdout, 'settled\n')
  t.equal(child.stderr, '')
})

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
