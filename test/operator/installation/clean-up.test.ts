/** Before an uninstall, with the rights and arguments of the chart's hook: nothing is left that would hang. */
import t from 'tap'
import { asArray, asObject } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import {
  DEPLOYMENTS,
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  SECRETS,
  VIRTUAL_KEYS,
} from '../../../src/operator/kube/resource.ts'
import { chartHook } from '../../helpers/chart-hook.ts'
import { find, template } from '../../helpers/helm.ts'
import { secret, secretOf, startWorld, SYSTEM, virtualKey } from '../../helpers/operator.ts'
import type { OperatorWorld, RunningOperator } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

const CONFIGURATION = 'tollgate-sidecar-injector'
/** What `helm test` has left. */
const VERIFY_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'tollgate-verify' },
  spec: { containers: [{ name: 'verify', image: 'x' }], restartPolicy: 'Never' },
}
const OPERATOR = { namespace: SYSTEM, name: 'tollgate-operator' }

t.test('cleanup', async (t) => {
  const world = await startWorld(t, ['one', 'two'])
  if (world === undefined) return
  const { plane, redis } = world
  await installed(world)
  const operator = await world.startOperator('--lease-name', OPERATOR.name)
  await world.apply(virtualKey('one', 'a'), virtualKey('one', 'b'), virtualKey('two', 'c'))
  for (const key of ['one/a', 'one/b', 'two/c']) await world.reaches(key, 'Ready', 'True Ready')
  await until(async () => (await redis.cli('ACL', 'USERS')).includes('tollgate-one'))
  await world.apply(secret('one', 'foreign', { key: 'x' }))

  // `helm test` makes its rights anew each time, and takes them away when it is not interrupted.
  await chartHook(t, plane, 'verify', { namespaces: ['one'] })
  const hook = await chartHook(t, plane, 'cleanup', { namespaces: ['one'] })
  const args = hook.args.map((one) => (one.startsWith('--redis=') ? `--redis=${redis.url}` : one))
  const withoutLogin = args.filter((one) => !one.startsWith('--redis-secret='))

  t.test('does nothing where its Job was applied as a manifest, which begins it at once', async (t) => {
    const job = JSON.stringify(find(await template({ namespaces: ['one'] }), 'Job', 'tollgate-cleanup'))
    for (const verb of [['apply'], ['apply', '--server-side'], ['create']]) {
      const written = await plane.tryKubectl([...verb, '-f', '-'], job)
      t.equal(written.code, 0, written.stderr)
      const { code, stdout, stderr } = await hook.run(withoutLogin)
      t.match(
        { code, stdout, stderr },
        { code: 1, stdout: '', stderr: /nothing was done: Job tollgate-cleanup .*--no-hooks/ },
      )
      await plane.kubectl('delete', 'job', 'tollgate-cleanup', '-n', SYSTEM)
    }
    t.ok(await world.read(MUTATING_WEBHOOK_CONFIGURATIONS, undefined, CONFIGURATION))
    t.match(await world.read(DEPLOYMENTS, OPERATOR.namespace, OPERATOR.name), { spec: { replicas: 2 } })
  })

  t.test('stops the operator, then releases and revokes everything', async (t) => {
    const [{ code, stdout, stderr }] = await Promise.all([hook.run(withoutLogin), endWhenScaledDown(world, operator)])
    t.equal(code, 0, stdout + stderr)
    t.match(stdout, /operator tollgate-operator: stopped\n/)
    t.match(stdout, /keys in Redis: revoked in 2 namespaces/)
    t.match(stdout, /3 VirtualKeys released, 3 in all/)
    t.equal(await world.read(MUTATING_WEBHOOK_CONFIGURATIONS, undefined, CONFIGURATION), undefined)
    const rights = 'clusterroles,clusterrolebindings,roles,rolebindings,serviceaccounts,pods'
    const left = (await plane.kubectl('get', rights, '-A', '-o', 'name')).split('\n')
    t.strictSame(
      left.filter((name) => name.endsWith('/tollgate-verify')),
      [],
      'nothing of `helm test`',
    )
    t.ok(left.includes('clusterrole.rbac.authorization.k8s.io/tollgate-cleanup'))
    t.equal(await world.read(LEASES, OPERATOR.namespace, OPERATOR.name), undefined)
    t.notMatch(await redis.cli('ACL', 'USERS'), /tollgate-/)
    t.strictSame(
      (await redis.cli('--scan', '--pattern', 'tg:cfg:*')).trim().split('\n').toSorted(),
      ['tg:cfg:epoch', 'tg:cfg:ns:one', 'tg:cfg:ns:two'],
      'what fences a late writer stays, and for an hour what says that no key is in force',
    )
    t.equal(await world.published('one/a'), undefined)
    t.ok(Number(await redis.cli('PTTL', 'tg:cfg:ns:one')) > 0)
    for (const { metadata } of (await plane.client.list(VIRTUAL_KEYS)).items)
      t.strictSame(asArray(metadata['finalizers']), [], metadata.name)
    await plane.client.delete(VIRTUAL_KEYS, { namespace: 'one', name: 'a' })
    t.equal(await world.read(VIRTUAL_KEYS, 'one', 'a'), undefined, 'a key goes at once')
    t.ok(await secretOf(world, SYSTEM, 'tollgate-master'), 'Secrets stay unless asked for')
  })

  t.test('finds nothing to do the second time', async (t) => {
    const { code, stdout } = await hook.run(withoutLogin)
    t.equal(code, 0, stdout)
    t.match(stdout, /webhook configuration tollgate-sidecar-injector: not there/)
    t.match(stdout, /0 VirtualKeys released, 2 in all/)
  })

  t.test('an unreachable Redis is told and keeps nothing from being done', async (t) => {
    const unreachable = withoutLogin.map((one) => (one.startsWith('--redis=') ? '--redis=redis://127.0.0.1:1' : one))
    const { code, stdout } = await hook.run(unreachable)
    t.equal(code, 0, stdout)
    t.match(stdout, /keys in Redis: failed: Redis cannot be reached/)
    t.match(stdout, /finalizers: 0/)
  })

  t.test('deletes the Secrets that the operator made, where asked, and no others', async (t) => {
    await plane.client.delete(SECRETS, { namespace: SYSTEM, name: 'tollgate-signing' })
    await world.apply(secret(SYSTEM, 'tollgate-signing', { key: 'brought by an administrator' }))
    const all = await chartHook(t, plane, 'cleanup', { 'hooks.cleanup.deleteSecrets': true })
    const { code, stdout, stderr } = await all.run(all.args.filter((one) => !one.startsWith('--redis')))
    t.equal(code, 0, stdout + stderr)
    t.equal(await secretOf(world, SYSTEM, 'tollgate-master'), undefined)
    t.ok(await secretOf(world, SYSTEM, 'tollgate-signing'))
    t.match(stdout, /secret tollgate-signing: not made by the operator, stays/)
  })

  t.test(
    'without the right to delete the webhook configuration the exit code says so, and the rest is done',
    async (t) => {
      await installed(world)
      await world.apply(virtualKey('two', 'late', {}, {}))
      const late = { namespace: 'two', name: 'late' }
      await plane.client.jsonPatch(VIRTUAL_KEYS, late, [
        { op: 'add', path: '/metadata/finalizers', value: ['tollgate.dev/redis-cleanup'] },
      ])
      await plane.kubectl('delete', 'clusterrole', 'tollgate-cleanup')
      await plane.kubectl(
        'create',
        'clusterrole',
        'tollgate-cleanup',
        '--verb=get,list,patch',
        '--resource=virtualkeys.tollgate.dev',
      )
      const { code, stdout } = await hook.run(withoutLogin.filter((one) => !one.startsWith('--redis')))
      t.equal(code, 1, stdout)
      t.match(stdout, /webhook configuration tollgate-sidecar-injector: failed: .*cannot delete/)
      t.match(stdout, /1 VirtualKeys released/)
    },
  )
})

/** What of the chart the cleanup touches. Nothing runs: the operator is a process of the test. */
async function installed(world: OperatorWorld): Promise<void> {
  const objects = await template()
  const wanted: readonly JsonObject[] = [
    find(objects, 'MutatingWebhookConfiguration', CONFIGURATION),
    find(objects, 'Deployment', OPERATOR.name),
    { ...VERIFY_POD, metadata: { ...VERIFY_POD.metadata, namespace: SYSTEM } },
  ]
  await world.apply(...wanted)
}

/** As the Deployment's controller and a kubelet do. */
async function endWhenScaledDown({ plane }: OperatorWorld, operator: RunningOperator): Promise<void> {
  await until(async () => asObject((await plane.client.get(DEPLOYMENTS, OPERATOR))['spec'])?.['replicas'] === 0)
  await operator.end('SIGTERM')
}
