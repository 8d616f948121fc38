import t from 'tap'
import { parseSnapshot } from '../../../src/domain/snapshot/parse-snapshot.ts'
import { build, conditionOf, grant, organization, provider, secrets, virtualKey } from './resource-samples.ts'

const secretValue = secrets({
  'team/good-virtual-key/key': 'g'.repeat(40),
  'team/bad-virtual-key/key': 'b'.repeat(40),
  'tollgate-system/openai/apiKey': 'x',
})

t.test('a resource that cannot be understood is refused and keeps no other from being in force', async (t) => {
  const output = build({
    organizations: [
      organization({ grants: [grant({})] }),
      organization(
        {
          grants: [grant({})],
          budgets: [{ window: 'Month', limitUSD: 'a lot', reset: 'Calendar', warnAtPercent: 80, onExceed: 'Block' }],
        },
        'odd',
      ),
    ],
    providers: [
      provider(),
      provider({ timeouts: { connect: 'soon', firstByte: '30s', streamIdle: '60s', total: '600s' } }, 'odd'),
    ],
    virtualKeys: [
      virtualKey({}, 'good'),
      virtualKey(
        { budgets: [{ window: 'Month', limitUSD: 'ten', reset: 'Calendar', warnAtPercent: 80, onExceed: 'Block' }] },
        'bad',
      ),
    ],
    secretValue,
  })
  for (const [kind, name] of [
    ['Organization', 'odd'],
    ['Provider', 'odd'],
    ['VirtualKey', 'bad'],
  ] as const) {
    t.equal(conditionOf(output, kind, name, 'Accepted')?.reason, 'InvalidSpec', kind)
    t.equal(conditionOf(output, kind, name, 'Ready')?.reason, 'InvalidSpec', kind)
  }
  t.same(
    output.snapshot.organizations.map(({ name }) => name),
    ['acme'],
  )
  t.same(
    output.snapshot.providers.map(({ name }) => name),
    ['openai'],
  )
  t.same(
    output.snapshot.virtualKeys.map(({ id }) => id),
    ['team/good'],
  )
  t.match(conditionOf(output, 'VirtualKey', 'bad', 'Accepted')?.message, /ten/)
})

t.test(
  'an organization without a spec, or with kinds of masking that are no list, keeps no other from being',
  async (t) => {
    const masking: { kinds: string[] } = JSON.parse('{"kinds":"PHONE"}')
    const noSpec: { spec: ReturnType<typeof organization>['spec'] } = JSON.parse('{"spec":null}')
    const output = build({
      organizations: [
        organization({ grants: [grant({})] }),
        organization({ compliance: { quotaFailure: 'Closed', masking } }, 'odd'),
        { ...organization({}, 'empty'), ...noSpec },
      ],
      secretValue,
    })
    for (const name of ['odd', 'empty'])
      t.equal(conditionOf(output, 'Organization', name, 'Accepted')?.reason, 'InvalidSpec', name)
    t.same(
      output.snapshot.organizations.map(({ name }) => name),
      ['acme'],
    )
  },
)

t.test('what readers of the snapshot would refuse is refused alone, with the name of the field', async (t) => {
  const oddMasking: { masking: { kinds: string[] } } = JSON.parse('{"masking":{"kinds":[null]}}')
  const oddName: { displayName: string } = JSON.parse('{"displayName":7}')
  const oddModels: { models: string[] } = JSON.parse('{"models":[{}]}')
  const output = build({
    organizations: [
      organization({ grants: [grant({})] }),
      organization({ compliance: { quotaFailure: 'Closed', ...oddMasking } }, 'odd'),
    ],
    providers: [provider(), provider(oddName, 'odd')],
    virtualKeys: [
      virtualKey({}, 'good'),
      virtualKey({ access: { allowAuto: true, ...oddModels } }, 'bad'),
      virtualKey({ expiresAt: 'soon' }, 'worse'),
    ],
    secretValue: (namespace, name, key) => secretValue(namespace, name.replace('worse', 'bad'), key),
  })
  t.doesNotThrow(() => parseSnapshot(output.snapshot))
  t.same(
    output.snapshot.virtualKeys.map(({ id }) => id),
    ['team/good'],
  )
  t.match(conditionOf(output, 'Organization', 'odd', 'Accepted')?.message, 'compliance.masking.kinds[0] is not text')
  t.match(conditionOf(output, 'Provider', 'odd', 'Accepted')?.message, 'displayName is not text')
  t.match(conditionOf(output, 'VirtualKey', 'bad', 'Accepted')?.message, 'access.models[0] is not text')
  t.match(conditionOf(output, 'VirtualKey', 'worse', 'Accepted')?.message, 'expiresAtMs is not a number')
})

t.test('a key that a change of its organization makes unreadable is refused as well, and stays so', async (t) => {
  const oddPrivileges: { privileges: { trace: boolean } } = JSON.parse('{"privileges":{"trace":"yes"}}')
  const virtualKeys = [virtualKey({}, 'good'), virtualKey(oddPrivileges, 'bad')]
  const idsUnder = (privileges: readonly ('overrideRouting' | 'trace')[]) =>
    build({
      organizations: [organization({ grants: [grant({ privileges })] })],
      virtualKeys,
      secretValue,
    }).snapshot.virtualKeys.map(({ id }) => id)
  t.same(idsUnder(['overrideRouting']), ['team/bad', 'team/good'])
  for (let time = 0; time < 2; time++) t.same(idsUnder(['overrideRouting', 'trace']), ['team/good'])
})
