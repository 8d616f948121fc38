import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadManifests, loadTexts, type LoadResult, type ManifestResources } from '../../src/manifests/load.ts'
import { formatProblem } from '../../src/manifests/problem.ts'
import { secretLookup } from '../../src/manifests/secrets.ts'

function resourcesOf(result: LoadResult): ManifestResources {
  if (result.type === 'loaded') return result.resources
  throw new Error(result.problems.map(formatProblem).join('\n'))
}

function messagesOf(result: LoadResult): string[] {
  return result.type === 'invalid' ? result.problems.map(formatProblem) : []
}

const KEY = 'apiVersion: tollgate.dev/v1alpha1\nkind: VirtualKey\nmetadata: { name: demo }\nspec: {}\n'
const secret = (body: string): string => `apiVersion: v1\nkind: Secret\nmetadata: { name: s }\n${body}\n`

t.test('defaults are those of the API server, in nested objects too', async (t) => {
  const provider = `apiVersion: tollgate.dev/v1alpha1
kind: Provider
metadata: { name: p }
spec: { type: OpenAI, countries: [us], credentials: { type: Bearer, secretRef: { name: s } }, timeouts: { connect: 1s }, models: [{ name: m }] }
`
  const { providers, virtualKeys } = resourcesOf(loadTexts({ 'a.yaml': `${KEY}---\n${provider}` }, {}))
  t.match(virtualKeys, [
    {
      metadata: { namespace: 'default' },
      spec: { organizationRef: { name: 'default' }, key: { source: 'Generated' }, suspended: false },
    },
  ])
  t.match(providers[0]?.spec, {
    credentials: { secretRef: { key: 'apiKey' } },
    access: {},
    timeouts: { connect: '1s', streamIdle: '60s', total: '10m' },
    failover: { maxAttempts: 1, circuitBreaker: { consecutiveFailures: 5, openFor: '30s' } },
    healthCheck: { mode: 'Passive', interval: '30s' },
    models: [{ enabled: true, quality: 0.5, capabilities: ['chat', 'streaming'] }],
  })
})

t.test('a problem names file, line, document, resource, path and what is allowed', async (t) => {
  const text = `${KEY}---\napiVersion: tollgate.dev/v1alpha1\nkind: VirtualKey\nmetadata: { name: x, namespace: team }\nspec:\n  policies:\n    billing: later\n`
  t.same(messagesOf(loadTexts({ 'a.yaml': text }, {})), [
    'a.yaml:11: document 2 VirtualKey team/x: spec.policies.billing: "later" is not supported; allowed: sync, async',
  ])
})

t.test('all problems of all files are reported, to a bound', async (t) => {
  const bad = KEY.replace('{}', '{ suspend: true, project: A, budgets: 1 }')
  t.equal(messagesOf(loadTexts({ 'a.yaml': bad, 'b.yaml': 'x' }, {})).length, 4)
  const many = Array.from({ length: 130 }, (_, index) => bad.replace('demo', `k${index}`)).join('---\n')
  t.match(loadTexts({ 'a.yaml': many }, {}), { type: 'invalid', problems: { length: 100 }, omitted: 290 })
})

t.test('the problems of a file are by line, whatever found them', async (t) => {
  const key = `apiVersion: tollgate.dev/v1alpha1
kind: VirtualKey
metadata: { name: Bad_Name }
spec:
  suspend: true
  privileges: { trace: 1 }
  budgets: 1
`
  const lines = (file: string) =>
    messagesOf(loadTexts({ 'b.yaml': key.replace('Bad', 'Worse'), 'a.yaml': key }, {}))
      .filter((message) => message.startsWith(file))
      .map((message) => Number(message.split(':')[1]))
  for (const file of ['a.yaml', 'b.yaml']) t.strictSame(lines(file), [3, 5, 6, 7], file)
})

t.test('the rules of what the schema finds no fault with are judged in the same round', async (t) => {
  const told = (spec: string) =>
    messagesOf(
      loadTexts(
        {
          'a.yaml': `apiVersion: tollgate.dev/v1alpha1\nkind: Provider\nmetadata: { name: p }\nspec:\n  type: OpenAI\n  countries: [us]\n${spec}`,
        },
        {},
      ),
    ).map((line) => line.replace(/; allowed.*/, '').replace('document 1 Provider p: spec.', ''))
  t.same(
    told(
      '  credentials: { type: None }\n  timeouts: { connect: 0s }\n  healthCheck: { interval: 500ms }\n  models: [{ name: m, qualty: 1 }]\n',
    ),
    [
      'a.yaml:8: timeouts.connect: must be longer than 0s',
      'a.yaml:9: healthCheck.interval: interval must be at least 1s',
      'a.yaml:10: models[0].qualty: unknown field, did you mean quality?',
    ],
  )
  // A rule that reads what is broken would tell of a slip what is not so.
  t.same(told('  credentials: { type: Bearer, secretReff: { name: s } }\n  models: [{ name: m }]\n'), [
    'a.yaml:7: credentials.secretReff: unknown field, did you mean secretRef?',
  ])
  t.same(
    told('  credentials: { type: None }\n  timeouts: { connect: soon, total: 1.5 }\n  models: [{ name: m }]\n').length,
    2,
  )
})

