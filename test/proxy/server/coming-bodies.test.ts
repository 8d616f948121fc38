import t from 'tap'
import { ComingBodies } from '../../../src/proxy/server/coming-bodies.ts'

function scene(slowAfterMs: number) {
  const state = { nowMs: 0, isAwaited: false }
  const bodies = new ComingBodies({ slowAfterMs, now: () => state.nowMs, isAwaited: () => state.isAwaited })
  return { state, bodies }
}

t.test('while nobody waits a body may take as long as it likes', async (t) => {
  const { state, bodies } = scene(10)
  bodies.begin(() => t.fail('it was told'))
  state.nowMs = 1_000
  bodies.begin(() => t.fail('it was told'))
})

t.test(
  'when somebody begins to wait, those that have been coming for long are told, once, and no others',
  async (t) => {
    const { state, bodies } = scene(60_000)
    const told: string[] = []
    bodies.begin(() => told.push('old'))
    const came = bodies.begin(() => told.push('came'))
    state.nowMs = 59_999
    bodies.begin(() => told.push('young'))
    bodies.end(came)
    state.nowMs = 60_000
    state.isAwaited = true
    bodies.hurry()
    bodies.hurry()
    t.strictSame(told, ['old'])
  },
)

t.test('while somebody waits, bodies are told when their time is over, also those that began meanwhile', async (t) => {
  const { state, bodies } = scene(10)
  state.isAwaited = true
  const told = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  for (const { resolve } of told) bodies.begin(resolve)
  state.nowMs = 10
  // The bodies' timers keep no process alive: sockets do.
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  await Promise.all(told.map(({ promise }) => promise))
})
