import { spawnSync } from 'node:child_process'
import t from 'tap'
import type { Test } from 'tap'
import { releaseStartUpMemory } from '../../../src/proxy/server/heap.ts'

t.test('asks for no setting that this V8 does not know', async (t) => {
  // It says so on stderr and goes on.
  const module = new URL('../../../src/proxy/server/heap.ts', import.meta.url).href
  const script = `const { settleHeap } = await import('${module}'); settleHeap(); console.log('settled')`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  t.equal(child.stdout, 'settled\n')
  t.equal(child.stderr, '')
})

t.test('on one core the old heap is marked by the program itself', { skip: !hasTaskset() }, async (t) => {
  const output = growOnOneCore(t, 0)
  const collections = output.split(/(?<=Mark-Compact.*\n)/)
  t.ok(collections.length > 1, output)
  for (const events of collections) {
    const [, end, pause] = /(\d+) ms: [\w ]*Mark-Compact .*?, ([\d.]+) \//.exec(events) ?? []
    for (const [, begin] of events.matchAll(/(\d+) ms: Starting major concurrent marking/g)) {
      // Threads may help in the pause that ends a collection.
      if (end !== undefined) t.ok(Number(begin) >= Number(end) - Number(pause) - 1, events)
    }
  }
  // V8 ends a process whose settings do not fit what its threads are doing.
  for (const objects of [200_000, 400_000, 600_000]) growOnOneCore(t, objects)
})

/** @param objectsBefore made before the heap is settled. @returns what V8 tells of its collections from then on */
function growOnOneCore(t: Test, objectsBefore: number): string {
  const module = new URL('../../../src/proxy/server/heap.ts', import.meta.url).href
  const script = `
    const { settleHeap } = await import('${module}')
    let kept = []
    const grow = async (objects) => {
      kept = []
      for (let index = 0; index < objects; index++) {
        kept.push({ index, text: String(index) })
        if (index % 5_000 === 0) await new Promise(setImmediate)
      }
    }
    await grow(${objectsBefore})
    settleHeap()
    console.log('settled')
    for (let round = 0; round < 8; round++) await grow(600_000)`
  const flags = ['--trace-gc', '--trace-concurrent-marking', '--input-type=module', '-e', script]
  const child = spawnSync('taskset', ['-c', '0', process.execPath, ...flags], { encoding: 'utf8' })
  t.equal(child.status, 0, child.stderr)
  return child.stdout.split('settled\n')[1] ?? ''
}

function hasTaskset(): boolean {
  return spawnSync('taskset', ['-c', '0', 'true']).status === 0
}

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
