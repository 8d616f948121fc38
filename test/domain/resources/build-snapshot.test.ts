import { RE2JS } from 're2js'
import t from 'tap'
import { buildSnapshotInSteps } from '../../../src/domain/resources/build-snapshot.ts'
import { parseSnapshot } from '../../../src/domain/snapshot/parse-snapshot.ts'
import { build, conditionOf, grant, inputOf, organization, provider, secrets, virtualKey } from './resource-samples.ts'

t.test('without an organization an open default one is implied, which does not restore', async (t) => {
  const key = virtualKey({ organizationRef: { name: 'default' } })
  const { snapshot, conditions } = build({ virtualKeys: [key] })
  t.match(snapshot.organizations, [{ name: 'default' }])
  t.same(snapshot.virtualKeys[0]?.privileges, { demask: false, trace: true, overrideRouting: true, asyncBilling: true })
  t.same(
    conditions.map(({ kind }) => kind),
    ['VirtualKey'],
    'nothing is said of what nobody declared',
  )
  const strict = build({ virtualKeys: [key], requireOrganization: true })
  t.equal(conditionOf(strict, 'VirtualKey', 'key', 'Accepted')?.reason, 'OrganizationNotFound')
})

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'

t.test('a provider without its Secret is switched off and says why', async (t) => {
  const credentials = { type: 'Bearer', secretRef: { name: 'openai', key: 'apiKey' } } as const
  const outcome = (values: Readonly<Record<string, string>>) => {
    const output = build({ providers: [provider({ credentials })], secretValue: secrets(values) })
    const reason = conditionOf(output, 'Provider', 'openai', 'ResolvedRefs')?.reason
    return [output.snapshot.providers[0]?.enabled, reason, output.credentials.get('openai')?.reveal()]
  }
  t.same(outcome({}), [false, 'SecretNotFound', undefined])
  t.same(outcome({ 'default/openai/other': 'x' }), [false, 'SecretKeyMissing', undefined])
  t.same(outcome({ 'default/openai/apiKey': ' \n' }), [false, 'EmptyCredential', undefined])
  t.same(outcome({ 'default/openai/apiKey': 'sk-b' }), [true, 'ResolvedRefs', 'sk-b'])
  const both = { 'default/openai/apiKey': 'sk-b', 'tollgate-system/openai/apiKey': 'sk-a' }
  t.same(outcome(both), [true, 'ResolvedRefs', 'sk-a'], 'the first namespace wins')
})

t.test('a key that no header can carry switches its provider off, and a plain one under data is guessed', async (t) => {
  const credentials = { type: 'Header', headerName: 'x-key', secretRef: { name: 'openai', key: 'apiKey' } } as const
  const outcome = (key: string) => {
    const secretValue = secrets({ 'default/openai/apiKey': key })
    const output = build({ providers: [provider({ credentials })], secretValue })
    const { reason, message } = conditionOf(output, 'Provider', 'openai', 'ResolvedRefs') ?? {}
    return { enabled: output.snapshot.providers[0]?.enabled, reason, message, has: output.credentials.has('openai') }
  }
  const off = { enabled: false, reason: 'UnfitCredential', has: false }
  const said = 'entry apiKey of Secret openai has characters that an HTTP header cannot carry'
  for (const key of ['good-provider-key\u00fc', 'one\ntwo', 'sk-\u2026'])
    t.strictSame(outcome(key), { ...off, message: said }, key)
  const plain = Buffer.from('sk0proj0abcdef0123456789', 'base64').toString('utf8')
  t.strictSame(outcome(plain), { ...off, message: `${said}; what stands under data must be the key in base64` })
  t.match(outcome('${OPENAI_API_KEY}\n'), { ...off, message: /openai is a variable as it stands, / })
  t.match(outcome('sk two\n'), { enabled: true, reason: 'ResolvedRefs' }, 'space is carried')
})

t.test('credentials never enter the snapshot', async (t) => {
  const credentials = { type: 'Bearer', secretRef: { name: 'openai', key: 'apiKey' } } as const
  const values = { 'default/openai/apiKey': 'sk-very-secret', 'team/mine/token': 'k'.repeat(40) }
  const key = virtualKey({ key: { source: 'SecretRef', secretRef: { name: 'mine', key: 'token' } } })
  const organizations = [organization({ grants: [grant({})] })]
  const output = build({
    organizations,
    providers: [provider({ credentials })],
    virtualKeys: [key],
    secretValue: secrets(values),
  })
  const text = JSON.stringify([output.snapshot, output.conditions, [...output.credentials]])
  t.equal(output.snapshot.virtualKeys.length, 1)
  t.notMatch(text, /sk-very-secret|kkkkkkkk/)
})

t.test(
  'an authority that cannot be read switches the provider off, one that can is part of the snapshot',
  async (t) => {
    const endpoint = { allowInsecureHTTP: false, caSecretRef: { name: 'ca', key: 'ca.crt' } }
    const without = build({ providers: [provider({ endpoint })] })
    t.match(without.snapshot.providers, [{ enabled: false }])
    const withText = (text: string) =>
      build({ providers: [provider({ endpoint })], secretValue: secrets({ 'default/ca/ca.crt': text }) })
    for (const ca of [PEM, `# the company's\r\n${PEM}\n# and another\n${PEM}`]) {
      t.match(withText(ca).snapshot.providers, [{ enabled: true, endpoint: { ca } }])
    }
    for (const ca of ['', ' \n', 'no certificate', PEM.replaceAll('CERTIFICATE', 'PRIVATE KEY'), btoa(PEM)]) {
      const output = withText(ca)
      t.match(output.snapshot.providers, [{ enabled: false }], JSON.stringify(ca))
      t.equal(conditionOf(output, 'Provider', 'openai', 'ResolvedRefs')?.reason, 'NoCertificate')
    }
  },
)

