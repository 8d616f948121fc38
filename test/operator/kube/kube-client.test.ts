import t from 'tap'
import type { Test } from 'tap'
import { Secret } from '../../../src/domain/secret.ts'
import type { KubeConnection } from '../../../src/operator/kube/connection.ts'
import { createKubeClient } from '../../../src/operator/kube/kube-client.ts'
import { KubeHttp } from '../../../src/operator/kube/kube-http.ts'
import { EVENTS, NAMESPACES, SECRETS, TOKEN_REVIEWS, VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import { until } from '../../helpers/redis.ts'
import { fasterTiming } from './manual-timing.ts'
import type { SeenRequest } from './misbehaving-server.ts'
import { MisbehavingServer, status } from './misbehaving-server.ts'

const NOTHING: Omit<SeenRequest, 'kind'> = { method: '', url: new URL('http://none'), headers: {}, body: '' }
const NAME = { namespace: 'n', name: 'a' }
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { ...NAME, resourceVersion: '1' } }

async function fixture(
  t: Test,
  options: {
    timing?: typeof SYSTEM_TIMING
    requestsPerSecond?: number
    burst?: number
    path?: string
  } & Partial<KubeConnection> = {},
) {
  const { timing = SYSTEM_TIMING, requestsPerSecond = 1_000, burst = 1_000, path = '', ...connection } = options
  const server = new MisbehavingServer()
  const url = await server.listen()
  server.answer = () => ({ code: 200, body: SECRET })
  const http = new KubeHttp(
    { server: `${url}${path}`, tls: {}, namespace: 'n', ...connection },
    { timing, userAgent: 'tollgate/test' },
  )
  t.teardown(async () => {
    await http.close()
    await server.close()
  })
  const client = createKubeClient(http, { timing, fieldManager: 'tollgate', requestsPerSecond, burst })
  const last = () => {
    const { method, url: asked, headers, body } = server.requests.at(-1) ?? NOTHING
    return {
      method,
      path: asked.pathname,
      query: Object.fromEntries(asked.searchParams),
      type: headers['content-type'],
      body,
    }
  }
  return { server, client, http, last }
}

