/** Scenario 22 of the operator's tests: of two operators one writes, also when the one that does dies or sleeps. */
import t from 'tap'
import { startWorld, virtualKey } from '../../helpers/operator.ts'
import type { RunningOperator } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

t.test('22: two operators', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { redis } = world
  let most = 0
  const leaderOf = async (operators: readonly RunningOperator[]): Promise<RunningOperator> => {
    let leader: RunningOperator | undefined
    await until(async () => {
      const leading = await Promise.all(operators.map((operator) => operator.isLeader()))
      most = Math.max(most, leading.filter(Boolean).length)
      leader = operators[leading.indexOf(true)]
      return leader !== undefined
    }, 60_000)
    if (leader === undefined) throw new Error('nobody leads')
    return leader
  }
  const epoch = async () => Number((await redis.cli('GET', 'tg:cfg:epoch')).trim())
  let operators: readonly RunningOperator[] = await Promise.all([world.startOperator(), world.startOperator()])

  t.test('one leads and serves', async (t) => {
    await leaderOf(operators)
    await world.apply(virtualKey('team', 'first'))
    await world.reaches('team/first', 'Ready', 'True Ready')
    t.ok((await epoch()) > 0)
  })

  t.test('after kill -9 the other takes over with a higher epoch', async (t) => {
    const leader = await leaderOf(operators)
    const before = await epoch()
    await leader.end('SIGKILL')
    operators = operators.filter((operator) => operator !== leader)
    await leaderOf(operators)
    await world.apply(virtualKey('team', 'second'))
    await world.reaches('team/second', 'Ready', 'True Ready')
    t.ok((await epoch()) > before)
  })

  t.test('a leader that slept through the end of its term writes nothing and ends', async (t) => {
    const sleeper = await leaderOf(operators)
    const other = await world.startOperator()
    sleeper.child.kill('SIGSTOP')
    await leaderOf([other])
    await world.apply(virtualKey('team', 'third'))
    await world.reaches('team/third', 'Ready', 'True Ready')
    const [document, highest] = [await redis.cli('GET', 'tg:cfg:ns:team'), await epoch()]
    sleeper.child.kill('SIGCONT')
    await until(() => sleeper.child.exitCode !== null, 40_000)
    t.equal(sleeper.child.exitCode, 1)
    t.equal(await redis.cli('GET', 'tg:cfg:ns:team'), document)
    t.equal(await epoch(), highest)
    t.equal(most, 1, 'never two at once')
    await other.end('SIGTERM')
  })
})
