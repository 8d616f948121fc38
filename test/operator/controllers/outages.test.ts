/** Scenario 23 of the operator's tests: an API server that is away, frozen, refusing or talking nonsense. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { SECRETS } from '../../../src/operator/kube/resource.ts'
import { startApiProxy } from '../../helpers/api-proxy.ts'
import { digestsOf, startOperator, startWorld, virtualKey } from '../../helpers/operator.ts'
import type { RunningOperator } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

/** How long each fault lasts. By hand: a minute. */
const FAULT_MS = Number(process.env['FAULT_MS'] ?? 12_000)
/** Far above what retries make, far below what a loop without a wait would. */
const MAX_REQUESTS_A_SECOND = 60

t.test('23: an API server that fails in every way', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { plane, redis } = world
  const proxy = await startApiProxy(plane)
  t.teardown(() => proxy.stop())
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-outages-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: proxy.url } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  )
  const operators: RunningOperator[] = []
  /** As a kubelet does: a leader that cannot renew its Lease ends itself. */
  let watching = true
  const keepRunning = async () => {
    while (watching) {
      const current = operators.at(-1)
      if (current === undefined || current.child.exitCode !== null) {
        operators.push(await startOperator(t, plane, redis, [], kubeconfig))
      }
      await sleep(200)
    }
  }
  const kept = keepRunning()
  t.teardown(() => (watching = false))
  let keys = 0
  const known = new Map<string, readonly string[]>()
  const makeKey = async () => {
    const name = `key-${++keys}`
    await world.apply(virtualKey('team', name))
    return `team/${name}`
  }
  /** Everything that is wanted is there once, and what was there is the same. */
  const converges = async (t: Test) => {
    for (let index = 1; index <= keys; index += 1)
      await world.reaches(`team/key-${index}`, 'Ready', 'True Ready', 90_000)
    const secrets = (await plane.client.list(SECRETS, { namespace: 'team' })).items
    t.equal(secrets.length, keys, 'one Secret a key')
    for (let index = 1; index <= keys; index += 1) {
      const id = `team/key-${index}`
      const digests = digestsOf(await world.published(id))
      t.equal(digests.length, 1, id)
      if (known.has(id)) t.strictSame(digests, known.get(id), `${id} is the key that it was`)
      known.set(id, digests)
    }
  }
  const boundedWhile = async (t: Test, work: () => Promise<void>) => {
    const [before, begun] = [proxy.requests, performance.now()]
    await work()
    const perSecond = (proxy.requests - before) / ((performance.now() - begun) / 1_000)
    t.ok(perSecond < MAX_REQUESTS_A_SECOND, `${perSecond.toFixed(0)} requests a second`)
  }
  await makeKey()
  await converges(t)

  t.test('refuses everything', async (t) => {
    proxy.fault = 'refusing'
    await makeKey()
    await boundedWhile(t, () => sleep(FAULT_MS))
    proxy.fault = 'none'
    await converges(t)
  })

  t.test('executes and forgets to say so', async (t) => {
    proxy.fault = 'forgetting'
    for (let index = 0; index < 5; index += 1) await makeKey()
    await boundedWhile(t, () => sleep(FAULT_MS))
    proxy.fault = 'none'
    await converges(t)
  })

  t.test('tells nonsense in its watches, and that they are too old', async (t) => {
    const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }
    await boundedWhile(t, async () => {
      for (const line of ['{"type":"MODIFIED","obj', 'null', JSON.stringify({ type: 'ERROR', object: expired })]) {
        // They come back after growing waits.
        await until(() => proxy.tellWatches(line) > 0, 60_000)
        await makeKey()
      }
    })
    await converges(t)
  })

  t.test('swallows everything with its connections open', async (t) => {
    proxy.fault = 'swallowing'
    await makeKey()
    await boundedWhile(t, () => sleep(FAULT_MS))
    proxy.fault = 'none'
    await converges(t)
  })

  t.test('is killed', async (t) => {
    await plane.kill('kube-apiserver')
    await boundedWhile(t, () => sleep(FAULT_MS))
    await plane.start('kube-apiserver')
    await world.apply(virtualKey('team', 'after'))
    await world.reaches('team/after', 'Ready', 'True Ready', 90_000)
    watching = false
    await kept
    for (const operator of operators) {
      t.notMatch(operator.output(), /unhandled|Unhandled|\n\s+at /, 'no error that nobody handled')
      t.ok([0, 1, null].includes(operator.child.exitCode), 'ended as a former leader, or not at all')
    }
  })
})
