import t from 'tap'
import { EventRecorder } from '../../../src/operator/kube/event-recorder.ts'
import type { ObjectEvent } from '../../../src/operator/kube/event-recorder.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { ManualTiming } from './manual-timing.ts'
import { MemoryApi } from './memory-api.ts'
import { recordedLog } from './recorded-log.ts'

const KEY: KubeObject = {
  apiVersion: 'tollgate.dev/v1alpha1',
  kind: 'VirtualKey',
  metadata: { namespace: 'team', name: 'app', uid: 'u1', resourceVersion: '5' },
}
const ROTATED: ObjectEvent = {
  type: 'Normal',
  reason: 'KeyRotated',
  action: 'Rotate',
  note: 'a new key is in Secret app-virtual-key',
}

function fixture() {
  const timing = new ManualTiming()
  const api = new MemoryApi()
  const log = recordedLog()
  const recorder = new EventRecorder({
    client: api.client('a'),
    timing,
    log,
    controller: 'tollgate.dev/operator',
    instance: 'pod-1',
  })
  const bodies = (verb: string) => api.calls.filter((call) => call.verb === verb).map(({ body }) => body)
  return { timing, api, log, recorder, bodies }
}

t.test("an event tells about its object in the object's namespace", async (t) => {
  const { recorder, bodies } = fixture()
  recorder.record(KEY, ROTATED)
  await recorder.flush()
  t.match(bodies('create'), [
    {
      metadata: { namespace: 'team', name: /^app\.[0-9a-f]+$/ },
      eventTime: '2026-01-15T12:00:00.000000Z',
      reportingController: 'tollgate.dev/operator',
      reportingInstance: 'pod-1',
      ...ROTATED,
      regarding: { kind: 'VirtualKey', namespace: 'team', name: 'app', uid: 'u1' },
    },
  ])
})

t.test('an event of a cluster-wide object is in default', async (t) => {
  const { recorder, bodies } = fixture()
  recorder.record({ ...KEY, kind: 'Provider', metadata: { name: 'openai', uid: 'u2' } }, ROTATED)
  await recorder.flush()
  t.match(bodies('create'), [
    { metadata: { namespace: 'default' }, regarding: { name: 'openai', namespace: undefined } },
  ])
})

t.test('the same event again becomes a count, at most once a minute', async (t) => {
  const { timing, recorder, bodies } = fixture()
  for (let second = 0; second < 180; second += 1) {
    recorder.record(KEY, ROTATED)
    await timing.advance(1_000)
  }
  t.equal(bodies('create').length, 1)
  t.match(bodies('jsonPatch'), [
    [{ op: 'add', path: '/series', value: { count: 61 } }],
    [{ value: { count: 121, lastObservedTime: '2026-01-15T12:02:00.000000Z' } }],
  ])
  await timing.advance(11 * 60_000)
  recorder.record(KEY, ROTATED)
  await recorder.flush()
  t.equal(bodies('create').length, 2)
})

t.test('one object cannot flood the cluster with different events', async (t) => {
  const { recorder, bodies } = fixture()
  for (let index = 0; index < 200; index += 1) recorder.record(KEY, { ...ROTATED, note: `${index}` })
  await recorder.flush()
  t.equal(bodies('create').length, 25)
  t.strictSame(recorder.stats, { written: 25, dropped: 175 })
})

t.test("many objects together keep the process's rate", async (t) => {
  const { recorder, bodies } = fixture()
  for (let index = 0; index < 3_000; index += 1)
    recorder.record({ ...KEY, metadata: { ...KEY.metadata, uid: `${index}` } }, ROTATED)
  await recorder.flush()
  t.equal(bodies('create').length, 50)
})

t.test('an event that cannot be written is dropped and counted', async (t) => {
  const { api, log, recorder } = fixture()
  api.fault = () => 'unavailable'
  recorder.record(KEY, ROTATED)
  await recorder.flush()
  t.strictSame(recorder.stats, { written: 0, dropped: 1 })
  t.equal(log.entries.length, 1)
})

t.test('a note is cut to what the API server takes, between two characters', async (t) => {
  const { recorder, api } = fixture()
  recorder.record(KEY, { ...ROTATED, note: '€'.repeat(500) })
  await recorder.flush()
  const event = [...api.objects.values()][0]
  t.equal(event?.['note'], '€'.repeat(340))
})
