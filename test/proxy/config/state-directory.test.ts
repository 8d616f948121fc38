/** The folder of what outlives the process: what is lost of it while the process runs. */
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { StateDirectory } from '../../../src/proxy/config/state-directory.ts'

/** Of which any will do. */
const text = (made: string) => ({ create: () => made, faultIn: () => undefined })

t.test('a folder that is lost is made again for the next key, with all that is known', async (t) => {
  const path = join(t.testdir({}), 'state')
  const state = new StateDirectory(path)
  const master = state.masterSecret().reveal()
  state.virtualKey('default', 'a', text('text of a'))
  rmSync(path, { recursive: true })
  state.virtualKey('default', 'b', text('text of b'))
  const next = new StateDirectory(path)
  t.equal(next.masterSecret().reveal(), master)
  t.equal(next.virtualKey('default', 'a', text('another')).reveal(), 'text of a')
  t.equal(next.virtualKey('default', 'b', text('another')).reveal(), 'text of b')
})

t.test('what could not be written again with a lost folder is written at a later attempt', async (t) => {
  const path = join(t.testdir({}), 'state')
  const state = new StateDirectory(path)
  // As a full disk would, that the second folder is lacking keeps its file from being written, and those that come after.
  mkdirSync(join(path, 'virtual-keys', 'default.x'))
  state.virtualKey('default', 'x/y', text('text of y'))
  const master = state.masterSecret().reveal()
  state.virtualKey('default', 'a', text('text of a'))
  rmSync(path, { recursive: true })
  t.throws(() => state.virtualKey('default', 'b', text('text of b')), { message: /ENOENT/ })
  mkdirSync(join(path, 'virtual-keys', 'default.x'))
  state.virtualKey('default', 'b', text('text of b'))
  const next = new StateDirectory(path)
  t.equal(next.masterSecret().reveal(), master)
  for (const name of ['x/y', 'a', 'b'])
    t.equal(next.virtualKey('default', name, text('another')).reveal(), `text of ${name.at(-1)}`)
  rmSync(join(path, 'virtual-keys', 'default.a'))
  state.virtualKey('default', 'c', text('text of c'))
  t.equal(new StateDirectory(path).virtualKey('default', 'a', text('another')).reveal(), 'another')
})

t.test('a file that was removed alone, to have a new key at the next start, is not put back', async (t) => {
  const path = t.testdir({})
  const state = new StateDirectory(path)
  state.virtualKey('default', 'a', text('text of a'))
  rmSync(join(path, 'virtual-keys', 'default.a'))
  symlinkSync('/nowhere', join(path, 'virtual-keys', 'default.b'))
  t.throws(() => state.virtualKey('default', 'b', text('text of b')), { message: /default\.b: ENOENT: [a-z ]+$/ })
  state.virtualKey('default', 'c', text('text of c'))
  t.throws(() => readFileSync(join(path, 'virtual-keys', 'default.a')), { code: 'ENOENT' })
})

t.test('a folder that was away, not lost, comes back without what was removed in it', async (t) => {
  const path = join(t.testdir({}), 'state')
  const state = new StateDirectory(path)
  state.virtualKey('default', 'a', text('text of a'))
  renameSync(path, `${path}.away`)
  writeFileSync(path, '')
  t.throws(() => state.virtualKey('default', 'b', text('text of b')), { message: /virtual-keys is not a folder$/ })
  rmSync(path)
  renameSync(`${path}.away`, path)
  rmSync(join(path, 'virtual-keys', 'default.a'))
  state.virtualKey('default', 'b', text('text of b'))
  t.throws(() => readFileSync(join(path, 'virtual-keys', 'default.a')), { code: 'ENOENT' })
})

/** Run by two threads at once. */
const RACE = `
  const { workerData: { module, path, turn } } = require('node:worker_threads')
  import(module).then(({ StateDirectory }) => {
    const state = new StateDirectory(path)
    Atomics.add(turn, 0, 1)
    while (Atomics.load(turn, 0) < 2);
    for (let key = 0; key < 500; key += 1) state.virtualKey('default', 'k' + key, { create: () => 'text', faultIn() {} })
  })`

t.test('a file is there when it is whole: who starts at the same time never finds an empty one', async (t) => {
  const module = new URL('../../../src/proxy/config/state-directory.ts', import.meta.url).href
  const workerData = { module, path: t.testdir({}), turn: new Int32Array(new SharedArrayBuffer(4)) }
  const threads = [1, 2].map(() => once(new Worker(RACE, { eval: true, workerData }), 'exit'))
  t.strictSame(await Promise.all(threads), [[0], [0]])
})

t.test('a name that no file can have is told with the file', async (t) => {
  const state = new StateDirectory(t.testdir({}))
  const name = 'a'.repeat(253)
  t.throws(() => state.virtualKey('default', name, text('text')), { message: /\/default\.a+: ENAMETOOLONG: [a-z ]+$/ })
})
