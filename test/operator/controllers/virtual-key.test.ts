/** Scenario 10 of the operator's tests, the part that takes ten minutes: by a clock of the test. */
import t from 'tap'
import type { JsonPatchOperation } from '../../../src/operator/kube/kube-api.ts'
import type { ObjectEvent } from '../../../src/operator/kube/event-recorder.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { ObjectStore } from '../../../src/operator/kube/object-store.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import { Finalizers } from '../../../src/operator/controllers/finalizers.ts'
import { ProgrammedLedger } from '../../../src/operator/controllers/programmed.ts'
import type { Problem } from '../../../src/operator/controllers/status.ts'
import { VirtualKeyController } from '../../../src/operator/controllers/virtual-key.ts'

const DELETED_AT = '2026-11-21T10:00:00Z'

t.test('a deletion waits ten minutes for Redis, then goes on with a warning', async (t) => {
  const leaving: KubeObject = {
    apiVersion: 'tollgate.dev/v1alpha1',
    kind: 'VirtualKey',
    metadata: {
      namespace: 'team',
      name: 'leaving',
      deletionTimestamp: DELETED_AT,
      finalizers: ['somebody.else/waits', 'tollgate.dev/redis-cleanup'],
    },
    spec: { key: { source: 'Generated' } },
  }
  const virtualKeys = new ObjectStore()
  virtualKeys.put('team/leaving', leaving)
  const patches: (readonly JsonPatchOperation[])[] = []
  const events: ObjectEvent[] = []
  let nowMs = Date.parse(DELETED_AT)
  let problem: Problem | undefined = { reason: 'StoreUnavailable', message: 'Redis does not take the configuration' }
  const unused = () => Promise.reject(new Error('not expected'))
  const quiet = () => undefined
  const finalizers = new Finalizers({
    client: {
      jsonPatch: async (_resource, _name, operations) => {
        patches.push(operations)
        return leaving
      },
    },
    view: { virtualKeys },
  })
  const controller = new VirtualKeyController({
    client: { get: unused, create: unused, replace: unused },
    finalizers,
    onUnfinalized: quiet,
    view: { virtualKeys, secret: () => undefined, secretAccess: () => 'readable' },
    events: { record: (_object, event) => void events.push(event) },
    ledger: new ProgrammedLedger(),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    timing: { ...SYSTEM_TIMING, now: () => nowMs },
    randomBytes: (count) => new Uint8Array(count),
    onOutcome: quiet,
    onRefused: quiet,
    publicationProblem: () => problem,
  })
  t.ok(await controller.reconcile('team/leaving'), 'to be asked again')
  nowMs += 10 * 60_000 - 1
  await controller.reconcile('team/leaving')
  t.strictSame(patches, [])
  nowMs += 1
  problem = undefined
  t.ok(await controller.reconcile('team/leaving'), 'not where no operator ran for so long: nothing is wrong with Redis')
  t.strictSame([patches, events], [[], []])
  problem = { reason: 'StoreUnavailable', message: 'Redis does not take the configuration' }
  t.equal(await controller.reconcile('team/leaving'), undefined)
  t.match(events, [{ type: 'Warning', reason: 'StoreUnavailable' }])
  t.strictSame(patches, [
    [
      { op: 'test', path: '/metadata/finalizers/1', value: 'tollgate.dev/redis-cleanup' },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ],
  ])
})
