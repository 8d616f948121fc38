import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import { applyStatus } from '../../../src/operator/kube/apply-status.ts'
import type { StatusOwner } from '../../../src/operator/kube/apply-status.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { MemoryApi } from './memory-api.ts'

const OWNER = { fieldManager: 'tollgate-controller', fields: ['observedGeneration', 'conditions', 'secretRef'] }
const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-15T12:00:00Z',
}
const HEALTHY = { ...READY, type: 'Healthy' }

function objectWith(status: JsonObject): KubeObject {
  return {
    apiVersion: 'tollgate.dev/v1alpha1',
    kind: 'VirtualKey',
    metadata: { namespace: 'n', name: 'a', uid: 'u' },
    status,
  }
}

async function writes(current: JsonObject, wanted: JsonObject, owner: StatusOwner = OWNER): Promise<boolean> {
  const api = new MemoryApi()
  const object = objectWith(current)
  api.objects.set('virtualkeys/n/a', object)
  return applyStatus(api.client('a'), VIRTUAL_KEYS, object, wanted, owner)
}

t.test('nothing is written when nothing changed, whatever others wrote beside', async (t) => {
  const wanted = { observedGeneration: 1, conditions: [READY] }
  t.equal(
    await writes({ usage: { spent: '1' }, conditions: [HEALTHY, { ...READY }], observedGeneration: 1 }, wanted),
    false,
  )
})

t.test('a change, a field more and a field less are written', async (t) => {
  const wanted = { observedGeneration: 1, conditions: [READY] }
  t.equal(await writes({}, wanted), true)
  t.equal(await writes({ observedGeneration: 1, conditions: [HEALTHY] }, wanted), true)
  t.equal(await writes({ observedGeneration: 1, conditions: [{ ...READY, reason: 'Other' }] }, wanted), true)
  t.equal(await writes({ observedGeneration: 1, conditions: [READY], secretRef: { name: 'old' } }, wanted), true)
})

t.test('of a shared list only the own fields of its entries count, and which entries there are', async (t) => {
  const owner = { ...OWNER, fields: ['projects'], sharedLists: { projects: 'name' } }
  const web = { name: 'web', keyCount: 1 }
  const told = { ...web, usage: [{ window: 'Day' }] }
  t.equal(await writes({ projects: [told] }, { projects: [web] }, owner), false)
  t.equal(await writes({ projects: [told] }, { projects: [{ ...web, keyCount: 2 }] }, owner), true)
  t.equal(await writes({ projects: [told] }, { projects: [web, { name: 'other', keyCount: 0 }] }, owner), true)
  t.equal(await writes({ projects: [told, { name: 'old' }] }, { projects: [web] }, owner), true)
  t.equal(await writes({}, { projects: [] }, owner), false)
})

t.test('an object that is gone needs no status, any other failure is told', async (t) => {
  const api = new MemoryApi()
  const client = api.client('a')
  t.equal(await applyStatus(client, VIRTUAL_KEYS, objectWith({}), { observedGeneration: 2 }, OWNER), false)
  t.match(api.calls, [
    {
      verb: 'serverSideApply',
      body: { metadata: { namespace: 'n', name: 'a' }, status: { observedGeneration: 2 } },
    },
  ])
  api.fault = () => 'unavailable'
  await t.rejects(applyStatus(client, VIRTUAL_KEYS, objectWith({}), { observedGeneration: 2 }, OWNER), {
    name: 'KubeError',
    status: 503,
  })
})
