import { spawnSync } from 'node:child_process'
import t from 'tap'
import { runBounded } from '../../../src/proxy/guardrails/bounded-run.ts'

const MODULE = new URL('../../../src/proxy/guardrails/bounded-run.ts', import.meta.url).href

t.test('what the work returns is returned, what it throws is thrown', async (t) => {
  t.same(
    runBounded(1_000, () => 7),
    { result: 7 },
  )
  t.throws(
    () =>
      runBounded(1_000, () => {
        throw new TypeError('broken')
      }),
    new TypeError('broken'),
  )
})

t.test('work without end is ended, and the next is done', async (t) => {
  const endless = (): never => {
    for (;;);
  }
  const deep = (): number => 1 + deep()
  t.equal(runBounded(200, endless), undefined)
  t.equal(runBounded(1_000, deep), undefined)
  t.same(
    runBounded(1_000, () => 7),
    { result: 7 },
  )
})

t.test('where it was the machine that was slow, nothing is said of the work', async (t) => {
  const held = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
  t.throws(() => runBounded(200, held), { code: 'guardrail_failed' })
  t.strictSame(
    runBounded(1_000, () => 7),
    { result: 7 },
  )
})

t.test('a process without a file to open refuses the work and lives on', async (t) => {
  const program = `
    import { closeSync, openSync } from 'node:fs'
    import { runBounded } from '${MODULE}'
    const files = []
    try { for (;;) files.push(openSync('/dev/null')) } catch {}
    try { runBounded(1_000, () => 7) } catch (error) { files.splice(0).forEach(closeSync); console.log(error.code) }
    console.log(runBounded(1_000, () => 7).result)`
  const node = ['-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath, '--input-type=module', '-e', program]
  const { stdout, stderr, status } = spawnSync('/bin/sh', node, { encoding: 'utf8', env: {} })
  t.equal(stdout, 'guardrail_failed\n7\n', stderr)
  t.equal(status, 0)
})
