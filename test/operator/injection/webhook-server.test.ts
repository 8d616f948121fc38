/** What reaches the webhook over the network, well formed or not: every answer is one that fails closed. */
import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { connect } from 'node:tls'
import fc from 'fast-check'
import t from 'tap'
import type { Test } from 'tap'
import { Agent, fetch } from 'undici'
import { Secret } from '../../../src/domain/secret.ts'
import { isJsonObject } from '../../../src/domain/json.ts'
import type { JsonObject, JsonValue } from '../../../src/domain/json.ts'
import { issueAuthority, issueServerCertificate } from '../../../src/operator/certificates/issue.ts'
import { BodyReader } from '../../../src/operator/injection/body-reader.ts'
import type { KeyLookup } from '../../../src/operator/injection/choose-key.ts'
import { createInjector } from '../../../src/operator/injection/injector.ts'
import { parseInjectionSettings } from '../../../src/operator/injection/settings.ts'
import { startWebhookServer } from '../../../src/operator/injection/webhook-server.ts'
import { recordedLog } from '../kube/recorded-log.ts'
import { DAY_MS } from '../../helpers/clock.ts'

const SETTINGS = parseInjectionSettings('{image: tollgate:1, operatorAddress: "operator:8443"}')
const KEY = {
  apiVersion: 'tollgate.dev/v1alpha1',
  kind: 'VirtualKey',
  metadata: { namespace: 'n', name: 'k' },
  spec: {},
}
const KNOWS: KeyLookup = { find: async () => KEY, list: async () => [KEY] }
const POD = { metadata: { name: 'p' }, spec: { containers: [{ name: 'app' }] } }

t.test('reviews that are not what they should be', async (t) => {
  const webhook = await start(t)
  const json = { 'content-type': 'application/json' }
  const cases: [string, number, RequestInitLike][] = [
    ['no review', 400, { headers: json, body: '{}' }],
    ['no JSON', 400, { headers: json, body: '{"a":' }],
    [
      'another version',
      400,
      { headers: json, body: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}' },
    ],
    [
      'no uid',
      400,
      { headers: json, body: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}}' },
    ],
    ['text', 415, { headers: { 'content-type': 'text/plain' }, body: review(POD) }],
    ['JSON of another kind', 415, { headers: { 'content-type': 'application/json-patch+json' }, body: review(POD) }],
    ['GET', 405, { method: 'GET' }],
    ['too large', 413, { headers: json, body: review({ metadata: { a: 'x'.repeat(3 << 20) } }) }],
  ]
  for (const [name, status, request] of cases) t.equal((await webhook.post(request)).status, status, name)
  t.equal((await webhook.post({ headers: json, body: '' }, '/other')).status, 404)
  const good = await webhook.post({ headers: { 'content-type': 'application/json; charset=utf-8' }, body: review(POD) })
  t.match(await good.json(), { response: { uid: 'u', allowed: true, patchType: 'JSONPatch' } })
})

t.test('a small pod that would be answered with a large patch is refused before anything is made of it', async (t) => {
  const webhook = await start(t)
  const headers = { 'content-type': 'application/json' }
  const podOf = (containers: number) => review({ spec: { containers: Array.from({ length: containers }, () => ({})) } })
  const many = await webhook.post({ headers, body: podOf(501) })
  t.match(await many.json(), { response: { allowed: false, status: { code: 422, message: /501 containers; 500 is/ } } })
  const most = await webhook.post({ headers, body: podOf(500) })
  t.match(await most.json(), { response: { allowed: true } })
  const values = await webhook.post({ headers, body: podOf(200_001) })
  t.equal(values.status, 400)
  t.match(await values.text(), /too many values/)
})

t.test('a body without an announced length is bounded as well', async (t) => {
  const webhook = await start(t)
  const chunk = new TextEncoder().encode('x'.repeat(1 << 20))
  async function* endless() {
    for (let sent = 0; sent < 64; sent++) yield chunk
  }
  const answer = await webhook
    .post({ headers: { 'content-type': 'application/json' }, body: endless(), duplex: 'half' })
    .catch((error: unknown) => error)
  // Either the refusal is read, or the connection ends while the rest is being sent.
  if (answer instanceof Error) t.match(answer.message, /fetch failed/)
  else t.match(answer, { status: 413 })
})

