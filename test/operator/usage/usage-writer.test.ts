import t from 'tap'
import { asObject } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import { plannedScope } from '../../../src/domain/quota/limits.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import type { CountedScope } from '../../../src/operator/usage/counted.ts'
import { spanOf } from '../../../src/operator/usage/counter-store.ts'
import { UsageWriter } from '../../../src/operator/usage/usage-writer.ts'

const NOON = Date.UTC(2026, 0, 15, 12)
const SECOND = 1_000
const LIMITS = {
  budgets: [{ window: 'Day', limit: 1_000_000, reset: 'Calendar', warnAtPercent: 80, onExceed: 'Block' }],
  tokenQuotas: [],
  rateLimits: {},
} as const

const KEY: CountedScope = {
  id: 'acme:key/team/app',
  organization: 'acme',
  resource: 'VirtualKey/team/app',
  scope: plannedScope('key', 'key/team/app', LIMITS),
}
const PROJECT: CountedScope = {
  id: 'acme:project/web',
  organization: 'acme',
  resource: 'Organization/acme',
  project: 'web',
  scope: plannedScope('project', 'project/web', LIMITS),
}

/** An API server that remembers one object of each kind; `isBehind`: its events do not come. */
function started({ isBehind = false } = {}) {
  const objects = new Map<string, KubeObject>([
    ['team/app', { apiVersion: 'v', kind: 'VirtualKey', metadata: { namespace: 'team', name: 'app' } }],
    ['acme', { apiVersion: 'v', kind: 'Organization', metadata: { name: 'acme' }, status: { keyCount: 1 } }],
  ])
  const written: JsonObject[] = []
  let costMicroUsd = 0
  const view = { get: (key: string) => objects.get(key), list: () => [...objects.values()] }
  const writer = new UsageWriter({
    client: {
      async serverSideApply(_resource, body) {
        const status = asObject(body['status']) ?? {}
        written.push(status)
        const metadata = asObject(body['metadata'])
        const key = metadata?.['namespace'] === undefined ? 'acme' : 'team/app'
        const object = objects.get(key)
        if (object === undefined) throw new Error('no such object')
        const { usage: _usage, usageCheckpointTime: _time, ...rest } = asObject(object['status']) ?? {}
        const next = { ...object, status: { ...rest, ...status } }
        if (!isBehind) objects.set(key, next)
        return next
      },
    },
    view: { virtualKeys: view, organizations: view },
    reading: ({ scope }) => ({
      atMs: NOON,
      exhaustion: undefined,
      usages: scope.windows.map((window) => ({
        window,
        figures: { costMicroUsd, inputTokens: 0, outputTokens: 0, requests: 1 },
        ...spanOf(window, NOON),
      })),
    }),
  })
  const spend = (amount: number) => void (costMicroUsd = amount)
  const tell = async (scopes: readonly CountedScope[], atMs: number, resource = KEY.resource) => {
    if (!writer.isDue(resource, scopes, atMs)) return 'not due'
    return (await writer.write(resource, scopes, atMs)) ? 'written' : 'the same'
  }
  return { objects, written, spend, tell }
}

t.test('writes when anything is spent, and then once a minute at most', async (t) => {
  for (const isBehind of [false, true]) {
    const { spend, tell, written } = started({ isBehind })
    t.equal(await tell([KEY], NOON), 'not due', 'nothing is spent')
    spend(100_000)
    t.equal(await tell([KEY], NOON), 'written')
    spend(200_000)
    t.equal(await tell([KEY], NOON + SECOND), 'not due')
    t.equal(await tell([KEY], NOON + 59 * SECOND), 'not due')
    t.equal(await tell([KEY], NOON + 60 * SECOND), 'written')
    t.equal(written.length, 2)
  }
})

t.test('says nothing where nothing is new', async (t) => {
  const { spend, tell } = started()
  spend(100_000)
  t.equal(await tell([KEY], NOON), 'written')
  t.equal(await tell([KEY], NOON + 600 * SECOND), 'not due')
  spend(100_001)
  t.equal(await tell([KEY], NOON + 600 * SECOND), 'not due')
})

t.test('takes back what was said of limits that are gone', async (t) => {
  const { spend, tell, objects, written } = started()
  spend(100_000)
  await tell([KEY], NOON)
  t.equal(await tell([], NOON + 60 * SECOND), 'written')
  t.strictSame(written.at(-1), {})
  t.strictSame(objects.get('team/app')?.['status'], {})
  t.equal(await tell([], NOON + 120 * SECOND), 'not due')
})

t.test('a project is told of in its organization', async (t) => {
  const { spend, tell, written } = started()
  spend(100_000)
  t.equal(await tell([PROJECT], NOON, 'Organization/acme'), 'written')
  t.match(written, [{ usage: [], projects: [{ name: 'web', usage: [{ window: 'Day', spentUSD: '0.100000' }] }] }])
})

t.test('an object that is going or gone is left alone', async (t) => {
  const { spend, tell, objects } = started()
  spend(100_000)
  const metadata = { namespace: 'team', name: 'app', deletionTimestamp: '2026-01-15T12:00:00Z' }
  objects.set('team/app', { apiVersion: 'v', kind: 'VirtualKey', metadata })
  t.equal(await tell([KEY], NOON), 'not due')
  objects.delete('team/app')
  t.equal(await tell([KEY], NOON), 'not due')
})
