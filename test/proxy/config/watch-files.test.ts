import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import t from 'tap'
import { watchFiles } from '../../../src/proxy/config/watch-files.ts'

/** Between two looks: where nothing changes, and where something has. */
const LOOK = 400
const SETTLING = 50

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

function watched(folder: string) {
  let changes = 0
  const watch = watchFiles(
    [folder],
    (name) => name.endsWith('.yaml'),
    () => (changes += 1),
  )
  /** How often a change has been told, after each of the times. */
  return { watch, after: (...times: number[]) => times.map((time) => (mock.timers.tick(time), changes)) }
}

t.test('a change is told once, when it stands still', async (t) => {
  const folder = t.testdir({ 'a.yaml': 'one' })
  const { after } = watched(folder)
  t.same(after(LOOK), [0])
  writeFileSync(join(folder, 'a.yaml'), 'first half')
  t.same(after(LOOK), [0])
  appendFileSync(join(folder, 'a.yaml'), 'second half')
  t.same(after(SETTLING), [0])
  t.same(after(SETTLING, SETTLING, LOOK, LOOK), [1, 1, 1, 1])
  rmSync(join(folder, 'a.yaml'))
  t.same(after(LOOK, SETTLING, LOOK), [1, 2, 2])
})

t.test('what is as it was when it stands still is no change', async (t) => {
  const folder = t.testdir({ 'a.yaml': 'one' })
  const { after } = watched(folder)
  writeFileSync(join(folder, 'b.yaml'), 'two')
  t.same(after(LOOK), [0])
  rmSync(join(folder, 'b.yaml'))
  t.same(after(SETTLING, SETTLING, LOOK), [0, 0, 0])
})

t.test('what never stands still is told all the same, within the second', async (t) => {
  const folder = t.testdir({ 'a.yaml': 'one' })
  const { after } = watched(folder)
  const write = () => appendFileSync(join(folder, 'a.yaml'), 'more')
  write()
  after(LOOK)
  let told = 0
  for (let elapsed = LOOK; elapsed < 1_000 && told === 0; elapsed += SETTLING) {
    write()
    told = after(SETTLING)[0] ?? 0
  }
  t.equal(told, 1)
})

t.test(
  'what is no manifest is not watched, so that a log that is written beside them does not lead to the next reading',
  async (t) => {
    const folder = t.testdir({ 'a.yaml': 'one', inner: {} })
    const { after } = watched(folder)
    writeFileSync(join(folder, 'gateway.log'), 'a line')
    writeFileSync(join(folder, 'inner', 'gateway.log'), 'a line')
    t.same(after(LOOK, SETTLING, LOOK), [0, 0, 0])
    writeFileSync(join(folder, 'inner', 'b.yaml'), 'two')
    t.same(after(LOOK, SETTLING, LOOK), [0, 1, 1])
  },
)

t.test('a file that is named itself is watched, whatever its name', async (t) => {
  const file = join(t.testdir({ manifests: 'one' }), 'manifests')
  let changes = 0
  watchFiles(
    [file],
    () => false,
    () => (changes += 1),
  )
  writeFileSync(file, 'other')
  for (const time of [LOOK, SETTLING, LOOK]) mock.timers.tick(time)
  t.equal(changes, 1)
})

t.test('a watch that was stopped tells nothing', async (t) => {
  const folder = t.testdir({ 'a.yaml': 'one' })
  const { watch, after } = watched(folder)
  writeFileSync(join(folder, 'a.yaml'), 'other')
  after(LOOK)
  watch.stop()
  t.same(after(SETTLING, LOOK), [0, 0])
})