t.test('each verb asks for what the API server understands', async (t) => {
  const { client, last, server } = await fixture(t)
  await client.get(SECRETS, NAME)
  t.match(last(), { method: 'GET', path: '/api/v1/namespaces/n/secrets/a' })
  await client.create(SECRETS, SECRET, { dryRun: true })
  t.match(last(), {
    method: 'POST',
    path: '/api/v1/namespaces/n/secrets',
    query: { fieldManager: 'tollgate', dryRun: 'All' },
    type: 'application/json',
  })
  await client.replace(SECRETS, SECRET, { fieldManager: 'other' })
  t.match(last(), { method: 'PUT', path: '/api/v1/namespaces/n/secrets/a', query: { fieldManager: 'other' } })
  await client.serverSideApply(VIRTUAL_KEYS, { metadata: NAME, status: {} }, { force: true, subresource: 'status' })
  t.match(last(), {
    method: 'PATCH',
    path: '/apis/tollgate.dev/v1alpha1/namespaces/n/virtualkeys/a/status',
    query: { fieldManager: 'tollgate', force: 'true' },
    type: 'application/apply-patch+yaml',
    body: '{"metadata":{"namespace":"n","name":"a"},"status":{},"apiVersion":"tollgate.dev/v1alpha1","kind":"VirtualKey"}',
  })
  await client.jsonPatch(VIRTUAL_KEYS, NAME, [{ op: 'test', path: '/a', value: 1 }])
  t.match(last(), {
    method: 'PATCH',
    type: 'application/json-patch+json',
    body: '[{"op":"test","path":"/a","value":1}]',
  })
  await client.delete(SECRETS, NAME, { uid: 'u' })
  t.match(last(), {
    method: 'DELETE',
    body: '{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"},"propagationPolicy":"Background"}',
  })
  await client.createEvent({ metadata: NAME })
  t.match(last(), { method: 'POST', path: '/apis/events.k8s.io/v1/namespaces/n/events' })
  await client.review(TOKEN_REVIEWS, { spec: { token: 'x' } })
  t.match(last(), { method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews' })
  await client.raw('/version')
  t.match(last(), { path: '/version' })
  t.equal(server.requests[0]?.headers['user-agent'], 'tollgate/test')
})

t.test('a name cannot lead to another path, and a wrong scope is a mistake', async (t) => {
  const { client, last } = await fixture(t)
  await client.get(SECRETS, { namespace: '../x', name: 'a/b?c' })
  t.equal(last().path, '/api/v1/namespaces/..%2Fx/secrets/a%2Fb%3Fc')
  await t.rejects(client.get(SECRETS, { name: 'a' }), /secrets need a namespace/)
  await t.rejects(client.get(NAMESPACES, NAME), /namespaces have no namespace/)
  t.throws(() => client.serverSideApply(SECRETS, {}), /needs metadata.name/)
  t.equal(EVENTS.group, 'events.k8s.io')
})

t.test('a server behind a path is asked there', async (t) => {
  const { client, last } = await fixture(t, { path: '/k8s/cluster' })
  await client.get(SECRETS, NAME)
  t.equal(last().path, '/k8s/cluster/api/v1/namespaces/n/secrets/a')
})

t.test("the server's refusals arrive with status, reason and wait", async (t) => {
  const { client, server } = await fixture(t)
  server.faults.other.push({ type: 'status', code: 429, retryAfter: 3 }, { type: 'status', code: 404 })
  await t.rejects(client.get(SECRETS, NAME), { name: 'KubeError', status: 429, reason: 'Fault', retryAfterMs: 3_000 })
  await t.rejects(client.get(SECRETS, NAME), { name: 'KubeError', status: 404, isNotFound: true })
})

t.test('a connection that breaks, an answer that is none, a server that is gone: each has its reason', async (t) => {
  const { client, server } = await fixture(t)
  server.faults.other.push({ type: 'reset' }, { type: 'malformed' })
  await t.rejects(client.get(SECRETS, NAME), { name: 'KubeError', status: 0, reason: 'ConnectionFailed' })
  await t.rejects(client.get(SECRETS, NAME), { name: 'KubeError', status: 0, reason: 'MalformedResponse' })
  server.answer = () => ({ code: 200, body: { kind: 'Secret' } })
  await t.rejects(client.get(SECRETS, NAME), { name: 'KubeError', reason: 'MalformedResponse', message: /no Secret/ })
  server.answer = () => ({ code: 200, body: {} })
  await t.rejects(client.list(NAMESPACES), {
    name: 'KubeError',
    reason: 'MalformedResponse',
    message: /resourceVersion/,
  })
  server.answer = () => ({ code: 200, body: { metadata: { resourceVersion: '1', continue: 'x' }, items: [] } })
  await t.rejects(client.list(NAMESPACES), { message: /does not go on/ })
  const gone = new KubeHttp(
    { server: 'http://127.0.0.1:1', tls: {}, namespace: 'n' },
    { timing: SYSTEM_TIMING, userAgent: '' },
  )
  await t.rejects(gone.json({ method: 'GET', path: '/' }), { name: 'KubeError', status: 0, reason: 'ConnectionFailed' })
  await gone.close()
})

t.test('a server that does not answer is given up in time, or when the caller wants', async (t) => {
  const { client, server } = await fixture(t, { timing: fasterTiming(50) })
  server.faults.other.push({ type: 'hang' }, { type: 'hang' })
  await t.rejects(client.get(SECRETS, NAME, { timeoutMs: 1_000 }), {
    status: 0,
    reason: 'ClientTimeout',
    message: /within 1000 ms/,
  })
  const stop = new AbortController()
  // The first may have been given up before it came.
  const before = server.requests.length
  const call = client.get(SECRETS, NAME, { signal: stop.signal })
  await until(() => server.requests.length > before)
  stop.abort()
  await t.rejects(call, { name: 'KubeError', reason: 'Aborted' })
  await t.rejects(client.get(SECRETS, NAME, { signal: stop.signal }), { name: 'KubeError', reason: 'Aborted' })
})

t.test('a token that was renewed is read again after a 401, once', async (t) => {
  const tokens = ['old', 'new']
  let index = 0
  const token = { get: async () => new Secret(tokens[index] ?? 'none'), expire: () => void (index += 1) }
  const { client, server } = await fixture(t, { token })
  server.answer = ({ headers }) =>
    headers.authorization === 'Bearer new' ? { code: 200, body: SECRET } : { code: 401, body: status(401) }
  await client.get(SECRETS, NAME)
  t.strictSame(
    server.requests.map(({ headers }) => headers.authorization),
    ['Bearer old', 'Bearer new'],
  )
  index = 5
  await t.rejects(client.get(SECRETS, NAME), { name: 'KubeError', status: 401 })
  t.equal(server.requests.length, 4)
})

t.test('requests beyond the burst wait for their turn', async (t) => {
  const timing = fasterTiming(1)
  const { client, server } = await fixture(t, { timing, requestsPerSecond: 50, burst: 2 })
  const begun = timing.elapsed()
  await Promise.all(Array.from({ length: 7 }, () => client.get(SECRETS, NAME)))
  // Five had to wait for 20 ms each; a timer may fire one early.
  t.ok(timing.elapsed() - begun >= 95)
  t.equal(server.requests.length, 7)
})

t.test('a watch that nobody reads on is closed', async (t) => {
  const { client, server } = await fixture(t)
  server.put('a')
  for await (const event of client.watch(VIRTUAL_KEYS, { resourceVersion: '100' })) {
    t.equal(event.type, 'object-changed')
    break
  }
  await until(() => server.openWatches === 0)
})

t.test('however many watches are open, a call has its connection', async (t) => {
  const { client, server } = await fixture(t)
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  server.brokenWatches = { type: 'silent' }
  const watches = Array.from({ length: 100 }, async () => {
    const events = client.watch(VIRTUAL_KEYS, { resourceVersion: '100', signal: stopping.signal })
    await events.next().catch(() => undefined)
  })
  await until(() => server.requests.filter(({ kind }) => kind === 'watch').length === 100)
  t.match(await client.get(SECRETS, NAME), SECRET)
  stopping.abort()
  await Promise.all(watches)
})