t.test('a Secret gives its entries, stringData first and with the environment in it', async (t) => {
  const text = secret(
    'data: { a: YWJj, b: YWJj }\nstringData: { b: "x${ONE}y", c: "${UNSET}", d: "$${ONE} $ONE", e: "${EMPTY}", f: "$OPENAI_KEY", g: "$(KEY_1)", h: "%KEY%", i: "$1ONE", j: "$OPENAI_KEY\\n" }',
  )
  const lookup = secretLookup(resourcesOf(loadTexts({ 'a.yaml': text }, { ONE: '1', EMPTY: '' })).secrets)
  const read = (key: string): string | undefined => {
    const found = lookup('default', 's', key)
    return found.type === 'value' ? found.secret.reveal() : found.type === 'no-entry' ? found.detail : found.type
  }
  t.same(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'none'].map(read), [
    'abc',
    'x1y',
    'environment variable UNSET is not set',
    '${ONE} $ONE',
    'environment variable EMPTY is not set',
    'a variable is written ${OPENAI_KEY} here, not $OPENAI_KEY',
    'a variable is written ${KEY_1} here, not $(KEY_1)',
    'a variable is written ${KEY} here, not %KEY%',
    '$1ONE',
    'a variable is written ${OPENAI_KEY} here, not $OPENAI_KEY',
    'it has a, b, c, d, e, and 5 more',
  ])
  t.same(lookup('other', 's', 'a'), { type: 'no-secret' })
})

t.test('a value from the environment is not read for variables again', async (t) => {
  const result = loadTexts({ 'a.yaml': secret('stringData: { a: "${ONE}" }') }, { ONE: 'a${TWO}', TWO: 'no' })
  const found = secretLookup(resourcesOf(result).secrets)('default', 's', 'a')
  t.equal(found.type === 'value' && found.secret.reveal(), 'a${TWO}')
})

t.test('the environment is not read anywhere but in stringData', async (t) => {
  const text = KEY.replace('{}', '{ description: "${ONE}" }')
  t.match(resourcesOf(loadTexts({ 'a.yaml': text }, { ONE: '1' })).virtualKeys, [{ spec: { description: '${ONE}' } }])
})

t.test('no message shows a value of a Secret', async (t) => {
  const bodies = [
    'data: { a: "sk-topsecret!" }',
    'stringData: { a: [sk-topsecret] }',
    'data: "sk-topsecret"',
    'stringData: { a: "sk-topsecret" b }',
    'stringData: {a:sk-topsecret: b}',
    'stringData: {a sk-topsecret: b}',
    'stringDat: {}\nstringData:sk-topsecret: {}',
  ]
  for (const body of bodies) {
    const messages = messagesOf(loadTexts({ 'a.yaml': secret(body) }, {}))
    t.not(messages.length, 0, body)
    t.notMatch(messages.join('\n'), /topsecret/)
  }
  const proxy = KEY.replace('{}', '{proxyURL:http://me:topsecret@proxy}')
  t.match(messagesOf(loadTexts({ 'a.yaml': proxy }, {})), [/ spec\["proxyURL\.\.\."\]: unknown field/])
})

t.test('foreign kinds are warned of and ignored', async (t) => {
  const text = `${KEY}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: d }\n`
  const result = loadTexts({ 'a.yaml': text }, {})
  t.equal(resourcesOf(result).virtualKeys.length, 1)
  t.match(result.type === 'loaded' ? result.warnings.map(formatProblem) : [], [
    /^a\.yaml:6: document 2 Deployment d: apps\/v1 Deployment is not of this gateway and is ignored$/,
  ])
  const slip = loadTexts({ 'a.yaml': KEY.replace('tollgate.dev/', 'tollgate/') }, {})
  t.match(slip.type === 'loaded' ? slip.warnings.map(formatProblem) : [], [
    /tollgate\/v1alpha1 VirtualKey is not of this gateway \(its VirtualKey is tollgate\.dev\/v1alpha1\) and is ignored$/,
  ])
})