t.test('models take what they do not state from their provider', async (t) => {
  const models = [
    { name: 'a', enabled: true, quality: 0.5, capabilities: ['chat'] },
    {
      name: 'b',
      enabled: true,
      quality: 0.5,
      capabilities: ['chat'],
      priority: 1,
      weight: 2,
      countries: ['fr'],
      upstreamName: 'x',
    },
  ] as const
  const { snapshot } = build({ providers: [provider({ models, priority: 7, weight: 3 })] })
  t.match(snapshot.providers[0]?.models, [
    { upstreamName: 'a', priority: 7, weight: 3, countries: ['us'], aliases: [] },
    { upstreamName: 'x', priority: 1, weight: 2, countries: ['fr'] },
  ])
})

t.test('prices of both units are the same integers', async (t) => {
  const priced = (pricing: object) =>
    build({
      providers: [
        provider({
          models: [
            {
              name: 'a',
              enabled: true,
              quality: 1,
              capabilities: [],
              pricing: { unit: 'Per1M', input: '0', output: '0', ...pricing },
            },
          ],
        }),
      ],
    }).snapshot.providers[0]?.models[0]?.pricing
  t.same(priced({ input: '0.40', output: '1.60' }), { input: 400_000_000, output: 1_600_000_000 })
  t.same(priced({ unit: 'Per1K', input: '0.0004', output: '0.0016' }), { input: 400_000_000, output: 1_600_000_000 })
  t.match(priced({ perRequest: '0.005' }), { perRequest: 5000 })
})

t.test('a masking pattern that does not compile refuses the organization and its keys', async (t) => {
  const checkPattern = (pattern: string): string | undefined => {
    try {
      RE2JS.compile(pattern)
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  const custom = [{ kind: 'BADGE', pattern: '(?<!x)a' }]
  const bad = organization({ grants: [grant({})], compliance: { quotaFailure: 'Closed', masking: { custom } } })
  const output = build({ organizations: [bad], virtualKeys: [virtualKey()], checkPattern })
  t.equal(conditionOf(output, 'Organization', 'acme', 'Accepted')?.reason, 'InvalidPattern')
  t.equal(conditionOf(output, 'VirtualKey', 'key', 'Accepted')?.reason, 'OrganizationNotAccepted')
  t.same([output.snapshot.organizations, output.snapshot.virtualKeys], [[], []])
})

t.test('each resource has a step: the patterns of one organization may take a second', async (t) => {
  const custom = [{ kind: 'BADGE', pattern: 'BADGE[0-9]+' }]
  const compliance = { quotaFailure: 'Closed', masking: { custom } } as const
  const names = Array.from({ length: 10 }, (_, index) => `n${index}`)
  let checked = 0
  const steps = buildSnapshotInSteps(
    inputOf({
      organizations: names.map((name) => organization({ grants: [grant({})], compliance }, name)),
      providers: names.map((name) => provider({}, name)),
      checkPattern: () => void (checked += 1),
    }),
  )
  let count = 0
  for (let before = 0; steps.next().done !== true; before = checked) {
    t.ok(checked <= before + 1)
    count += 1
  }
  t.equal(checked, names.length)
  // Resolved and hashed.
  t.equal(count, 4 * names.length)
})

t.test('an alias that names two models is said, not refused', async (t) => {
  const model = { enabled: true, quality: 0.5, capabilities: ['chat'] } as const
  const models = [
    { ...model, name: 'a' },
    { ...model, name: 'b', aliases: ['a'] },
  ]
  const output = build({ providers: [provider({ models })] })
  t.match(conditionOf(output, 'Provider', 'openai', 'Accepted'), { status: 'True', reason: 'DuplicateModel' })
})

t.test('the revision follows the content, not the order of the resources', async (t) => {
  const organizations = [organization({ grants: [grant({})] }), organization({ grants: [grant({})] }, 'beta')]
  const providers = [provider({}, 'a'), provider({}, 'b')]
  const virtualKeys = [virtualKey({}, 'x'), virtualKey({}, 'y')]
  const one = build({ organizations, providers, virtualKeys }).snapshot
  const other = build({
    organizations: organizations.toReversed(),
    providers: providers.toReversed(),
    virtualKeys: virtualKeys.toReversed(),
  }).snapshot
  t.same(one, other)
  t.not(build({ organizations, providers, virtualKeys: [virtualKey({}, 'x')] }).snapshot.revision, one.revision)
})

t.test('what is built is what the proxy parses', async (t) => {
  const organizations = [
    organization({
      displayName: 'ACME',
      grants: [grant({})],
      defaults: {
        flags: ['pii-safe'],
        maxCostPer1K: '0.01',
        tags: { team: 'x' },
        cache: { exact: { ttl: '1m' }, semantic: {} },
      },
      compliance: { quotaFailure: 'Open', injection: { threshold: 0.5 }, masking: { kinds: ['IBAN'] } },
      tokenQuotas: [{ window: 'Day', kind: 'Total', limit: 5, reset: 'Calendar', onExceed: 'Block' }],
      rateLimits: { burst: 3 },
      projects: [{ name: 'search' }],
    }),
  ]
  const output = build({
    organizations,
    providers: [provider({ limits: { maxConcurrent: 2 } })],
    virtualKeys: [virtualKey()],
  })
  t.same(parseSnapshot(JSON.parse(JSON.stringify(output.snapshot))), output.snapshot)
})
