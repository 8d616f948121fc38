/** The thin layer on a real API server: verbs, conditions, events, and a reflector that outlives the server. */
import { inspect } from 'node:util'
import t from 'tap'
import type { JsonPatchOperation } from '../../../src/operator/kube/kube-api.ts'
import { asArray, asObject } from '../../../src/domain/json.ts'
import { applyStatus } from '../../../src/operator/kube/apply-status.ts'
import { mergeConditions } from '../../../src/operator/kube/conditions.ts'
import { EventRecorder } from '../../../src/operator/kube/event-recorder.ts'
import { findConnection } from '../../../src/operator/kube/find-connection.ts'
import { createKubeClient } from '../../../src/operator/kube/kube-client.ts'
import { KubeHttp } from '../../../src/operator/kube/kube-http.ts'
import { Reflector } from '../../../src/operator/kube/reflector.ts'
import {
  CONFIG_MAPS,
  NAMESPACES,
  ORGANIZATIONS,
  SECRETS,
  TOKEN_REVIEWS,
  VIRTUAL_KEYS,
} from '../../../src/operator/kube/resource.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import { startControlPlane } from '../../helpers/control-plane.ts'
import { until } from '../../helpers/redis.ts'
import { ManualTiming } from './manual-timing.ts'
import { recordedLog } from './recorded-log.ts'

const NAME = { namespace: 'team', name: 'app' }
const USAGE = { window: 'Daily', reset: 'Calendar', spentUSD: '0.10' }
const KEY = {
  apiVersion: 'tollgate.dev/v1alpha1',
  kind: 'VirtualKey',
  metadata: NAME,
  spec: { organizationRef: { name: 'acme' } },
}