t.test('hostile files are refused with a message and bounded work', async (t) => {
  const laughs = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefghij'
      .split('')
      .map(
        (name, index) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefghij'[index]}`).join(',')}]`,
      ),
  ].join('\n')
  t.match(messagesOf(loadTexts({ 'a.yaml': laughs }, {})), [/its aliases expand to too much/])
  const each = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, at) => line(at))
  const pairs = ['x:', ...each(5_000, (index) => `- [&a${index} v, *a${index}]`)].join('\n')
  t.match(messagesOf(loadTexts({ 'a.yaml': pairs }, {})), [/its aliases expand to too much/])
  const merges = ['x: &x', ...each(1_000, (index) => `  k${index}: v`), 'y:', ...each(999, () => '- { <<: *x }')]
  t.match(messagesOf(loadTexts({ 'a.yaml': merges.join('\n') }, {})), [/its aliases expand to too much/])
  const itself = ['x: &x', ...each(3, (index) => `  k${index}: v`), '  y: *x'].join('\n')
  t.match(messagesOf(loadTexts({ 'a.yaml': itself }, {})), [/its aliases expand to too much/])
  const keys = ['x:', ...each(5_000, (index) => `  ? [a]\n  : &a${index} v`)].join('\n')
  t.match(messagesOf(loadTexts({ 'a.yaml': keys }, {})), [/its aliases expand to too much/])
  const keysOfKeys = each(10, () => `- ${'{? {a: '.repeat(100)}x${'}}'.repeat(100)}`).join('\n')
  t.match(messagesOf(loadTexts({ 'a.yaml': keysOfKeys }, {})), [/has too many maps or lists as keys/])
  const list = (count: number, item: string) => `[${each(count, () => item).join(', ')}]`
  const map = (count: number, value: string) => `{${each(count, (index) => `k${index}: ${value}`).join(', ')}}`
  const looksAnew = [
    `x: ${list(50, '&a v')}`,
    `y: &y ${map(60, '*a')}`,
    `z: &z {<<: ${list(60, '*y')}}`,
    `all: {<<: ${list(50, '*z')}}`,
  ]
  t.match(messagesOf(loadTexts({ 'a.yaml': looksAnew.join('\n') }, {})), [/its aliases expand to too much/])
  const mergesInMerges = `x: ${'{<<:\n '.repeat(400)}${map(3_000, 'v')}${'}'.repeat(400)}`
  t.match(messagesOf(loadTexts({ 'a.yaml': mergesInMerges }, {})), [/its aliases expand to too much/])
  const tagged = mergesInMerges.replaceAll('<<', '!!str <<')
  t.match(messagesOf(loadTexts({ 'a.yaml': tagged }, {})), [/its aliases expand to too much/])
  const keysAnew = ['x: &x {k: {? [a] : v}}', `y: &y {<<: ${list(200, '*x')}}`, `z: {<<: ${list(200, '*y')}}`].join(
    '\n',
  )
  t.match(messagesOf(loadTexts({ 'a.yaml': keysAnew }, {})), [/has too many maps or lists as keys/])
  const large = `x: &x ${map(1_000, 'v')}\ny: ${list(200, '{<<: *x}')}`
  const many = [...each(3, () => large), 'x: y', 'x: &x y\ny: *x'].join('\n---\n')
  t.strictSame(
    messagesOf(loadTexts({ 'a.yaml': many }, {})).filter((message) => /aliases/.test(message)),
    ['a.yaml:7: document 3: its aliases expand to too much'],
    'documents of a file count together, but those that are refused',
  )
  t.match(messagesOf(loadTexts({ 'a.yaml': '['.repeat(200_000) }, {})), [/nested too deeply/])
  const prototype = KEY.replace(
    '{}',
    '{ __proto__: { suspended: true }, constructor: 1, policies: { tags: { __proto__: x } } }',
  )
  t.match(messagesOf(loadTexts({ 'a.yaml': prototype }, {})).join('\n'), /__proto__: unknown field/)
  t.same(messagesOf(loadTexts({ 'a.yaml': '' }, {})), [])
})

