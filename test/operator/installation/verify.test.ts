/** `helm test`, with the rights and arguments of the chart's hook: it says what does not work, and passes where all does. */
import t from 'tap'
import type { Test } from 'tap'
import { asObject } from '../../../src/domain/json.ts'
import { VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { chartHook } from '../../helpers/chart-hook.ts'
import { startInjectionWorld } from '../../helpers/injection.ts'
import { until } from '../../helpers/redis.ts'

t.test('verify', async (t) => {
  const world = await startInjectionWorld(t, ['apps'], ['unlabelled'])
  if (world === undefined) return
  const { plane } = world
  const values = { namespaces: ['apps'] }
  const hook = await chartHook(t, plane, 'verify', values)
  const soon = [...hook.args, '--timeout=1']
  const fails = async (t: Test, args: readonly string[], reason: RegExp) => {
    const { code, stderr } = await hook.run(args)
    t.equal(code, 1)
    t.match(stderr, reason)
  }

  await t.test('without a webhook configuration', async (t) => {
    await fails(t, soon, /there is no MutatingWebhookConfiguration tollgate-sidecar-injector/)
  })

  await world.register()
  await t.test('without an operator', async (t) => {
    await fails(t, soon, /has no caBundle: does an operator run/)
  })

  await world.startInjecting()
  await t.test('all works: nothing stays', async (t) => {
    const running = hook.run()
    await until(async () =>
      (await plane.client.list(VIRTUAL_KEYS)).items.some(
        ({ metadata }) => asObject(metadata['labels'])?.['tollgate.dev/trial'] === 'true',
      ),
    )
    const { code, stdout, stderr } = await running
    t.equal(code, 0, stdout + stderr)
    t.match(stdout, /key: apps\/tollgate-verify-[0-9a-f]{8} is ready/)
    t.match(stdout, /injection: a pod of apps would get its sidecar/)
    const left = (await plane.client.list(VIRTUAL_KEYS)).items.filter(
      ({ metadata }) => metadata['deletionTimestamp'] === undefined,
    )
    t.strictSame(left, [])
    t.equal((await plane.kubectl('get', 'pods', '-A', '-o', 'name')).trim(), '')
  })

  await t.test('a quota for which each container must name its resources', async (t) => {
    const limited = ['requests.cpu', 'requests.memory', 'limits.memory']
    const each = (amount: string) => Object.fromEntries(limited.map((name) => [name, amount]))
    const hard = limited.map((name) => `${name}=4Gi`).join(',')
    await plane.kubectl('create', 'quota', 'compute', '--namespace=apps', `--hard=${hard}`)
    // Here no controller does it.
    const status = JSON.stringify({ status: { hard: each('4Gi'), used: each('0') } })
    const patch = ['--namespace=apps', '--subresource=status', '--type=merge', `--patch=${status}`]
    await plane.kubectl('patch', 'quota', 'compute', ...patch)
    const { code, stdout, stderr } = await hook.run()
    t.equal(code, 0, stdout + stderr)
    await plane.kubectl('delete', 'quota', 'compute', '--namespace=apps')
  })

  await t.test('without a namespace it tries the rest', async (t) => {
    const { code, stdout } = await hook.run(hook.args.filter((one) => !one.startsWith('--namespace')))
    t.equal(code, 0)
    t.match(stdout, /not tried: keys and injection/)
  })

  await t.test('of several organizations the one that grants the namespace is found', async (t) => {
    const before = JSON.stringify({
      apiVersion: 'tollgate.dev/v1alpha1',
      kind: 'Organization',
      metadata: { name: 'aaa' },
      spec: { grants: [{ name: 'none', namespaceSelector: { matchLabels: { team: 'another' } } }] },
    })
    await plane.tryKubectl(['apply', '--filename', '-'], before)
    await plane.kubectl('wait', '--for=condition=Ready', 'organization/aaa', '--timeout=20s')
    const { code, stdout, stderr } = await hook.run()
    t.equal(code, 0, stdout + stderr)
    t.match(stdout, /key: apps\/tollgate-verify-[0-9a-f]{8}-1 is ready/)
    t.match(stdout, /injection: a pod of apps would get its sidecar/)
    await fails(
      t,
      [...soon, '--timeout=5', '--organization=aaa'],
      /not ready: NotGranted: no grant of organization aaa covers namespace apps/,
    )
    await plane.kubectl('delete', 'organization', 'aaa')
  })

  await t.test('an organization that is not there', async (t) => {
    await fails(t, [...soon, '--timeout=5', '--organization=nobody'], /not ready: OrganizationNotFound/)
  })

  await t.test('a webhook that does not answer', async (t) => {
    const broken = [{ op: 'replace', path: '/webhooks/0/clientConfig/url', value: 'https://localhost:1/inject' }]
    const patch = ['patch', 'mutatingwebhookconfiguration', 'tollgate-sidecar-injector', '--type=json']
    await plane.kubectl(...patch, '-p', JSON.stringify(broken))
    await fails(t, [...soon, '--timeout=3'], /a pod was refused: .*failed calling webhook/)
  })

  await t.test('a namespace whose label was forgotten', async (t) => {
    const other = await chartHook(t, plane, 'verify', { ...values, namespaces: ['unlabelled'] })
    const { code, stderr } = await other.run()
    t.equal(code, 1)
    t.match(stderr, /kubectl label namespace unlabelled tollgate.dev\/injection=enabled/)
  })
})
