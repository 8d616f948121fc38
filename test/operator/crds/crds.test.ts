/** Scenarios 1 and 2 of the operator's tests: what a real API server says about crds/ and about each manifest of the fixtures. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { loadManifests } from '../../../src/manifests/load.ts'
import { startControlPlane } from '../../helpers/control-plane.ts'
import type { ControlPlane } from '../../helpers/control-plane.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const FIXTURES = join(ROOT, 'test', 'fixtures', 'manifests')
/** Namespaces of the fixtures; the API server refuses objects of others before it looks at them. */
const NAMESPACES = ['support', 'checkout-prod']
/** Some fixtures hold these namespaces themselves. */
const HARMLESS = /^(Error from server \(AlreadyExists\): .*namespaces "(support|checkout-prod)" already exists\n?)+$/

t.test('crds/ and manifests on a real API server', async (t) => {
  const plane = await startControlPlane(t)
  if (plane === undefined) return
  await plane.applyCrds()
  for (const namespace of NAMESPACES) await plane.kubectl('create', 'namespace', namespace)

  t.test('the three kinds are established, explained, and listed by their short names and category', async (t) => {
    t.match(await explain(plane, 'virtualkey.spec.budgets'), /onExceed/)
    for (const word of ['virtualkeys', 'vk', 'providers', 'organizations', 'tollgate']) {
      t.equal((await plane.tryKubectl(['get', word, '-A'])).code, 0, word)
    }
  })

  t.test('crds/ say nothing that the API server drops', async (t) => {
    for (const path of yamlFiles(join(ROOT, 'crds'))) {
      const { code, stderr } = await plane.tryKubectl([
        'apply',
        '--server-side',
        '--validate=strict',
        '--dry-run=server',
        '-f',
        path,
      ])
      t.equal(code, 0, stderr)
      t.notMatch(stderr, /Warning/)
    }
  })

  const valid = [...yamlFiles(join(FIXTURES, 'valid')), join(FIXTURES, 'contract-examples.yaml'), ...exampleFiles()]
  const invalid = yamlFiles(join(FIXTURES, 'invalid'))
  const refused = await refusals(plane, [...valid, ...invalid])

  t.test('valid manifests are accepted', async (t) => {
    for (const path of valid) t.equal(refused.get(path), undefined, basename(path))
  })

  t.test('invalid manifests are refused with the message that their head states', async (t) => {
    for (const path of invalid) {
      const expected = /^# cluster: (.*)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 'a header `# cluster:`'
      const message = refused.get(path)
      if (expected === 'accepted') t.equal(message, undefined, `${basename(path)} is accepted`)
      else t.ok(message?.includes(expected), `${basename(path)}: ${expected}`, { message: message ?? 'accepted' })
    }
  })

  t.test('our loader and the API server agree, but where a head says otherwise', async (t) => {
    const differ = invalid.filter((path) => (loadManifests([path], {}).type === 'invalid') !== refused.has(path))
    const stated = invalid.filter((path) => /^# cluster: accepted$/m.test(readFileSync(path, 'utf8')))
    t.strictSame(differ, stated)
    for (const path of yamlFiles(join(FIXTURES, 'valid')))
      t.equal(loadManifests([path], {}).type, 'loaded', basename(path))
  })

  t.test('what a key belongs to cannot change', async (t) => {
    const key = (organization: string, project?: string) =>
      JSON.stringify({
        apiVersion: 'tollgate.dev/v1alpha1',
        kind: 'VirtualKey',
        metadata: { name: 'a', namespace: 'support' },
        spec: { organizationRef: { name: organization }, ...(project === undefined ? {} : { project }) },
      })
    const apply = (text: string) => plane.tryKubectl(['apply', '-f', '-'], text)
    t.equal((await apply(key('one', 'first'))).code, 0)
    t.match((await apply(key('two', 'first'))).stderr, /organizationRef is immutable/)
    t.match((await apply(key('one', 'second'))).stderr, /project cannot be changed or removed once set/)
    t.match((await apply(key('one'))).stderr, /project cannot be changed or removed once set/)
  })
})

function yamlFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(folder, name))
}

function exampleFiles(): string[] {
  const folders = ['standalone'].map((name) => join(ROOT, 'examples', name))
  return folders.filter((folder) => existsSync(folder)).flatMap(yamlFiles)
}

/**
 * The message for each file that is refused. One kubectl for all goes on after a bad file and mostly names the file; a
 * file that no message names is asked for alone.
 */
async function refusals(plane: ControlPlane, paths: readonly string[]): Promise<Map<string, string>> {
  const create = (files: readonly string[]) =>
    plane.tryKubectl(['create', '--dry-run=server', '--validate=strict', ...files.flatMap((path) => ['-f', path])])
  const refused = new Map<string, string>()
  const { code, stderr } = await create(paths)
  if (code === 0) return refused
  for (const line of stderr.split('\n').filter((text) => !HARMLESS.test(text))) {
    const path = paths.find((candidate) => line.includes(candidate))
    if (path !== undefined) refused.set(path, `${refused.get(path) ?? ''}${line}\n`)
  }
  for (const path of paths.filter((candidate) => !refused.has(candidate))) {
    const alone = await create([path])
    if (alone.code !== 0 && !HARMLESS.test(alone.stderr.trim())) refused.set(path, alone.stderr)
  }
  return refused
}

/** A kind is established a moment before the server's schema documents tell of it: asked until they do. */
async function explain(plane: ControlPlane, path: string): Promise<string> {
  let said = await plane.tryKubectl(['explain', path])
  for (let tries = 0; said.code !== 0 && tries < 120; tries++) {
    await sleep(250)
    said = await plane.tryKubectl(['explain', path])
  }
  return said.stdout + said.stderr
}
