/** Scenario 22 of the operator's tests as far as this layer goes: election between real processes on a real API server. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import type { Test } from 'tap'
import { startControlPlane } from '../../helpers/control-plane.ts'
import { until } from '../../helpers/redis.ts'

interface Line {
  readonly type: 'started' | 'elected' | 'write' | 'lost'
  readonly at: number
  readonly epoch?: number
  readonly reason?: string
}

interface Operator {
  readonly child: ChildProcess
  readonly lines: Line[]
  readonly exit: Promise<unknown[]>
}

const PROGRAM = join(import.meta.dirname, 'leader-process.ts')
/** Takeover takes 15 s from the last renewal, and this machine may be busy. */
const TAKEOVER_MS = 60_000

t.test('leader election between processes', { timeout: 180_000 }, async (t) => {
  const plane = await startControlPlane(t)
  if (plane === undefined) return
  // Each has a lease of its own, and most of their time is waiting.
  t.jobs = 3

  t.test('after kill -9 the other leads when the lease is over, with a higher epoch', { buffered: true }, async (t) => {
    const [leader, follower] = await pair(t, plane.kubeconfig, 'killed')
    leader.child.kill('SIGKILL')
    await leader.exit
    await until(() => elected(follower) !== undefined, TAKEOVER_MS)
    t.ok((elected(follower)?.epoch ?? 0) > (elected(leader)?.epoch ?? 0))
    const gapMs = (elected(follower)?.at ?? 0) - (leader.lines.at(-1)?.at ?? 0)
    // The lease holds for 15 s from the last renewal, which was at most 2 s (and a busy machine's delay) before the end.
    t.ok(gapMs > 11_000, `took over after ${gapMs} ms`)
    t.comment(`took over after ${gapMs} ms`)
  })

  t.test('after SIGTERM the other leads at once', { buffered: true }, async (t) => {
    const [leader, follower] = await pair(t, plane.kubeconfig, 'terminated')
    leader.child.kill('SIGTERM')
    t.strictSame(await leader.exit, [0, null])
    await until(() => elected(follower) !== undefined, TAKEOVER_MS)
    t.ok((elected(follower)?.epoch ?? 0) > (elected(leader)?.epoch ?? 0))
    const gapMs = (elected(follower)?.at ?? 0) - (leader.lines.at(-1)?.at ?? 0)
    t.ok(gapMs < 11_000, `took over after ${gapMs} ms, before the lease was over`)
    t.comment(`took over after ${gapMs} ms`)
  })

  t.test(
    'a frozen leader does not write when it wakes, finds that it lost, and ends',
    { buffered: true },
    async (t) => {
      const [leader, follower] = await pair(t, plane.kubeconfig, 'frozen')
      leader.child.kill('SIGSTOP')
      await until(() => elected(follower) !== undefined, TAKEOVER_MS)
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      leader.child.kill('SIGCONT')
      t.strictSame(await leader.exit, [1, null])
      t.match(leader.lines.at(-1), { type: 'lost', reason: /frozen-b holds the lease/ })
      t.ok(inOrder([leader, follower]), 'no write of a lower epoch after one of a higher')
    },
  )
})

/** Two operators, of which the first leads. */
async function pair(t: Test, kubeconfig: string, lease: string): Promise<[Operator, Operator]> {
  const leader = operator(t, kubeconfig, `${lease}-a`, lease)
  await until(() => leader.lines.some(({ type }) => type === 'write'))
  const follower = operator(t, kubeconfig, `${lease}-b`, lease)
  await until(() => follower.lines.length > 0)
  // Long enough for the follower to have seen the lease.
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  t.equal(elected(follower), undefined)
  return [leader, follower]
}

function operator(t: Test, kubeconfig: string, identity: string, lease: string): Operator {
  const child = spawn(process.execPath, [PROGRAM, kubeconfig, identity, lease], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: Line[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)))
  const exit = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exit
  })
  return { child, lines, exit }
}

function elected({ lines }: Operator): Line | undefined {
  return lines.find(({ type }) => type === 'elected')
}

/** Whether epochs never fall in the order of time: what a store that fences by epoch would have taken without refusing. */
function inOrder(operators: readonly Operator[]): boolean {
  const writes = operators
    .flatMap(({ lines }) => lines.filter(({ type }) => type === 'write'))
    .toSorted((a, b) => a.at - b.at)
  return writes.length > 2 && writes.every(({ epoch = 0 }, index) => epoch >= (writes[index - 1]?.epoch ?? 0))
}