t.test('a connection that asks nothing is ended, one that has asked stays', async (t) => {
  const webhook = await start(t)
  const open = () => connect({ port: webhook.port, host: '127.0.0.1', rejectUnauthorized: false })
  const asking = open()
  const body = review(POD)
  const head = `POST /inject HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  asking.write(`${head}\r\n\r\n${body}`)
  t.match(String(await new Promise((resolve) => asking.once('data', resolve))), /^HTTP\/1.1 200/)
  const silent = open()
  await new Promise((resolve) => silent.on('error', () => undefined).once('close', resolve))
  t.notOk(asking.closed, 'as the API server keeps it for its next review')
  asking.destroy()
})

t.test('many large bodies at once are bounded together', async (t) => {
  const reader = new BodyReader(1_000)
  const send = (text: string) => Object.assign(Readable.from([Buffer.from(text)]), { headers: {} }) as IncomingMessage
  const held = new PassThrough()
  held.write('x'.repeat(900))
  const slow = reader.read(Object.assign(held, { headers: {} }) as unknown as IncomingMessage)
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(await reader.read(send('y'.repeat(200))), { type: 'busy' })
  held.end()
  t.match(await slow, { type: 'body', text: 'x'.repeat(900) })
  t.match(await reader.read(send('y'.repeat(200))), { type: 'body' }, 'what was held is free again')
})

t.test('whatever the pod is: its sidecar, or a refusal, or an exemption; never an error of the webhook', async (t) => {
  const inject = injector(KNOWS)
  const exempt = (pod: JsonObject) =>
    (isJsonObject(pod['spec']) && pod['spec']['hostNetwork'] === true) ||
    JSON.stringify(pod['metadata'] ?? '').includes('inject')
  const part = fc.oneof(
    fc.jsonValue(),
    fc.constant([{ name: 'tollgate' }]),
    fc.constant([null, 1, { name: 'app', env: [1] }]),
  )
  const pod = fc.dictionary(
    fc.constantFrom('metadata', 'spec'),
    fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('containers', 'initContainers', 'volumes', 'annotations', 'labels'), part),
    ),
  )
  await fc.assert(
    fc.asyncProperty(pod, async (random) => {
      const object: JsonObject = JSON.parse(JSON.stringify(random))
      const decision = await inject(request(object))
      if (decision.type === 'denied') return decision.code === 422
      return exempt(object) || decision.operations.some((one) => JSON.stringify(one).includes('"name":"tollgate"'))
    }),
    { numRuns: 500 },
  )
  t.pass()
})

t.test('where VirtualKeys cannot be read the pod is refused and may come again', async (t) => {
  const log = recordedLog()
  const inject = injector(
    { find: () => Promise.reject(new Error('gone')), list: () => Promise.reject(new Error('gone')) },
    log,
  )
  const decision = await inject(request(POD))
  t.match(decision, { type: 'denied', code: 500, message: /cannot be injected now/ })
  t.match(log.entries, [{ message: 'pod not injected' }])
})

t.test('other resources and operations are refused', async (t) => {
  const inject = injector(KNOWS)
  t.match(await inject({ ...request(POD), resource: 'apps/v1/deployments' }), { type: 'denied', code: 400 })
  t.match(await inject({ ...request(POD), operation: 'UPDATE' }), { type: 'denied', code: 400 })
  t.match(await inject({ ...request(POD), subResource: 'status' }), { type: 'denied', code: 400 })
})

t.test('a new certificate serves new connections, and those that are open go on', async (t) => {
  const webhook = await start(t)
  const open = connect({ port: webhook.port, host: '127.0.0.1', rejectUnauthorized: false })
  await new Promise((resolve) => open.once('secureConnect', resolve))
  const before = open.getPeerCertificate().fingerprint256
  webhook.exchange()
  const fresh = connect({ port: webhook.port, host: '127.0.0.1', rejectUnauthorized: false })
  await new Promise((resolve) => fresh.once('secureConnect', resolve))
  t.not(fresh.getPeerCertificate().fingerprint256, before)
  const body = review(POD)
  open.write(
    `POST /inject HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const answer = await new Promise<Buffer>((resolve) => open.once('data', resolve))
  t.match(answer.toString(), /^HTTP\/1.1 200/)
  open.destroy()
  fresh.destroy()
})

type RequestInitLike = NonNullable<Parameters<typeof fetch>[1]>

async function start(t: Test) {
  const now = Date.now()
  const validity = { now, lifetimeMs: DAY_MS }
  const authority = await issueAuthority(validity)
  const [first, second] = await Promise.all(
    ['localhost', 'localhost'].map((name) => issueServerCertificate(authority, [name], validity)),
  )
  if (first === undefined || second === undefined) throw new Error('not issued')
  const server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    ...first,
    inject: injector(KNOWS),
    log: recordedLog(),
  })
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  t.teardown(async () => {
    await dispatcher.destroy()
    await server.close()
  })
  return {
    port: server.port,
    post: (init: RequestInitLike, path = '/inject') =>
      fetch(`https://127.0.0.1:${server.port}${path}`, { method: 'POST', ...init, dispatcher }),
    exchange() {
      server.setCertificate(second.certificate, new Secret(second.privateKey.reveal()))
    },
  }
}

function injector(keys: KeyLookup, log = recordedLog()) {
  return createInjector({
    settings: SETTINGS,
    trust: () => 'CA',
    keys,
    rules: { isAllowedImage: (image) => image === 'tollgate:1' },
    mayUseImage: () => false,
    now: () => 0,
    log,
  })
}

function request(object: JsonObject) {
  return { uid: 'u', resource: '/v1/pods', subResource: '', operation: 'CREATE', namespace: 'n', object }
}

function review(object: JsonValue): string {
  const resource = { group: '', version: 'v1', resource: 'pods' }
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', resource, operation: 'CREATE', namespace: 'n', object },
  })
}
