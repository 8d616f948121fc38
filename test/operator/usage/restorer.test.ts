import t from 'tap'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { ObjectStore } from '../../../src/operator/kube/object-store.ts'
import { Restorer } from '../../../src/operator/usage/restorer.ts'
import { recordedLog } from '../kube/recorded-log.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const HOUR_MS = 3_600_000

/** An organization whose status was written at `checkpointMs`, and the mark beside its counters. */
function start(checkpointMs: number, mark: number | undefined) {
  const organizations = new ObjectStore()
  const usage = [{ window: 'Total', spentUSD: '1' }]
  const acme: KubeObject = {
    apiVersion: 'tollgate.dev/v1alpha1',
    kind: 'Organization',
    metadata: { name: 'acme' },
    status: { usage, usageCheckpointTime: new Date(checkpointMs).toISOString() },
  }
  organizations.put('acme', acme)
  const redis = { mark }
  const restorer = new Restorer({
    store: {
      wholeSince: async () => new Map([['acme', redis.mark]]),
      advance: async (_organization, atMs) => {
        redis.mark = atMs
        return true
      },
      restore: async (_organization, _copies, wholeMs) => {
        redis.mark = wholeMs
        return 0
      },
    },
    view: { organizations, virtualKeys: new ObjectStore() },
    log: recordedLog(),
    lastRead: () => [],
    onRestored: () => undefined,
  })
  return { restorer, redis }
}

t.test('counters are restored where the mark is gone or older than the status, once', async (t) => {
  for (const mark of [undefined, NOW - 2 * HOUR_MS]) {
    const { restorer } = start(NOW - HOUR_MS, mark)
    for (let look = 0; look < 3; look++) await restorer.ensure(['acme'], NOW + look)
    t.equal(restorer.restorations('acme'), 1)
  }
  const { restorer } = start(NOW - HOUR_MS, NOW)
  await restorer.ensure(['acme'], NOW)
  t.equal(restorer.restorations('acme'), 0)
})

t.test('a status and a mark of a time when the clock of Redis was ahead do not make every look a loss', async (t) => {
  const { restorer, redis } = start(NOW + 26 * HOUR_MS, NOW + 26 * HOUR_MS)
  for (let look = 0; look < 3; look++) await restorer.ensure(['acme'], NOW + look)
  t.equal(restorer.restorations('acme'), 1)
  t.equal(redis.mark, NOW)
  await restorer.advance('acme', NOW + 60_000)
  t.equal(redis.mark, NOW + 60_000)
})

t.test('nor does a clock that is set back while a leader runs', async (t) => {
  const { restorer } = start(NOW, NOW + 26 * HOUR_MS)
  await restorer.ensure(['acme'], NOW + 26 * HOUR_MS)
  t.equal(restorer.restorations('acme'), 0)
  for (let look = 0; look < 3; look++) await restorer.ensure(['acme'], NOW + look)
  t.equal(restorer.restorations('acme'), 1)
})
