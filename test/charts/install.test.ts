/** Helm itself on a real API server: install, upgrade, rollback, uninstall. Nothing runs; hooks are tried in test/operator/installation and test/e2e. */
import t from 'tap'
import type { Test } from 'tap'
import { asArray, asObject } from '../../src/domain/json.ts'
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  JOBS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  VIRTUAL_KEYS,
} from '../../src/operator/kube/resource.ts'
import { isAppliedAsManifest } from '../../src/operator/installation/hook-job.ts'
import { startControlPlane } from '../helpers/control-plane.ts'
import { at, CHART, helm, KUBE_VERSION, RELEASE_NAMESPACE } from '../helpers/helm.ts'

const CONFIGURATION = 'tollgate-sidecar-injector'
const BUNDLE = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64')

t.test('a release', async (t) => {
  const plane = await startControlPlane(t, { controllers: true })
  if (plane === undefined) return
  const run = async (t: Test, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await helm([...args, '--namespace', RELEASE_NAMESPACE], plane.kubeconfig)
    t.equal(code, 0, stderr)
    return stdout
  }
  const configuration = () => plane.client.get(MUTATING_WEBHOOK_CONFIGURATIONS, { name: CONFIGURATION })
  const webhook = async () => asObject(asArray((await configuration())['webhooks'])[0])
  const bundle = async () => at(await webhook(), 'clientConfig', 'caBundle')
  const logLevel = async () => {
    const operator = await plane.client.get(DEPLOYMENTS, { namespace: RELEASE_NAMESPACE, name: 'tollgate-operator' })
    return asArray(at(operator, 'spec', 'template', 'spec', 'containers', 0, 'args')).at(-1)
  }

  await t.test('installs from nothing, and says what comes next', async (t) => {
    const notes = await run(t, 'install', 'tollgate', CHART, '--create-namespace', '--no-hooks')
    t.match(notes, /kubectl label namespace MY-NAMESPACE tollgate.dev\/injection=enabled/)
    t.match(notes, /--clusterrole=tollgate-namespace --serviceaccount=tollgate-system:tollgate-operator/)
    t.match(notes, /The bundled Redis is for evaluation/)
    t.equal(await bundle(), undefined)
    t.match(await webhook(), { failurePolicy: 'Fail', reinvocationPolicy: 'IfNeeded', timeoutSeconds: 5 })
  })

  await t.test('an upgrade and a rollback leave the authority that the operator wrote', async (t) => {
    await plane.client.serverSideApply(
      MUTATING_WEBHOOK_CONFIGURATIONS,
      {
        metadata: { name: CONFIGURATION },
        webhooks: [
          {
            name: 'inject.tollgate.dev',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { caBundle: BUNDLE },
          },
        ],
      },
      { fieldManager: 'tollgate-webhook-certs', force: true },
    )
    t.equal(await bundle(), BUNDLE)
    await run(
      t,
      'upgrade',
      'tollgate',
      CHART,
      '--no-hooks',
      '--set',
      'operator.logLevel=debug,injection.timeoutSeconds=7',
    )
    t.equal(await logLevel(), '--log-level=debug')
    t.match(await webhook(), { timeoutSeconds: 7, clientConfig: { caBundle: BUNDLE } })
    await run(t, 'rollback', 'tollgate', '1', '--no-hooks')
    t.equal(await logLevel(), '--log-level=info')
    t.match(await webhook(), { timeoutSeconds: 5, clientConfig: { caBundle: BUNDLE } })
  })

  await t.test('an uninstall leaves CRDs and keys, and nothing else that is not in a namespace', async (t) => {
    await plane.client.create(VIRTUAL_KEYS, {
      metadata: { namespace: 'default', name: 'app' },
      spec: { organizationRef: { name: 'acme' } },
    })
    await run(t, 'uninstall', 'tollgate', '--no-hooks')
    const kinds =
      'clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings'
    t.notMatch(await plane.kubectl('get', kinds, '-o', 'name'), /tollgate/)
    const crds = (await plane.client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.map(({ metadata }) => metadata.name)
    t.strictSame(crds.toSorted(), ['organizations.tollgate.dev', 'providers.tollgate.dev', 'virtualkeys.tollgate.dev'])
    t.ok(await plane.client.get(VIRTUAL_KEYS, { namespace: 'default', name: 'app' }))
  })

  await t.test('the Job that an uninstall begins is known as such', async (t) => {
    await run(t, 'install', 'tollgate', CHART, '--no-hooks')
    const { code } = await helm(['uninstall', 'tollgate', '-n', RELEASE_NAMESPACE, '--timeout', '2s'], plane.kubeconfig)
    t.equal(code, 1, 'nothing runs here')
    const job = { namespace: RELEASE_NAMESPACE, name: 'tollgate-cleanup' }
    t.ok(await plane.client.get(JOBS, job))
    t.equal(await isAppliedAsManifest(plane.client, job), false)
    await run(t, 'uninstall', 'tollgate', '--no-hooks')
  })

  await t.test('can be installed again over what has stayed', async (t) => {
    await run(t, 'install', 'tollgate', CHART, '--no-hooks')
  })

  await t.test('another release is refused while this one is there, and takes the CRDs over afterwards', async (t) => {
    const second = (...flags: readonly string[]) =>
      helm(['install', 'second', CHART, '-n', 'other', '--create-namespace', '--no-hooks', ...flags], plane.kubeconfig)
    const refused = await second('--set', 'crds.install=false')
    t.equal(refused.code, 1)
    t.match(refused.stderr, /ClusterRole "tollgate-namespace" .*cannot be imported into the current release/)
    await run(t, 'uninstall', 'tollgate', '--no-hooks')
    t.match((await second()).stderr, /CustomResourceDefinition .*cannot be imported/)
    const { code, stderr } = await second('--take-ownership')
    t.equal(code, 0, stderr)
    t.ok(await plane.client.get(DEPLOYMENTS, { namespace: 'other', name: 'second-tollgate-operator' }))
  })
})

t.test('what helm template prints, and kubectl applies, differs from nothing the next time', async (t) => {
  const plane = await startControlPlane(t)
  if (plane === undefined) return
  const values = ['--set', 'networkPolicy.enabled=true,redis.bundled.persistence.enabled=false', '--no-hooks']
  const release = ['template', 'tollgate', CHART, '--namespace', RELEASE_NAMESPACE, ...KUBE_VERSION]
  const { stdout: printed } = await helm([...release, ...values])
  const apply = () => plane.tryKubectl(['apply', '-f', '-'], printed)
  await plane.kubectl('create', 'namespace', RELEASE_NAMESPACE)
  t.match(await apply(), { code: 0, stderr: '' })
  const lines = (await apply()).stdout.trim().split('\n')
  // Of a PodDisruptionBudget kubectl sends the selector, whatever is there.
  const differing = lines.filter((line) => !line.endsWith(' unchanged') && !line.startsWith('poddisruptionbudget'))
  t.strictSame(differing, [])
})
