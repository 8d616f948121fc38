import t from 'tap'
import { build, conditionOf, grant, organization, provider, secrets, virtualKey } from './resource-samples.ts'

const organizations = [organization({ grants: [grant({})] })]
const supplied = (name: string, secret: string) =>
  virtualKey({ key: { source: 'SecretRef', secretRef: { name: secret, key: 'token' } } }, name)
const STRONG = 'k'.repeat(32)

t.test('a supplied key must be there, long enough and fit for a header', async (t) => {
  const reasonFor = (values: Readonly<Record<string, string>>) =>
    conditionOf(
      build({ organizations, virtualKeys: [supplied('key', 'mine')], secretValue: secrets(values) }),
      'VirtualKey',
      'key',
      'KeyReady',
    )?.reason
  t.equal(reasonFor({}), 'SecretNotFound')
  t.equal(reasonFor({ 'team/mine/other': STRONG }), 'SecretKeyMissing')
  t.equal(reasonFor({ 'other/mine/token': STRONG }), 'SecretNotFound', 'only the own namespace counts')
  t.equal(reasonFor({ 'team/mine/token': 'short' }), 'WeakKey')
  t.equal(reasonFor({ 'team/mine/token': `${STRONG} and more` }), 'WeakKey')
  t.equal(reasonFor({ 'team/mine/token': `${STRONG}\n` }), 'KeyReady')
})

t.test('of two keys with the same text only the first is in the snapshot', async (t) => {
  const virtualKeys = [supplied('b', 'two'), supplied('a', 'one')]
  const secretValue = secrets({ 'team/one/token': STRONG, 'team/two/token': `${STRONG}\n` })
  const output = build({ organizations, virtualKeys, secretValue })
  t.same(
    output.snapshot.virtualKeys.map(({ id }) => id),
    ['team/a'],
  )
  t.match(conditionOf(output, 'VirtualKey', 'b', 'KeyReady'), {
    reason: 'DuplicateKey',
    message: 'VirtualKey team/a has the same key',
  })
})

t.test('whose key it is stays untold where that is of another namespace', async (t) => {
  const elsewhere = supplied('a', 'one')
  const virtualKeys = [{ ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'alien' } }, supplied('b', 'two')]
  const secretValue = secrets({ 'alien/one/token': STRONG, 'team/two/token': STRONG })
  const output = build({ organizations, virtualKeys, secretValue })
  t.match(conditionOf(output, 'VirtualKey', 'b', 'KeyReady'), { message: 'another VirtualKey has the same key' })
})

t.test('a key that is not accepted does not claim its text', async (t) => {
  const stranger = {
    ...supplied('a', 'one'),
    spec: { ...supplied('a', 'one').spec, organizationRef: { name: 'nobody' } },
  }
  const secretValue = secrets({ 'team/one/token': STRONG, 'team/two/token': STRONG })
  const output = build({ organizations, virtualKeys: [stranger, supplied('b', 'two')], secretValue })
  t.same(
    output.snapshot.virtualKeys.map(({ id }) => id),
    ['team/b'],
  )
})

t.test(
  'a suspended key stays in the snapshot and is not Ready, and so is an expired one, whatever the clocks of data planes say',
  async (t) => {
    const virtualKeys = [
      virtualKey({ suspended: true }, 'paused'),
      virtualKey({ expiresAt: '2026-01-01T00:00:00Z' }, 'old'),
      virtualKey({ expiresAt: '1969-12-31T23:59:59Z' }, 'oldest'),
      virtualKey({ expiresAt: '2030-01-01T00:00:00Z' }, 'young'),
    ]
    const output = build({ organizations, virtualKeys, nowMs: Date.parse('2026-06-01T00:00:00Z') })
    t.match(output.snapshot.virtualKeys, [
      { id: 'team/old', suspended: true, expiresAtMs: Date.parse('2026-01-01T00:00:00Z') },
      { id: 'team/oldest', suspended: true, expiresAtMs: 0 },
      { id: 'team/paused', suspended: true },
      { id: 'team/young', suspended: false },
    ])
    t.equal(conditionOf(output, 'VirtualKey', 'paused', 'Ready')?.reason, 'Suspended')
    t.equal(conditionOf(output, 'VirtualKey', 'old', 'Ready')?.reason, 'Expired')
    t.equal(conditionOf(output, 'VirtualKey', 'oldest', 'Ready')?.reason, 'Expired')
    t.equal(conditionOf(output, 'VirtualKey', 'young', 'Ready')?.status, 'True')
  },
)

t.test('a key may use the providers that let its organization and namespace in', async (t) => {
  const providers = [
    provider({}, 'open'),
    provider({ access: { organizations: ['acme'] } }, 'ours'),
    provider({ access: { organizations: ['other'] } }, 'theirs'),
    provider({ access: { namespaceSelector: { matchLabels: { tier: 'prod' } } } }, 'prod'),
  ]
  const providersOf = (own: readonly string[], labels: Readonly<Record<string, string>>) =>
    build({
      organizations,
      providers,
      namespaces: [{ name: 'team', labels }],
      virtualKeys: [virtualKey({ access: { allowAuto: true, providers: own } })],
    }).snapshot.virtualKeys[0]?.access.providers
  t.same(providersOf([], {}), ['open', 'ours'])
  t.same(providersOf([], { tier: 'prod' }), ['open', 'ours', 'prod'])
  t.same(providersOf(['ours', 'theirs', 'unknown'], {}), ['ours'])
})

t.test('digests that a rotation retires come with their end', async (t) => {
  const retiringDigests = (namespace: string, name: string) => [{ digest: `${namespace}-${name}`, notAfterMs: 5 }]
  const output = build({ organizations, virtualKeys: [virtualKey()], retiringDigests, digestOf: () => 'new' })
  t.same(output.snapshot.virtualKeys[0]?.digests, [{ digest: 'new' }, { digest: 'team-key', notAfterMs: 5 }])
})
