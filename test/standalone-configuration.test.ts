/** Readings of the manifests beside requests: in turns with them, one after the other. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigurationHolder, deriveSecrets } from '../src/proxy/config/configuration.ts'
import { StateDirectory } from '../src/proxy/config/state-directory.ts'
import { DEMO_STAYS, StandaloneConfiguration } from '../src/standalone-configuration.ts'
import { provider, yaml } from './helpers/gateway.ts'

const KEYS = 50
/** A clock by which every step takes a whole turn. */
const TURN_MS = 10

/** @param content of the state folder; where it is left out, nothing outlives the process */
function begin(t: Test, environment: NodeJS.ProcessEnv = {}, content?: NonNullable<Parameters<Test['testdir']>[0]>) {
  const root = t.testdir(content === undefined ? { manifests: {} } : { manifests: {}, state: content })
  const folder = join(root, 'manifests')
  const statePath = join(root, 'state')
  const state = new StateDirectory(content === undefined ? undefined : statePath)
  const holder = new ConfigurationHolder()
  const inForce: number[] = []
  holder.onChange(({ compiled }) => void inForce.push(compiled.snapshot.virtualKeys.length))
  const warnings: unknown[] = []
  const errors: unknown[] = []
  const due: (() => void)[] = []
  let nowMs = 0
  const configuration = new StandaloneConfiguration({
    paths: [folder],
    environment,
    state,
    secrets: deriveSecrets(state.masterSecret()),
    holder,
    log: {
      debug() {},
      info() {},
      warn: (...line: unknown[]) => void warnings.push(line),
      error: (...line: unknown[]) => void errors.push(line),
    },
    now: () => (nowMs += TURN_MS),
    wallNow: () => 0,
    loaded() {},
    later: (again) => void due.push(again),
  })
  const write = (text: string, name = 'keys.yaml') => writeFileSync(join(folder, name), text)
  const fileOf = (key: string) => join(statePath, 'virtual-keys', `default.${key}`)
  /** The keys in force that are not suspended. */
  const usable = () => {
    const declared = holder.current()?.compiled.snapshot.virtualKeys ?? []
    return declared.filter(({ suspended }) => !suspended).map(({ id }) => id)
  }
  return { configuration, inForce, write, warnings, errors, holder, statePath, fileOf, usable, due }
}

const keys = (count: number) => yaml(...Array.from({ length: count }, (_, index) => generatedKey(`key-${index}`)))

const generatedKey = (name: string) => `apiVersion: tollgate.dev/v1alpha1
kind: VirtualKey
metadata: { name: ${name} }
spec: {}
`

t.test('between the keys of a long file others have their turn', async (t) => {
  const { configuration, inForce, write } = begin(t)
  write(keys(KEYS))
  const reading = configuration.reload()
  const turns = await turnsUntil(reading)
  t.strictSame(inForce, [KEYS])
  // Each is parsed, given its text, resolved, hashed and frozen.
  t.ok(turns >= 5 * KEYS, `${turns} turns`)
})

