import { spawnSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { BatchedLines } from '../../../src/proxy/telemetry/batched-lines.ts'

t.test('writes lines by itself, in their order', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 1_000_000)
  for (let number = 0; number < 5; number += 1) lines.write(`${number}\n`)
  t.equal(readFileSync(file, 'utf8'), '', 'not one by one')
  while (readFileSync(file, 'utf8').length < 10) await sleep(1)
  t.equal(readFileSync(file, 'utf8'), '0\n1\n2\n3\n4\n')
  lines.write('5\n')
  while (readFileSync(file, 'utf8').length < 12) await sleep(1)
  t.equal(readFileSync(file, 'utf8'), '0\n1\n2\n3\n4\n5\n')
})

t.test('writes many lines whole', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 10_000_000)
  const all = Array.from({ length: 2_000 }, (_, number) => `${number} ${'x'.repeat(number % 300)}\n`)
  for (const line of all) lines.write(line)
  const text = all.join('')
  while (readFileSync(file, 'utf8').length < text.length) await sleep(1)
  t.equal(readFileSync(file, 'utf8'), text)
})

t.test('writes what is buffered when asked to', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 1_000_000)
  lines.write('one\n')
  lines.flushSync()
  t.equal(readFileSync(file, 'utf8'), 'one\n')
})

t.test('drops what a reader does not take in time, and goes on', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 8)
  lines.write('one\n')
  lines.write('too long\n')
  lines.flushSync()
  lines.write('two\n')
  lines.flushSync()
  t.equal(readFileSync(file, 'utf8'), 'one\ntwo\n')
})

t.test('loses nothing when the process exits', async (t) => {
  const module = new URL('../../../src/proxy/telemetry/batched-lines.ts', import.meta.url).href
  const script = (end: string) =>
    `import { BatchedLines } from ${JSON.stringify(module)}; const lines = new BatchedLines(1, 1e6); process.on('exit', () => lines.flushSync()); lines.write('last\\n'); ${end}`
  for (const end of ['process.exit(3)', 'throw new Error("broken")', '']) {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script(end)], { encoding: 'utf8' })
    t.equal(stdout, 'last\n', end)
  }
})

t.test('goes on where nobody reads', async (t) => {
  const file = join(t.testdir({ out: '' }), 'out')
  const lines = new BatchedLines(openSync(file, 'r'), 1_000)
  lines.write('one\n')
  lines.flushSync()
  lines.write('two\n')
  t.equal(readFileSync(file, 'utf8'), '')
})
