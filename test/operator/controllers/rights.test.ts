/** The operator with no more rights than docs/operator.md names: no Secrets of the cluster, those of a namespace when granted. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import { asArray, asObject, asString } from '../../../src/domain/json.ts'
import { VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { accountKubeconfig } from '../../helpers/account-kubeconfig.ts'
import { nameIn, ofKind, template } from '../../helpers/helm.ts'
import { CONFIGURATION, webhookConfiguration } from '../../helpers/injection.ts'
import { digestsOf, entry, secretOf, startOperator, startWorld, SYSTEM, virtualKey } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

const READ = ['get', 'list', 'watch']

t.test('with the least rights', async (t) => {
  const world = await startWorld(t, ['granted', 'closed'])
  if (world === undefined) return
  const { plane, redis } = world
  await plane.kubectl('create', 'serviceaccount', 'tollgate', '-n', SYSTEM)
  const role = (kind: string, name: string, rules: readonly JsonObject[], namespace?: string): JsonObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    rules: [...rules],
  })
  await world.apply(
    role('ClusterRole', 'tollgate-organizations', [rule('tollgate.dev', ['organizations'], READ)]),
    role('ClusterRole', 'tollgate', [
      rule('tollgate.dev', ['virtualkeys'], [...READ, 'patch']),
      rule('tollgate.dev', ['providers'], READ),
      rule('tollgate.dev', ['virtualkeys/status', 'providers/status', 'organizations/status'], ['patch']),
      rule('', ['namespaces', 'pods'], READ),
      rule('authentication.k8s.io', ['tokenreviews'], ['create']),
      {
        ...rule('admissionregistration.k8s.io', ['mutatingwebhookconfigurations'], [...READ, 'patch']),
        resourceNames: [CONFIGURATION],
      },
      rule('events.k8s.io', ['events'], ['create', 'patch']),
    ]),
    role('ClusterRole', 'tollgate-namespace', [rule('', ['secrets'], [...READ, 'create', 'update'])]),
    role(
      'Role',
      'tollgate',
      [
        rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update']),
        rule('', ['secrets'], [...READ, 'create', 'update']),
      ],
      SYSTEM,
    ),
  )
  const account = `--serviceaccount=${SYSTEM}:tollgate`
  await plane.kubectl('create', 'clusterrolebinding', 'tollgate', '--clusterrole=tollgate', account)
  await plane.kubectl('create', 'rolebinding', 'tollgate', '-n', SYSTEM, '--role=tollgate', account)
  const organizations = ['clusterrolebinding', 'tollgate-organizations']
  const toOrganizations = ['--clusterrole=tollgate-organizations', account]
  await plane.kubectl('create', ...organizations, ...toOrganizations)
  const grant = ['create', 'rolebinding', 'tollgate', '-n', 'granted', '--clusterrole=tollgate-namespace', account]
  await plane.kubectl(...grant)
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-rights-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const kubeconfig = await accountKubeconfig(t, plane, SYSTEM, 'tollgate')
  const injection = join(folder, 'injection.yaml')
  writeFileSync(injection, 'image: tollgate:1\noperatorAddress: operator:8443\n')
  await world.apply(webhookConfiguration('https://localhost:1/inject'))
  const listen = ['--listen-grpc', '127.0.0.1:0', '--listen-webhook', '127.0.0.1:0']
  const webhook = ['--injection', injection, '--webhook-configuration', CONFIGURATION]
  const flags = [...listen, ...webhook, '--certificate-lifetime', '6s']
  const operator = await startOperator(t, plane, redis, flags, kubeconfig)

  t.test('it keeps its certificates and the webhook', async (t) => {
    await until(async () => (await operator.ready()) === 'ok')
    const first = entry(await secretOf(world, SYSTEM, 'tollgate-tls'), 'tls.crt')
    await until(async () => ![first, ''].includes(entry(await secretOf(world, SYSTEM, 'tollgate-tls'), 'tls.crt')))
    t.notMatch(operator.output(), /"reason":"Forbidden"/)
  })

  t.test('a namespace that grants its Secrets is served', async (t) => {
    await world.apply(virtualKey('granted', 'app'))
    await world.reaches('granted/app', 'Ready', 'True Ready')
    t.ok(await secretOf(world, 'granted', 'app-virtual-key'))
    await until(async () => (await plane.kubectl('get', 'events', '-n', 'granted')).includes('KeyCreated'))
    await plane.client.delete(VIRTUAL_KEYS, { namespace: 'granted', name: 'app' })
    await until(async () => (await world.read(VIRTUAL_KEYS, 'granted', 'app')) === undefined)
    t.notMatch(operator.output(), /"reason":"Forbidden"/)
  })

  t.test('another one is told what to run, and is served when that has been done', async (t) => {
    await world.apply(virtualKey('closed', 'app'))
    await world.reaches('closed/app', 'Ready', 'False SecretAccessDenied')
    const status = asObject((await world.read(VIRTUAL_KEYS, 'closed', 'app'))?.['status'])
    const message = asArray(status?.['conditions'])
      .map((one) => asString(asObject(one)?.['message']) ?? '')
      .join('\n')
    const command = /kubectl (create rolebinding \S+ -n closed \S+ \S+)/.exec(message)?.[1]
    t.ok(command, message)
    const charts = ofKind(await template({ namespaces: ['closed'] }), 'RoleBinding').map(nameIn)
    t.ok(charts.includes('tollgate'), charts.join())
    const [, , name = ''] = command?.split(' ') ?? []
    t.notOk(charts.includes(name), 'the value `namespaces` can still be set afterwards')
    const notes = readFileSync(join(import.meta.dirname, '../../../charts/tollgate/templates/NOTES.txt'), 'utf8')
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/helm.md'), 'utf8')
    for (const text of [notes, docs]) t.ok(text.includes(`create rolebinding ${name} -n`))
    await plane.kubectl(...(command ?? '').split(' '))
    await world.reaches('closed/app', 'Ready', 'True Ready')
  })

  t.test('a right that is taken away while it runs shows in a metric, and ends nothing', async (t) => {
    const failing = (resource: string) => operator.metric(`tollgate_watch_failing{resource="${resource}"}`)
    t.equal(await failing('organizations'), 0)
    await plane.kubectl('delete', ...organizations)
    // What is being watched stays so; rights are looked at when it is asked for anew.
    await plane.kill('kube-apiserver')
    await plane.start('kube-apiserver')
    await until(async () => operator.output().includes('cannot watch resource \\"organizations'), 60_000)
    await until(async () => (await failing('providers')) === 0, 60_000)
    t.equal(await failing('organizations'), 1)
    t.ok(await world.published('closed/app'))
    await plane.kubectl('create', ...organizations, ...toOrganizations)
    await until(async () => (await failing('organizations')) === 0, 60_000)
  })

  t.test(
    'what is in force stays so where the Secrets cannot be read any more, and follows its VirtualKey',
    async (t) => {
      const before = digestsOf(await world.published('closed/app'))
      t.equal(before.length, 1)
      await operator.end('SIGTERM')
      await plane.kubectl('delete', 'rolebinding', '-n', 'closed', '--all')
      await startOperator(t, plane, redis, [], kubeconfig)
      await world.reaches('closed/app', 'Ready', 'False SecretAccessDenied')
      t.strictSame(digestsOf(await world.published('closed/app')), before)
      await world.apply(virtualKey('closed', 'app', { suspended: true }))
      await until(async () => (await world.published('closed/app'))?.['suspended'] === true)
      t.strictSame(digestsOf(await world.published('closed/app')), before)
      await plane.client.delete(VIRTUAL_KEYS, { namespace: 'closed', name: 'app' })
      await until(async () => (await world.published('closed/app')) === undefined)
    },
  )
})

function rule(group: string, resources: readonly string[], verbs: readonly string[]): JsonObject {
  return { apiGroups: [group], resources: [...resources], verbs: [...verbs] }
}