t.test('between what is said of the keys of a long file others have their turn', async (t) => {
  const { configuration, write, warnings, inForce } = begin(t)
  const gone = Array.from({ length: 10 }, (_, index) => `gpt-9${index}`)
  const listing = generatedKey('x').replace('{}', `{ access: { models: [${gone.join(', ')}] } }`)
  const all = Array.from({ length: KEYS }, (_, index) => listing.replace('name: x', `name: key-${index}`))
  const others = Array.from({ length: 100 }, (_, index) => `gone-${index}`)
  const spec = `  access: { organizations: [default, ${others.join(', ')}] }`
  write(yaml(provider({ name: 'alpha', url: 'http://127.0.0.1:9', spec }), ...all))
  const reading = configuration.reload()
  while (inForce.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const turns = await turnsUntil(reading)
  const told = 10 * KEYS + others.length
  t.equal(warnings.length, told)
  // Each is compared, then told.
  t.ok(turns >= 2 * told, `${turns} turns`)
})

t.test("a generated key's text is its own, whatever its Secret would be called in a cluster", async (t) => {
  const { configuration, write, statePath, fileOf, usable, holder } = begin(t, {}, {})
  const named = (name: string, secretName: string) =>
    generatedKey(name).replace('{}\n', `{ key: { source: Generated, generated: { secretName: ${secretName} } } }\n`)
  const brought = `apiVersion: v1
kind: Secret
metadata: { name: brought }
stringData: { key: ${'brought-'.repeat(5)} }
---
apiVersion: tollgate.dev/v1alpha1
kind: VirtualKey
metadata: { name: own }
spec: { key: { source: SecretRef, secretRef: { name: brought } } }
`
  write(yaml(named('a', 'same'), named('b', 'same'), named('c', 'brought'), named('d', 'a-virtual-key'), brought))
  t.equal(await configuration.reload(), true)
  t.strictSame(
    usable().toSorted(),
    ['a', 'b', 'c', 'd', 'own'].map((name) => `default/${name}`),
  )
  const { digestOf } = deriveSecrets(new StateDirectory(statePath).masterSecret())
  const keyOf = (text: string) =>
    holder
      .current()
      ?.compiled.snapshot.virtualKeys.find(({ digests }) => digests.some(({ digest }) => digest === digestOf(text)))?.id
  for (const name of ['a', 'b', 'c', 'd']) t.equal(keyOf(readFileSync(fileOf(name), 'utf8').trim()), `default/${name}`)
  t.equal(keyOf('brought-'.repeat(5)), 'default/own')
})

t.test("the name under which a generated key's text is asked for is nobody's to write", async (t) => {
  const { configuration, write, usable } = begin(t, {}, {})
  const thief = generatedKey('a').replace('{}\n', "{ key: { source: SecretRef, secretRef: { name: 'owned-by:b' } } }\n")
  write(yaml(thief, generatedKey('b')))
  t.equal(await configuration.reload(), true)
  t.strictSame(usable(), ['default/b'])
})

t.test(
  'a generated key whose file cannot be used is out of force alone: a revocation beside it is not held up',
  async (t) => {
    const { configuration, write, warnings, errors, statePath, fileOf, usable } = begin(t, {}, {})
    write(yaml(generatedKey('a'), generatedKey('b')))
    t.equal(await configuration.reload(), true)
    const cases: [() => void, RegExp][] = [
      [() => writeFileSync(fileOf('c'), ''), /default\.c is empty; remove it to have a new one made$/],
      [
        () => writeFileSync(fileOf('c'), 'short'),
        /default\.c is not used: the key has fewer than 32 characters; remove it .*$/,
      ],
      [() => mkdirSync(fileOf('c')), /default\.c is a folder, not a file; remove it to have a new one made$/],
      [
        () => {
          rmSync(join(statePath, 'virtual-keys'), { recursive: true })
          writeFileSync(join(statePath, 'virtual-keys'), '')
        },
        /virtual-keys is not a folder$/,
      ],
    ]
    for (const [spoil, detail] of cases) {
      spoil()
      write(yaml(generatedKey('a').replace('{}\n', '{ suspended: true }\n'), generatedKey('b'), generatedKey('c')))
      t.equal(await configuration.reload(), true)
      t.strictSame(usable(), ['default/b'], 'the text of b is known')
      const told = {
        kind: 'VirtualKey',
        resource: 'default/c',
        place: /keys\.yaml:11$/,
        reason: 'StateUnusable',
        detail,
      }
      t.match(warnings.splice(0).at(-1), [told, 'resource not in force'])
      write(yaml(generatedKey('a'), generatedKey('b')))
      t.equal(await configuration.reload(), true)
      rmSync(fileOf('c'), { recursive: true, force: true })
      warnings.length = 0
    }
    t.strictSame(errors, [])
  },
)

t.test(
  'a generated key whose file can be used again comes into force with the next reading, and by itself',
  async (t) => {
    const { configuration, write, fileOf, usable, due } = begin(
      t,
      {},
      { 'virtual-keys': { 'default.b': '', 'default.c': '' } },
    )
    write(yaml(generatedKey('a'), generatedKey('b'), generatedKey('c')))
    t.equal(await configuration.reload(), true)
    t.strictSame(usable(), ['default/a'])
    rmSync(fileOf('b'))
    t.equal(await configuration.reload(), true)
    t.strictSame(usable(), ['default/a', 'default/b'])
    t.equal(due.length, 1, 'one attempt is due, however often is read meanwhile')
    due.shift()?.()
    t.equal(due.length, 1, 'nothing has changed: another attempt, and no reading')
    rmSync(fileOf('c'))
    due.shift()?.()
    await configuration.reload()
    t.strictSame(usable(), ['default/a', 'default/b', 'default/c'])
    t.equal(due.length, 0)
  },
)

t.test(
  'a key that leaked is ended by deleting its manifest and its file: declared again, it has another text',
  async (t) => {
    const { configuration, write, statePath, fileOf } = begin(t, {}, {})
    const textOf = (id: string) => configuration.generatedKeys.find((key) => key.id === id)?.key.reveal()
    write(yaml(generatedKey('a'), generatedKey('b'), generatedKey('c')))
    await configuration.reload()
    const [a, b, c] = ['default/a', 'default/b', 'default/c'].map(textOf)
    write(generatedKey('c'))
    await configuration.reload()
    rmSync(fileOf('a'))
    write(yaml(generatedKey('a'), generatedKey('b'), generatedKey('c')))
    await configuration.reload()
    t.not(textOf('default/a'), a)
    t.equal(textOf('default/b'), b, 'its file is there')
    t.equal(textOf('default/c'), c)
    write(generatedKey('c'))
    await configuration.reload()
    rmSync(statePath, { recursive: true })
    write(yaml(generatedKey('c'), generatedKey('d')))
    await configuration.reload()
    t.notOk(existsSync(fileOf('a')), 'nor does it come back with a folder that was lost')
    t.ok(existsSync(fileOf('c')))
  },
)

t.test('without a state folder a key that is declared again keeps its text, which nothing else holds', async (t) => {
  const { configuration, write } = begin(t)
  write(yaml(generatedKey('a'), generatedKey('b')))
  await configuration.reload()
  const text = configuration.generatedKeys[0]?.key.reveal()
  write(generatedKey('b'))
  await configuration.reload()
  write(yaml(generatedKey('a'), generatedKey('b')))
  await configuration.reload()
  t.equal(configuration.generatedKeys[0]?.key.reveal(), text)
})

t.test('what changes during a reading is read by the next, in order', async (t) => {
  const { configuration, inForce, write } = begin(t)
  write(keys(KEYS))
  const first = configuration.reload()
  await turnsPassed(KEYS)
  t.strictSame(inForce, [])
  write(keys(2))
  const second = configuration.reload()
  t.equal(configuration.reload(), second, 'that has not begun')
  t.strictSame([await first, await second], [true, true])
  t.strictSame(inForce, [KEYS, 2])
})

t.test('a bad file leaves what is in force, whatever came before and comes after', async (t) => {
  const { configuration, inForce, write } = begin(t)
  write(keys(1))
  t.equal(await configuration.reload(), true)
  write(`${keys(KEYS)}---\nkind: Nonsense`)
  const bad = configuration.reload()
  await turnsPassed(KEYS)
  write(keys(3))
  t.strictSame([await bad, await configuration.reload()], [false, true])
  t.strictSame(inForce, [1, 3])
})

t.test('an Organization that is emptied by a slip takes its floor from nobody', async (t) => {
  const { configuration, write, errors, holder } = begin(t)
  const spec = '{ compliance: { requiredFlags: [pii-safe] }, grants: [{ name: all, namespaceSelector: {} }] }'
  const organization = `apiVersion: tollgate.dev/v1alpha1\nkind: Organization\nmetadata: { name: default }\nspec: ${spec}\n`
  write(keys(1))
  t.equal(await configuration.reload(), true, 'none was ever declared')
  write(organization, 'organization.yaml')
  t.equal(await configuration.reload(), true)
  write('', 'organization.yaml')
  t.equal(await configuration.reload(), false)
  t.match(errors, [[{ problem: /declare no Organization any more; restart/ }, 'configuration refused']])
  t.strictSame(holder.current()?.compiled.organizations.get('default')?.compliance.requiredFlags, ['pii-safe'])
  write(organization, 'organization.yaml')
  t.equal(await configuration.reload(), true)
})

t.test('a kind of masking that nothing finds is told of, once', async (t) => {
  const { configuration, write, warnings } = begin(t)
  const spec = '{ compliance: { masking: { kinds: [PHONES, IP] } }, grants: [{ name: all, namespaceSelector: {} }] }'
  write(
    `apiVersion: tollgate.dev/v1alpha1\nkind: Organization\nmetadata: { name: default }\nspec: ${spec}\n---\n${keys(1)}`,
  )
  await configuration.reload()
  await configuration.reload()
  const detail = 'spec.compliance.masking.kinds: nothing finds PHONES, did you mean PHONE?'
  const fields = { kind: 'Organization', resource: 'default', place: /keys\.yaml:4$/, detail }
  t.match(warnings, [[fields, 'a kind of masking is not known']])
})

t.test('a name in a list that nothing bears is told of, once as long as it stands there', async (t) => {
  const { configuration, write, warnings } = begin(t)
  const declare = (denied: string, model: string) =>
    write(
      yaml(
        provider({ name: 'alpha', url: 'http://127.0.0.1:9' }),
        `apiVersion: tollgate.dev/v1alpha1\nkind: Organization\nmetadata: { name: default }\n` +
          `spec: { compliance: { deniedProviders: [${denied}] }, grants: [{ name: all, namespaceSelector: {} }] }\n`,
        generatedKey('k').replace('{}', `\n  access: { models: [${model}] }`),
      ),
    )
  const told = async () => {
    await configuration.reload()
    return warnings.splice(0)
  }
  const message = 'a name in a list is not known'
  const denied = { kind: 'Organization', resource: 'default', detail: /deniedProviders: no Provider is named gamma/ }
  const model = { kind: 'VirtualKey', resource: 'default/k', detail: /access\.models: no Provider has a model gpt-9/ }
  declare('gamma', 'gpt-9')
  t.match(await told(), [
    [{ ...denied, place: /keys\.yaml:\d+$/ }, message],
    [model, message],
  ])
  t.strictSame(await told(), [], 'not again')
  declare('gamma', 'm')
  t.strictSame(await told(), [])
  declare('beta, gamma', 'gpt-9')
  t.match(await told(), [
    [{ detail: /named beta/ }, message],
    [model, message],
  ])
})

t.test('a setting that does not do what it says is told of with its line, once, wherever it moves', async (t) => {
  const { configuration, write, warnings } = begin(t)
  const cache = '{ exact: { enabled: false }, semantic: { enabled: true } }'
  const key = yaml(`${generatedKey('k').replace('{}', `\n  policies: { cache: ${cache} }`)}`)
  write(key)
  await configuration.reload()
  write(`# moved\n${key}`)
  await configuration.reload()
  const detail = 'spec.policies.cache.semantic.enabled: needs the exact cache, which exact.enabled false switches off'
  const fields = { kind: 'VirtualKey', resource: 'default/k', place: /keys\.yaml:5$/, detail }
  t.match(warnings, [[fields, 'a setting does not do what it says']])
  t.equal(warnings.length, 1)
})

t.test('a restriction to ServiceAccounts, which only a cluster has, is told of, once', async (t) => {
  const { configuration, write, warnings } = begin(t)
  const key = yaml(`${generatedKey('k').replace('{}', '\n  access: { serviceAccounts: [shop] }')}`)
  write(key)
  await configuration.reload()
  write(`# moved\n${key}`)
  await configuration.reload()
  const detail = 'spec.access.serviceAccounts: holds in a cluster only; standalone, whoever has the key may use it'
  const fields = { kind: 'VirtualKey', resource: 'default/k', place: /keys\.yaml:5$/, detail }
  t.match(warnings, [[fields, 'a restriction does not hold here']])
  t.equal(warnings.length, 1)
})

t.test('a pattern that does not compile is refused with its line', async (t) => {
  const { configuration, write, errors } = begin(t)
  const custom = '\n        - { kind: DESK, pattern: "D[0-9]" }\n        - kind: BADGE\n          pattern: "B[0-9"'
  const spec = `\n  grants: [{ name: all, namespaceSelector: {} }]\n  compliance:\n    masking:\n      custom:${custom}`
  write(`apiVersion: tollgate.dev/v1alpha1\nkind: Organization\nmetadata: { name: default }\nspec: ${spec}\n`)
  t.equal(await configuration.reload(), false)
  t.match(errors, [[{ problem: /keys\.yaml:11: Organization default: .*custom BADGE: / }, 'configuration refused']])
})

t.test('a key that moves from one file to another is in force all the time', async (t) => {
  const { configuration, inForce, write } = begin(t)
  const [moving, staying] = ['moving', 'staying'].map(generatedKey)
  write('', 'a.yaml')
  write(yaml(`${moving}`, `${staying}`), 'z.yaml')
  const first = configuration.reload()
  await turnsPassed(1)
  write(`${moving}`, 'a.yaml')
  write(`${staying}`, 'z.yaml')
  t.strictSame([await first, await configuration.reload()], [true, true])
  t.strictSame(inForce, [2, 2])
})

t.test('a reading that goes wrong in a way nobody thought of is one that is not in force', async (t) => {
  const { configuration, inForce, write } = begin(t, {
    get BROKEN(): string {
      throw new RangeError('broken')
    },
  })
  write(`apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { key: "\${BROKEN}" }\n`)
  t.equal(await configuration.reload(), false)
  write(keys(1))
  t.equal(await configuration.reload(), true)
  t.strictSame(inForce, [1])
})

t.test('what is ignored is said, once', async (t) => {
  const { configuration, write, warnings } = begin(t)
  write(`${keys(1)}---\n${generatedKey('slip').replace('tollgate.dev/', 'tollgate/')}`)
  for (const last of [1, 2]) {
    t.equal(await configuration.reload(), true, `${last}`)
    t.equal(warnings.length, 1)
    t.match(warnings, [[{ problem: /keys\.yaml:6: document 2 VirtualKey slip: .* is ignored$/ }, 'manifest ignored']])
  }
})

t.test('what is ignored is not said again where it only stands on another line', async (t) => {
  const { configuration, write, warnings } = begin(t)
  const ignored = (name: string) => generatedKey(name).replace('tollgate.dev/', 'tollgate/')
  write(yaml(keys(1), ignored('slip')))
  t.equal(await configuration.reload(), true)
  write(yaml(`# a comment\n${keys(1)}`, generatedKey('more'), ignored('slip')))
  t.equal(await configuration.reload(), true)
  t.equal(warnings.length, 1)
  write(yaml(keys(1), ignored('slip'), ignored('other')))
  t.equal(await configuration.reload(), true)
  t.match(warnings.slice(1), [[{ problem: /VirtualKey other: .* is ignored$/ }, 'manifest ignored']])
  t.equal(warnings.length, 2)
})

t.test('what is ignored of a List is not said again where items are put in above it', async (t) => {
  const { configuration, write, warnings } = begin(t)
  const listOf = (...names: string[]) => {
    const items = names.map((name) => `- { apiVersion: v1, kind: ConfigMap, metadata: { name: ${name} } }\n`)
    return yaml(keys(1), `apiVersion: v1\nkind: List\nitems:\n${items.join('')}`)
  }
  write(listOf('one'))
  t.equal(await configuration.reload(), true)
  write(listOf('other', 'one'))
  t.equal(await configuration.reload(), true)
  t.match(warnings, [
    [{ problem: /ConfigMap one: items\[0\]/ }, 'manifest ignored'],
    [{ problem: /ConfigMap other: items\[0\]/ }, 'manifest ignored'],
  ])
  t.equal(warnings.length, 2)
})

t.test('a provider whose Secret is not there is warned of, one whose variable is not set is not', async (t) => {
  const { configuration, write, warnings } = begin(t)
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata: { name: unset }\nstringData: { apiKey: "${UNSET}" }\n'
  write(yaml(keys(1), secret, withSecret('normal', 'unset'), withSecret('mistyped', 'unsett')))
  t.equal(await configuration.reload(), true)
  const place = /\.yaml:\d+$/
  t.match(warnings, [[{ resource: 'mistyped', reason: 'SecretNotFound', place }, 'provider not in use']])
  t.equal(warnings.length, 1)
})

t.test('an entry of a Secret that is mistyped or holds no key is warned of', async (t) => {
  const { configuration, write, warnings } = begin(t, { COPIED: '<your-key>' })
  const entries = {
    'apikey: sk-0123456789abcdef': 'it has apikey',
    'apiKey: <your-key>': 'it is a placeholder, not a key',
    'apiKey: $OPENAI_API_KEY': 'a variable is written ${OPENAI_API_KEY} here, not $OPENAI_API_KEY',
    'apiKey: ${COPIED}': 'environment variable COPIED holds a placeholder, not a key',
  }
  for (const [index, entry] of Object.keys(entries).entries())
    write(secretAndProvider(`p${index}`, entry), `p${index}.yaml`)
  const authority = 'ca.pem: "-----BEGIN CERTIFICATE-----"'
  write(secretAndProvider('z', authority).replace(/ {2}credentials: .*/, OWN_AUTHORITY), 'z.yaml')
  t.equal(await configuration.reload(), true)
  const details = [...Object.values(entries).map((why) => `entry apiKey: ${why}`), 'entry ca.crt: it has ca.pem']
  t.match(
    warnings,
    details.map((detail) => [{ reason: 'SecretKeyMissing', detail }, 'provider not in use']),
  )
  t.equal(warnings.length, details.length)
})

t.test('a key that is not in force is told of with the line to correct', async (t) => {
  const { configuration, write, warnings } = begin(t)
  write(yaml(keys(1), `${generatedKey('lost').replace('spec: {}', 'spec:')}  project: unknown\n`))
  t.equal(await configuration.reload(), true)
  const place = /keys\.yaml:10$/
  t.match(warnings, [[{ resource: 'default/lost', reason: 'ProjectNotFound', place }, 'resource not in force']])
})

const withSecret = (name: string, secret: string) => `apiVersion: tollgate.dev/v1alpha1
kind: Provider
metadata: { name: ${name} }
spec:
  type: OpenAI
  countries: [us]
  credentials: { type: Bearer, secretRef: { name: ${secret} } }
  models: [{ name: m }]
`

const OWN_AUTHORITY = `  endpoint: { baseURL: "https://models.internal/v1", caSecretRef: { name: z, key: ca.crt } }
  credentials: { type: None }`

function secretAndProvider(name: string, entry: string): string {
  const secret = `apiVersion: v1\nkind: Secret\nmetadata: { name: ${name} }\nstringData:\n  ${entry}\n`
  return yaml(secret, withSecret(name, name))
}

async function turnsUntil(done: Promise<unknown>): Promise<number> {
  let isDone = false
  void done.then(() => (isDone = true))
  let turns = 0
  for (; !isDone; turns++) await turnsPassed(1)
  return turns
}

async function turnsPassed(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const local = (name: string) => `apiVersion: tollgate.dev/v1alpha1
kind: Provider
metadata: { name: ${name} }
spec:
  type: OpenAICompatible
  countries: [it]
  endpoint: { baseURL: "http://127.0.0.1:1/v1", allowInsecureHTTP: true }
  credentials: { type: None }
  models: [{ name: m }]
`

t.test('a provider that comes into use beside the demo is told of, once, as the demo stays', async (t) => {
  const { configuration, write, warnings } = begin(t)
  const said = () => warnings.splice(0).map((line) => (Array.isArray(line) ? line[1] : line))
  write(keys(1))
  await configuration.reload()
  configuration.addSource({ '(demo)': local('demo-a') })
  await configuration.reload()
  t.strictSame(said(), [])
  write(local('ollama'), 'ollama.yaml')
  await configuration.reload()
  await configuration.reload()
  t.strictSame(said(), [DEMO_STAYS])
})

t.test(
  "a provider of the manifests that is named as one of the demo's is refused, as two of one name are",
  async (t) => {
    const { configuration, write, errors, holder } = begin(t)
    write(keys(1))
    configuration.addSource({ '(demo)': local('demo-a') })
    t.equal(await configuration.reload(), true)
    write(local('demo-a'), 'own.yaml')
    t.equal(await configuration.reload(), false)
    const problem =
      /own\.yaml:3: document 1 Provider demo-a: metadata\.name: duplicate: Provider demo-a is already declared at \(demo\):1/
    t.match(errors[0], [{ problem }, 'manifest refused'])
    t.equal(holder.current()?.compiled.deployments.length, 1)
  },
)
