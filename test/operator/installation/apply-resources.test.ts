/** What the chart applies after an install: with the rights and the file of its hook. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { asString } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import { NAMESPACES, ORGANIZATIONS, PROVIDERS } from '../../../src/operator/kube/resource.ts'
import { chartHook } from '../../helpers/chart-hook.ts'
import { startControlPlane } from '../../helpers/control-plane.ts'
import { at, find, RELEASE_NAMESPACE, template } from '../../helpers/helm.ts'

const VALUES: JsonObject = {
  'organization.create': true,
  'organization.name': 'acme',
  providers: [
    {
      name: 'openai',
      spec: {
        type: 'OpenAI',
        countries: ['us'],
        credentials: { type: 'Bearer', secretRef: { name: 'openai' } },
        models: [{ name: 'gpt', quality: 0.5, pricing: { input: '1', output: '1' } }],
      },
    },
  ],
}

t.test('apply', async (t) => {
  const plane = await startControlPlane(t)
  if (plane === undefined) return
  await plane.client.create(NAMESPACES, { metadata: { name: RELEASE_NAMESPACE } })
  const hook = await chartHook(t, plane, 'apply', VALUES)
  t.strictSame(hook.args, ['apply', '--file=/etc/tollgate/resources.yaml'])
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-apply-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'resources.yaml')
  const run = (text: string) => {
    writeFileSync(file, text)
    return hook.run(['apply', '--file', file])
  }
  const resources = async (values: JsonObject) =>
    asString(at(find(await template(values), 'ConfigMap', 'tollgate-apply'), 'data', 'resources.yaml')) ?? ''

  t.test('waits for kinds that are not served yet', async (t) => {
    const running = run(await resources(VALUES))
    await plane.applyCrds()
    const { code, stdout, stderr } = await running
    t.equal(code, 0, stderr)
    t.equal(stdout, 'Organization acme applied\nProvider openai applied\n')
    const organization = await plane.client.get(ORGANIZATIONS, { name: 'acme' })
    t.match(organization['spec'], {
      displayName: 'Default',
      grants: [{ name: 'all-namespaces', namespaceSelector: {} }],
    })
    t.match((await plane.client.get(PROVIDERS, { name: 'openai' }))['spec'], { type: 'OpenAI' })
  })

  t.test('an upgrade sets its own fields again and leaves what others set', async (t) => {
    const others = { spec: { displayName: 'Edited', budgets: [{ window: 'Month', limitUSD: '5' }] } }
    await plane.kubectl('patch', 'organization', 'acme', '--type=merge', '-p', JSON.stringify(others))
    t.equal((await run(await resources(VALUES))).code, 0)
    const { spec } = await plane.client.get(ORGANIZATIONS, { name: 'acme' })
    t.match(spec, { displayName: 'Default', budgets: [{ limitUSD: '5' }] })
  })

  t.test('other kinds, what the API server refuses and what is no YAML are told', async (t) => {
    const secret = await run('apiVersion: v1\nkind: Secret\nmetadata: {name: x}')
    t.equal(secret.code, 1)
    t.match(secret.stderr, /must be an Organization or a Provider of tollgate.dev\/v1alpha1/)
    const broken = await run(
      (await resources(VALUES)).replace('"Default"', 'Default').replace('displayName: Default', 'displayName: 7'),
    )
    t.equal(broken.code, 1)
    t.match(broken.stderr, /displayName/)
    t.match((await run('a: [')).stderr, /not YAML/)
  })
})