t.test('on a real API server', async (t) => {
  const plane = await startControlPlane(t)
  if (plane === undefined) return
  const { client } = plane
  await plane.applyCrds()
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })

  t.test('a status is applied once, by several managers, and not again when nothing changed', async (t) => {
    const owner = { fieldManager: 'tollgate-controller', fields: ['observedGeneration', 'conditions'] }
    const usage = { fieldManager: 'tollgate-usage', fields: ['usage'] }
    const created = await client.create(VIRTUAL_KEYS, KEY)
    const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: 'works', observedGeneration: 1 } as const
    const status = (from: typeof created, message: string) => ({
      observedGeneration: 1,
      conditions: mergeConditions(asObject(from['status'])?.['conditions'], [{ ...ready, message }], Date.now()),
    })
    t.equal(await applyStatus(client, VIRTUAL_KEYS, created, status(created, 'works'), owner), true)
    const first = await client.get(VIRTUAL_KEYS, NAME)
    t.match(first, { metadata: { generation: 1 }, status: { observedGeneration: 1, conditions: [ready] } })
    t.equal(await applyStatus(client, VIRTUAL_KEYS, first, status(first, 'works'), owner), false)
    t.equal(await applyStatus(client, VIRTUAL_KEYS, first, { usage: [USAGE] }, usage), true)
    const second = await client.get(VIRTUAL_KEYS, NAME)
    t.equal(await applyStatus(client, VIRTUAL_KEYS, second, status(second, 'still works'), owner), true)
    const third = await client.get(VIRTUAL_KEYS, NAME)
    t.match(third, { status: { usage: [USAGE], conditions: [{ message: 'still works' }] } })
    const since = (object: typeof third) =>
      asObject(asArray(asObject(object['status'])?.['conditions'])[0])?.['lastTransitionTime']
    t.equal(since(third), since(first))
  })

  t.test('the status of a deleted object does not land on its successor', async (t) => {
    const old = await client.get(VIRTUAL_KEYS, NAME)
    await t.rejects(client.delete(VIRTUAL_KEYS, NAME, { uid: 'another' }), { name: 'KubeError', status: 409 })
    await client.delete(VIRTUAL_KEYS, NAME, { uid: old.metadata.uid })
    await client.create(VIRTUAL_KEYS, KEY)
    const owner = { fieldManager: 'tollgate-controller', fields: ['observedGeneration'], unlessChanged: true }
    await t.rejects(applyStatus(client, VIRTUAL_KEYS, old, { observedGeneration: 7 }, owner), {
      name: 'KubeError',
      status: 409,
    })
    const successor = await client.get(VIRTUAL_KEYS, NAME)
    t.equal(successor['status'], undefined)
    t.equal(await applyStatus(client, VIRTUAL_KEYS, successor, { observedGeneration: 1 }, owner), true)
  })

  t.test('a finalizer is put and removed only where it is', async (t) => {
    const path = '/metadata/finalizers'
    const put = { op: 'add', path, value: ['tollgate.dev/redis-cleanup'] } satisfies JsonPatchOperation
    await client.jsonPatch(VIRTUAL_KEYS, NAME, [{ op: 'test', path: '/metadata/name', value: 'app' }, put])
    const remove = { op: 'remove', path: `${path}/0` } as const
    await t.rejects(client.jsonPatch(VIRTUAL_KEYS, NAME, [{ op: 'test', path: `${path}/0`, value: 'other' }, remove]), {
      name: 'KubeError',
      status: 422,
    })
    await client.delete(VIRTUAL_KEYS, NAME)
    t.ok((await client.get(VIRTUAL_KEYS, NAME)).metadata['deletionTimestamp'])
    await client.jsonPatch(VIRTUAL_KEYS, NAME, [
      { op: 'test', path: `${path}/0`, value: 'tollgate.dev/redis-cleanup' },
      remove,
    ])
    await t.rejects(client.get(VIRTUAL_KEYS, NAME), { name: 'KubeError', status: 404, reason: 'NotFound' })
  })

  t.test('conflicts, clashes and dry runs are what they say', async (t) => {
    const secret = await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: NAME,
      stringData: { key: 'a' },
    })
    await t.rejects(client.create(SECRETS, { metadata: NAME }), {
      name: 'KubeError',
      status: 409,
      reason: 'AlreadyExists',
    })
    const type = { metadata: { ...NAME, name: 'dry' } }
    await client.create(SECRETS, type, { dryRun: true })
    await t.rejects(client.get(SECRETS, type.metadata), { name: 'KubeError', status: 404 })
    await client.replace(SECRETS, { ...secret, data: { key: 'Yg==' } })
    await t.rejects(client.replace(SECRETS, { ...secret, data: { key: 'Yw==' } }), {
      name: 'KubeError',
      status: 409,
      reason: 'Conflict',
    })
    await t.rejects(
      client.serverSideApply(SECRETS, { metadata: NAME, data: { key: 'ZA==' } }, { fieldManager: 'other' }),
      { name: 'KubeError', status: 409, reason: 'Conflict' },
    )
  })

  t.test('a refused Secret is not quoted', async (t) => {
    const metadata = { namespace: 'team', name: 'odd' }
    for (const body of [
      { metadata, data: { key: 'hunter2!' } },
      { metadata, stringData: { key: ['hunter2!'] } },
    ]) {
      // Caught at once: the second may be refused before the first.
      const refusals = [client.create(SECRETS, body), client.serverSideApply(SECRETS, body, { force: true })].map(
        (refusal) => refusal.catch((reason: unknown) => reason),
      )
      for (const error of await Promise.all(refusals)) {
        t.match(error, { name: 'KubeError', message: /refused a Secret/ })
        t.notMatch(inspect(error, { depth: 9 }), 'hunter2')
      }
    }
  })

  t.test('a list of several pages holds each object once, with its kind', async (t) => {
    const names = Array.from({ length: 501 }, (_, index) => `item-${index}`)
    await Promise.all(
      names.map((name) =>
        client.create(CONFIG_MAPS, { metadata: { namespace: 'team', name, labels: { part: 'pages' } } }),
      ),
    )
    const { items, resourceVersion } = await client.list(CONFIG_MAPS, {
      namespace: 'team',
      labelSelector: 'part=pages',
    })
    t.equal(new Set(items.map(({ metadata }) => metadata.name)).size, 501)
    t.ok(items.every((item) => item.kind === 'ConfigMap' && item.apiVersion === 'v1'))
    t.match(resourceVersion, /^\d+$/)
  })

  t.test("a watch from before the server's memory is told to list again", async (t) => {
    await t.rejects(Array.fromAsync(client.watch(VIRTUAL_KEYS, { resourceVersion: '1', timeoutSeconds: 5 })), {
      name: 'KubeError',
      status: 410,
      reason: 'Expired',
    })
  })

  t.test("a service account's token and authority are enough, and it may do what its roles allow", async (t) => {
    await plane.kubectl('-n', 'team', 'create', 'serviceaccount', 'robot')
    const token = await plane.kubectl('-n', 'team', 'create', 'token', 'robot')
    const serviceAccountFolder = t.testdir({ 'ca.crt': plane.ca, namespace: 'team', token })
    const { hostname, port } = new URL(plane.url)
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
    const connection = await findConnection({ env, home: '/', timing: SYSTEM_TIMING, serviceAccountFolder })
    const http = new KubeHttp(connection, { timing: SYSTEM_TIMING, userAgent: 'robot' })
    t.teardown(() => http.close())
    const robot = createKubeClient(http, { timing: SYSTEM_TIMING, fieldManager: 'robot' })
    await t.rejects(robot.list(SECRETS), {
      name: 'KubeError',
      status: 403,
      reason: 'Forbidden',
      message: /cannot list resource "secrets"/,
    })
    const review = await client.review(TOKEN_REVIEWS, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token },
    })
    t.match(review, { status: { authenticated: true, user: { username: 'system:serviceaccount:team:robot' } } })
  })

  t.test('a server of another authority is not talked to', async (t) => {
    const http = new KubeHttp({ ...plane.connection, tls: {} }, { timing: SYSTEM_TIMING, userAgent: 'x' })
    t.teardown(() => http.close())
    await t.rejects(http.json({ method: 'GET', path: '/version' }), { name: 'KubeError', reason: 'ConnectionFailed' })
  })

  t.test('a server is who tls-server-name says, a name or an address', async (t) => {
    for (const [serverName, is] of [
      ['kubernetes.default.svc', true],
      ['127.0.0.1', true],
      ['other.test', false],
      ['192.0.2.1', false],
    ] as const) {
      const tls = { ...plane.connection.tls, serverName }
      const http = new KubeHttp({ ...plane.connection, tls }, { timing: SYSTEM_TIMING, userAgent: 'x' })
      t.teardown(() => http.close())
      const asked = http.json({ method: 'GET', path: '/version' })
      if (is) t.match(await asked, { major: '1' }, serverName)
      else await t.rejects(asked, { name: 'KubeError', reason: 'ConnectionFailed' }, serverName)
    }
  })

  t.test('events are taken by the server and counted', async (t) => {
    const timing = new ManualTiming()
    const log = recordedLog()
    const recorder = new EventRecorder({ client, timing, log, controller: 'tollgate.dev/operator', instance: 'test' })
    const organization = {
      apiVersion: 'tollgate.dev/v1alpha1',
      kind: 'Organization',
      metadata: { name: 'acme' },
      spec: {},
    }
    for (const object of [await client.get(SECRETS, NAME), await client.create(ORGANIZATIONS, organization)]) {
      const event = { type: 'Warning', reason: 'WeakKey', action: 'Check', note: `${object.kind} is weak` } as const
      recorder.record(object, event)
      await recorder.flush()
      await timing.advance(61_000)
      recorder.record(object, event)
      await recorder.flush()
      const shown = await plane.kubectl('get', 'events.events.k8s.io', '-A', '-o', 'json')
      const found = asArray(asObject(JSON.parse(shown))?.['items'])
        .map(asObject)
        .find((item) => item?.['note'] === event.note)
      t.match(found, { series: { count: 2 }, type: 'Warning', regarding: { name: object.metadata.name } })
    }
    t.strictSame(log.entries, [])
    t.equal(recorder.stats.dropped, 0)
  })

  t.test('a reflector outlives a killed and a frozen API server and a frozen etcd', async (t) => {
    const log = recordedLog()
    const reflector = new Reflector({
      client,
      resource: SECRETS,
      namespace: 'team',
      timing: SYSTEM_TIMING,
      log,
      inactivityMs: 3_000,
    })
    t.teardown(() => reflector.stop())
    const seen = new Map<string, number>()
    reflector.onChange(({ key }) => seen.set(key, (seen.get(key) ?? 0) + 1))
    reflector.start()
    await reflector.synced
    const put = (name: string) => client.create(SECRETS, { metadata: { namespace: 'team', name } })

    await put('before')
    await until(() => seen.has('team/before'))
    await plane.kill('kube-apiserver')
    await until(() => reflector.stats.failures > 0)
    await plane.start('kube-apiserver')
    await put('after-kill')
    await until(() => seen.has('team/after-kill'), 60_000)

    const watches = reflector.stats.watches
    await plane.kill('kube-apiserver', 'STOP')
    await until(() => reflector.stats.watches > watches)
    await plane.kill('kube-apiserver', 'CONT')
    await put('after-freeze')
    await until(() => seen.has('team/after-freeze'), 60_000)

    await plane.kill('etcd', 'STOP')
    await t.rejects(client.create(SECRETS, { metadata: { namespace: 'team', name: 'lost' } }, { timeoutMs: 1_000 }), {
      name: 'KubeError',
      reason: 'ClientTimeout',
    })
    await plane.kill('etcd', 'CONT')
    await client.delete(SECRETS, { namespace: 'team', name: 'before' })
    await until(() => reflector.store.get('team/before') === undefined, 60_000)
    t.strictSame(
      log.entries.filter(({ level }) => level === 'error'),
      [],
    )
  })
})
