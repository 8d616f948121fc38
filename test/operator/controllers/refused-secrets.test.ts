/** Secrets of generated keys that a real API server does not let the operator write, and what people see of it. */
import t from 'tap'
import { asArray, asObject, asString } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import { SECRETS, VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { digestsOf, entry, secretOf, startWorld, virtualKey, visible } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

/** Refuses the Secrets of one namespace, and says in its message what they hold. */
const TALKATIVE_POLICY = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'talkative' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'judged' } },
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['secrets'] },
      ],
    },
    validations: [
      {
        expression: "has(object.metadata.labels) && 'cost-centre' in object.metadata.labels",
        message: 'Secrets need the label cost-centre',
      },
      {
        expression: "object.metadata.name != 'quoted-virtual-key'",
        messageExpression: "'it holds ' + string(object.data.key)",
      },
    ],
  },
}
const BINDING = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'talkative' },
  spec: { policyName: 'talkative', validationActions: ['Deny'] },
}
/** Nobody answers there. */
const DEAD_WEBHOOK = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'dead' },
  webhooks: [
    {
      name: 'dead.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      timeoutSeconds: 1,
      clientConfig: { url: 'https://127.0.0.1:1/' },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'waiting' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
    },
  ],
}
const LABELLED = { key: { source: 'Generated', generated: { secretLabels: { 'cost-centre': '7' } } } }

t.test('a Secret that the API server refuses', async (t) => {
  const world = await startWorld(t, ['full', 'judged', 'fixed', 'waiting'])
  if (world === undefined) return
  const { plane } = world
  await world.apply(TALKATIVE_POLICY, BINDING, DEAD_WEBHOOK)
  await until(async () => {
    const probe = (namespace: string) =>
      plane.tryKubectl(['create', 'secret', 'generic', 'probe', '-n', namespace, '--dry-run=server'])
    return (await probe('judged')).code !== 0 && (await probe('waiting')).code !== 0
  }, 60_000)
  const operator = await world.startOperator()
  const keyReady = async (namespace: string, name: string): Promise<JsonObject> => {
    const status = asObject((await world.read(VIRTUAL_KEYS, namespace, name))?.['status'])
    const conditions = asArray(status?.['conditions']).map(asObject)
    return conditions.find((one) => one?.['type'] === 'KeyReady') ?? {}
  }
  const warnings = async (namespace: string): Promise<readonly JsonObject[]> => {
    const listed: unknown = JSON.parse(await plane.kubectl('get', 'events', '-n', namespace, '-o', 'json'))
    const events = asArray(asObject(Object(listed))?.['items']).map((one) => asObject(one) ?? {})
    return events.filter(({ type }) => type === 'Warning')
  }

  t.test('by a quota: said in condition and event, tried again, and ready when there is room', async (t) => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'full', name: 'few' },
      spec: { hard: { 'count/secrets': '1' } },
    }
    await world.apply(quota)
    const fill = (used: string) =>
      // What the quota controller does in a whole cluster.
      plane.kubectl(
        'patch',
        'resourcequota',
        'few',
        '-n',
        'full',
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify({ status: { hard: { 'count/secrets': '1' }, used: { 'count/secrets': used } } }),
      )
    await fill('1')
    await world.apply(virtualKey('full', 'app'), virtualKey('fixed', 'other'))
    await world.reaches('full/app', 'Ready', 'False SecretWriteFailed')
    t.match(
      (await keyReady('full', 'app'))['message'],
      /^Secret app-virtual-key cannot be written: .*exceeded quota: few/,
    )
    await world.reaches('fixed/other', 'Ready', 'True Ready')
    await until(async () => (await warnings('full')).length > 0)
    t.match(await warnings('full'), [{ reason: 'SecretWriteFailed', message: /exceeded quota/ }])
    await until(async () => ((await operator.metric('tollgate_reconcile_errors_total{work="virtual key"}')) ?? 0) >= 2)
    t.equal((await warnings('full')).length, 1, 'further attempts are no further events')
    await fill('0')
    await world.reaches('full/app', 'Ready', 'True Ready', 90_000)
    t.match(await keyReady('full', 'app'), { status: 'True', message: '' })
    t.equal(digestsOf(await world.published('full/app')).length, 1)
  })

  t.test('by a policy: its message is shown, and a change of the VirtualKey is tried at once', async (t) => {
    await world.apply(virtualKey('judged', 'app'))
    await world.reaches('judged/app', 'KeyReady', 'False SecretWriteFailed')
    t.match((await keyReady('judged', 'app'))['message'], /Secrets need the label cost-centre/)
    await world.apply(virtualKey('judged', 'app', LABELLED))
    await world.reaches('judged/app', 'Ready', 'True Ready')
  })

  t.test('a message that quotes the key is withheld', async (t) => {
    await world.apply(virtualKey('judged', 'quoted', LABELLED))
    await world.reaches('judged/quoted', 'KeyReady', 'False SecretWriteFailed')
    const { message } = await keyReady('judged', 'quoted')
    t.match(message, /^Secret quoted-virtual-key cannot be written: the API server refused a Secret \(422 Invalid\)$/)
    await until(async () => (await warnings('judged')).length >= 2)
    const all = await visible(world, operator)
    t.match(all, /judged\/quoted/)
    t.notOk(all.includes(Buffer.from('tollgate_').toString('base64')), 'no key in base64 anywhere')
  })

  t.test('by a webhook that does not answer: said when it lasts', async (t) => {
    await world.apply(virtualKey('waiting', 'app'))
    await world.reaches('waiting/app', 'KeyReady', 'False SecretWriteFailed')
    t.match((await keyReady('waiting', 'app'))['message'], /failed calling webhook "dead.example.com"/)
    await plane.kubectl('delete', 'validatingwebhookconfiguration', 'dead')
    await world.reaches('waiting/app', 'Ready', 'True Ready', 90_000)
  })

  t.test('an immutable one: the key in it stays valid, until somebody deletes it', async (t) => {
    await world.apply(virtualKey('fixed', 'app'))
    await world.reaches('fixed/app', 'Ready', 'True Ready')
    const first = entry(await secretOf(world, 'fixed', 'app-virtual-key'), 'key')
    const digests = digestsOf(await world.published('fixed/app'))
    await plane.kubectl('patch', 'secret', 'app-virtual-key', '-n', 'fixed', '--type=merge', '-p', '{"immutable":true}')
    await world.apply(virtualKey('fixed', 'app', {}, { 'tollgate.dev/rotate': 'please' }))
    await world.reaches('fixed/app', 'KeyReady', 'False SecretWriteFailed')
    t.match((await keyReady('fixed', 'app'))['message'], /immutable.* \(the key that is in it stays valid\)$/)
    t.strictSame(digestsOf(await world.published('fixed/app')), digests, 'still published')
    await plane.client.delete(SECRETS, { namespace: 'fixed', name: 'app-virtual-key' })
    await world.reaches('fixed/app', 'Ready', 'True Ready')
    t.not(entry(await secretOf(world, 'fixed', 'app-virtual-key'), 'key'), first)
    t.equal(asString((await keyReady('fixed', 'app'))['message']), '')
  })
})
