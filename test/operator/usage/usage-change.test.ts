import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { isUsageOnly } from '../../../src/operator/usage/usage-change.ts'

function object(status: JsonObject, metadata: JsonObject = {}): KubeObject {
  const own = { namespace: 'team', name: 'app', uid: 'u', generation: 1, resourceVersion: '1', ...metadata }
  return { apiVersion: 'v', kind: 'VirtualKey', metadata: own, status }
}

t.test('a write of the usage concerns nobody', async (t) => {
  const [before, after] = [
    object({ keyID: 'k' }),
    object({ keyID: 'k', usage: [{ window: 'Day' }] }, { resourceVersion: '2' }),
  ]
  t.ok(isUsageOnly(before, after))
  t.ok(isUsageOnly(after, object({ keyID: 'k', usage: [], usageCheckpointTime: 'now' }, { managedFields: [1] })))
  const projects = (keyCount: number, spent: string) =>
    object({ projects: [{ name: 'web', keyCount, usage: [{ window: 'Day', spentUSD: spent }] }] })
  t.ok(isUsageOnly(projects(1, '1'), projects(1, '2')))
  t.notOk(isUsageOnly(projects(1, '1'), projects(2, '1')))
})

t.test('anything else does', async (t) => {
  const before = object({ keyID: 'k' })
  t.notOk(isUsageOnly(undefined, before), 'it is new')
  t.notOk(isUsageOnly(before, undefined), 'it is gone')
  t.notOk(isUsageOnly(before, object({ keyID: 'other' })), 'somebody has written over our status')
  t.notOk(isUsageOnly(before, object({ keyID: 'k' }, { generation: 2 })), 'the spec')
  t.notOk(isUsageOnly(before, object({ keyID: 'k' }, { uid: 'another' })), 'made again')
  t.notOk(isUsageOnly(before, object({ keyID: 'k' }, { deletionTimestamp: 'now' })), 'it is going')
  t.notOk(isUsageOnly(before, object({ keyID: 'k' }, { annotations: { 'tollgate.dev/rotate': '1' } })), 'a request')
  t.notOk(isUsageOnly(before, object({ keyID: 'k' }, { finalizers: [] })), 'its finalizer')
})