t.test('aliases are counted by what they stand for, in time that does not grow with what is beside them', (t) => {
  const key = (index: number) =>
    KEY.replaceAll('\n', '\n  ').replace('apiVersion', '- apiVersion').replace('demo', `d${index}`)
  const items = Array.from({ length: 2_000 }, (_, index) =>
    key(index).replace('spec: {}', index === 0 ? 'spec: &s {}' : 'spec: *s'),
  )
  const text = `apiVersion: v1\nkind: List\nitems:\n${items.join('\n')}`
  t.equal(resourcesOf(loadTexts({ 'a.yaml': text }, {})).virtualKeys.length, 2_000)
  for (const merge of ['1', '*n', '[*m, 1]', '[*m, [*m]]', '*l', "'x'"]) {
    const merging = `m: &m { a: b }\nn: &n 1\nl: &l [*m, *n]\nx: { <<: *m }\ny: { <<: [*m, *m], '<<': 1 }\nz:\n  <<: ${merge}\n`
    t.strictSame(messagesOf(loadTexts({ 'a.yaml': merging }, {})), ['a.yaml:7: document 1: merges (<<) what is no map'])
  }
  const merged = items.map((item) =>
    item.replace('*s', '{ <<: *s, suspended: true }').replace('&s {}', '&s { policies: {} }'),
  )
  const more = text.replace(items.join('\n'), merged.join('\n'))
  t.equal(resourcesOf(loadTexts({ 'a.yaml': more }, {})).virtualKeys.length, 2_000)
  t.end()
})

t.test('folders are read with what lies in them, files as they are named', async (t) => {
  const folder = t.testdir({
    'b.yml': KEY.replace('demo', 'b'),
    sub: { 'a.json': JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }) },
  })
  writeFileSync(join(folder, 'notes.txt'), 'not a manifest')
  mkdirSync(join(folder, '.hidden'))
  writeFileSync(join(folder, '.hidden', 'c.yaml'), 'nonsense')
  const result = loadManifests([folder], {})
  t.match(resourcesOf(result), { virtualKeys: [{ metadata: { name: 'b' } }], namespaces: [{ name: 'n' }] })
  t.same(result.type === 'loaded' && result.files, [join(folder, 'b.yml'), join(folder, 'sub', 'a.json')])
  t.match(messagesOf(loadManifests([join(folder, 'notes.txt')], {})), [/is not an object/])
})

t.test('a word without a digit before its exponent is text, as kubectl reads it', async (t) => {
  const named = (name: string) => KEY.replace('demo', name)
  const { virtualKeys } = resourcesOf(loadTexts({ 'a.yaml': [named('e2'), named('e10')].join('---\n') }, {}))
  t.same(
    virtualKeys.map(({ metadata }) => metadata.name),
    ['e2', 'e10'],
  )
  t.match(messagesOf(loadTexts({ 'a.yaml': named('1e2') }, {})), [/metadata\.name: is a whole number/])
  for (const text of ['E5', '-e5', '.', '.e5', '._5']) {
    const { secrets } = resourcesOf(loadTexts({ 'a.yaml': secret(`stringData: { a: ${text} }`) }, {}))
    const found = secretLookup(secrets)('default', 's', 'a')
    t.equal(found.type === 'value' && found.secret.reveal(), text)
  }
})

t.test('a path that cannot be read is a problem, not an exception', async (t) => {
  const folder = t.testdir({
    empty: {},
    'latin.yaml': Buffer.from([0x61, 0xe9]),
    'big.yaml': Buffer.alloc(4 * 1024 * 1024 + 1, 0x20),
    linked: { 'gone.yaml': t.fixture('symlink', '../nowhere.yaml') },
    device: { 'null.yaml': t.fixture('symlink', '/dev/null') },
    circle: { 'a.yaml': KEY, again: t.fixture('symlink', '.'), below: { up: t.fixture('symlink', '..') } },
  })
  t.match(messagesOf(loadManifests([join(folder, 'none.yaml')], {})), [/no such file or folder/])
  t.match(messagesOf(loadManifests([join(folder, 'empty')], {})), [/holds no manifests/])
  t.match(messagesOf(loadManifests([join(folder, 'latin.yaml')], {})), [
    /is not UTF-8 text; allowed: a file that is saved as UTF-8$/,
  ])
  t.match(messagesOf(loadManifests([join(folder, 'big.yaml')], {})), [/has 4194305 bytes; allowed: at most 4194304/])
  t.match(messagesOf(loadManifests([join(folder, 'linked')], {})), [/gone\.yaml: no such file or folder$/])
  t.match(messagesOf(loadManifests([join(folder, 'device')], {})), [/null\.yaml: is neither a file nor a folder$/])
  t.match(messagesOf(loadManifests([join(folder, 'circle')], {})), [/circle\/again: links in a circle$/])
})
