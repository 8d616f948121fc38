/** The folder of what outlives the process: what is lost of it while the process runs. */
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { StateDirectory } from '../../../src/proxy/config/state-directory.ts'

t.test('a folder that is lost is made again for the next key, with all that is known', async (t) => {
  const path = join(t.testdir({}), 'state')
  const state = new StateDirectory(path)
  const master = state.masterSecret().reveal()
  state.virtualKey('default', 'a', () => 'text of a')
  rmSync(path, { recursive: true })
  state.virtualKey('default', 'b', () => 'text of b')
  const next = new StateDirectory(path)
  t.equal(next.masterSecret().reveal(), master)
  t.equal(next.virtualKey('default', 'a', () => 'another').reveal(), 'text of a')
  t.equal(next.virtualKey('default', 'b', () => 'another').reveal(), 'text of b')
})

t.test('what could not be written again with a lost folder is written at a later attempt', async (t) => {
  const path = join(t.testdir({}), 'state')
  const state = new StateDirectory(path)
  // As a full disk would, that the second folder is lacking keeps its file from being written, and those that come after.
  mkdirSync(join(path, 'virtual-keys', 'default.x'))
  state.virtualKey('default', 'x/y', () => 'text of y')
  const master = state.masterSecret().reveal()
  state.virtualKey('default', 'a', () => 'text of a')
  rmSync(path, { recursive: true })
  t.throws(() => state.virtualKey('default', 'b', () => 'text of b'), { message: /ENOENT/ })
  mkdirSync(join(path, 'virtual-keys', 'default.x'))
  state.virtualKey('default', 'b', () => 'text of b')
  const next = new StateDirectory(path)
  t.equal(next.masterSecret().reveal(), master)
  for (const name of ['x/y', 'a', 'b'])
    t.equal(next.virtualKey('default', name, () => 'another').reveal(), `text of ${name.at(-1)}`)
  rmSync(join(path, 'virtual-keys', 'default.a'))
  state.virtualKey('default', 'c', () => 'text of c')
  t.equal(new StateDirectory(path).virtualKey('default', 'a', () => 'another').reveal(), 'another')
})

t.test('a file that was removed alone, to have a new key at the next start, is not put back', async (t) => {
  const path = t.testdir({})
  const state = new StateDirectory(path)
  state.virtualKey('default', 'a', () => 'text of a')
  rmSync(join(path, 'virtual-keys', 'default.a'))
  symlinkSync('/nowhere', join(path, 'virtual-keys', 'default.b'))
  t.throws(() => state.virtualKey('default', 'b', () => 'text of b'), { message: /default\.b: ENOENT: [a-z ]+$/ })
  state.virtualKey('default', 'c', () => 'text of c')
  t.throws(() => readFileSync(join(path, 'virtual-keys', 'default.a')), { code: 'ENOENT' })
})

t.test('a name that no file can have is told with the file', async (t) => {
  const state = new StateDirectory(t.testdir({}))
  const name = 'a'.repeat(253)
  t.throws(() => state.virtualKey('default', name, () => 'text'), { message: /\/default\.a+: ENAMETOOLONG: [a-z ]+$/ })
})
