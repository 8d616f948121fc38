import t from 'tap'
import type { BuildInput, BuildOutput } from '../../../src/domain/resources/build-snapshot.ts'
import type { Condition } from '../../../src/domain/resources/conditions.ts'
import type { BudgetSpec } from '../../../src/domain/resources/kinds.ts'
import { build, conditionOf, grant, organization, virtualKey } from './resource-samples.ts'

function accepted(input: Partial<BuildInput>, name = 'key'): Condition | undefined {
  return conditionOf(build(input), 'VirtualKey', name, 'Accepted')
}

function onlyKey({ snapshot }: BuildOutput): BuildOutput['snapshot']['virtualKeys'][number] {
  const [key] = snapshot.virtualKeys
  if (key === undefined || snapshot.virtualKeys.length !== 1) throw new Error('expected one key')
  return key
}

const month = (limitUSD: string, onExceed: 'Block' | 'Warn' = 'Block'): BudgetSpec => ({
  window: 'Month',
  limitUSD,
  reset: 'Calendar',
  warnAtPercent: 80,
  onExceed,
})

t.test('a key that no grant covers is left out and says so', async (t) => {
  for (const organizations of [
    [organization({})],
    [organization({ grants: [grant({ namespaceSelector: { matchLabels: { team: 'other' } } })] })],
  ]) {
    const output = build({ organizations, virtualKeys: [virtualKey()] })
    t.same(output.snapshot.virtualKeys, [])
    t.match(conditionOf(output, 'VirtualKey', 'key', 'Accepted'), { status: 'False', reason: 'NotGranted' })
    t.match(conditionOf(output, 'VirtualKey', 'key', 'Ready'), { status: 'False', reason: 'NotGranted' })
  }
})

t.test('a key that no grant covers is told what the grants had to go by', async (t) => {
  const message = (input: Partial<BuildInput>, spec = {}) =>
    accepted({ virtualKeys: [virtualKey(spec)], ...input })?.message
  const byLabel = [organization({ grants: [grant({ namespaceSelector: { matchLabels: { tier: 'prod' } } })] })]
  const none = 'no grant of organization acme covers namespace team'
  t.equal(message({ organizations: [organization({})] }), `${none}; it has no grants`)
  t.equal(message({ organizations: byLabel }), `${none}; the namespace has no labels but its name`)
  const labelled = (labels: Readonly<Record<string, string>>) =>
    message({ organizations: byLabel, namespaces: [{ name: 'team', labels }] })
  t.equal(labelled({ tier: 'dev', 'a/b': 'c' }), `${none}; the namespace has the labels tier=dev, a/b=c`)
  const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`l${index}`, 'x']))
  t.match(labelled(many), /l0=x, .*l7=x, and 2 more$/)
  const projects = [{ name: 'a' }, { name: 'b' }]
  const ofOther = [organization({ projects, grants: [grant({ projects: ['a'] })] })]
  t.equal(message({ organizations: ofOther }, { project: 'b' }), `${none} for project b`, 'labels are not why')
})

t.test('a grant selects by the labels of the namespace, its name included', async (t) => {
  const byName = grant({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'team' } } })
  const byLabel = grant({
    namespaceSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['prod'] }] },
  })
  const namespaces = [{ name: 'team', labels: { tier: 'prod' } }]
  t.equal(
    accepted({ organizations: [organization({ grants: [byName] })], virtualKeys: [virtualKey()] })?.status,
    'True',
  )
  t.equal(
    accepted({ organizations: [organization({ grants: [byLabel] })], virtualKeys: [virtualKey()] })?.status,
    'False',
  )
  t.equal(
    accepted({ organizations: [organization({ grants: [byLabel] })], virtualKeys: [virtualKey()], namespaces })?.status,
    'True',
  )
})

t.test('an unknown organization or project is named', async (t) => {
  const organizations = [organization({ grants: [grant({})], projects: [{ name: 'search' }] })]
  const lost = virtualKey({ organizationRef: { name: 'nobody' } })
  t.equal(accepted({ organizations, virtualKeys: [lost] })?.reason, 'OrganizationNotFound')
  t.equal(accepted({ organizations, virtualKeys: [virtualKey({ project: 'shop' })] })?.reason, 'ProjectNotFound')
  t.equal(accepted({ organizations, virtualKeys: [virtualKey({ project: 'search' })] })?.status, 'True')
})

t.test('a key without a project cannot spend outside the projects that its grant lists', async (t) => {
  const projects = [{ name: 'search' }, { name: 'shop' }]
  const one = [organization({ grants: [grant({ projects: ['search'] })], projects })]
  t.equal(onlyKey(build({ organizations: one, virtualKeys: [virtualKey()] })).project, 'search')
  const two = [organization({ grants: [grant({ projects: ['search', 'shop'] })], projects })]
  t.match(accepted({ organizations: two, virtualKeys: [virtualKey()] }), {
    reason: 'NotGranted',
    message: /search, shop/,
  })
  t.equal(accepted({ organizations: one, virtualKeys: [virtualKey({ project: 'shop' })] })?.reason, 'NotGranted')
})

t.test('absent privileges are what the grant gives, but demask must be asked for', async (t) => {
  const organizations = [organization({ grants: [grant({ privileges: ['demask', 'trace'] })] })]
  const privilegesOf = (asked: object) =>
    onlyKey(build({ organizations, virtualKeys: [virtualKey({ privileges: asked })] })).privileges
  t.same(privilegesOf({}), { demask: false, trace: true, overrideRouting: false, asyncBilling: false })
  t.same(privilegesOf({ demask: true, trace: false }), {
    demask: true,
    trace: false,
    overrideRouting: false,
    asyncBilling: false,
  })
  const asksTooMuch = virtualKey({ privileges: { asyncBilling: true } })
  t.equal(accepted({ organizations, virtualKeys: [asksTooMuch] })?.reason, 'PrivilegeNotGranted')
})

t.test('a ceiling refuses a larger monthly budget and becomes the budget where there is none', async (t) => {
  const organizations = [organization({ grants: [grant({ maxBudgetUSDPerMonthPerKey: '500' })] })]
  const budgetsOf = (budgets: readonly BudgetSpec[]) =>
    onlyKey(build({ organizations, virtualKeys: [virtualKey({ budgets })] })).limits.budgets
  t.match(budgetsOf([]), [{ window: 'Month', limit: 500_000_000, onExceed: 'Block', reset: 'Calendar' }])
  t.match(budgetsOf([month('500.00')]), [{ limit: 500_000_000 }])
  for (const budget of [month('500.01'), month('100', 'Warn')]) {
    t.equal(accepted({ organizations, virtualKeys: [virtualKey({ budgets: [budget] })] })?.reason, 'BudgetAboveCeiling')
  }
})

t.test('the oldest keys of a namespace keep their places', async (t) => {
  const organizations = [organization({ grants: [grant({ maxKeysPerNamespace: 1 })] })]
  const virtualKeys = [virtualKey({}, 'a', '2026-02-01T00:00:00Z'), virtualKey({}, 'b', '2026-01-01T00:00:00Z')]
  t.equal(accepted({ organizations, virtualKeys }, 'b')?.status, 'True')
  t.equal(accepted({ organizations, virtualKeys }, 'a')?.reason, 'TooManyKeys')
})

t.test('the first grant that gives all that a key asks for answers', async (t) => {
  const grants = [grant({ name: 'plain' }), grant({ name: 'desk', privileges: ['demask'] })]
  const organizations = [organization({ grants })]
  const asks = virtualKey({ privileges: { demask: true } })
  t.equal(onlyKey(build({ organizations, virtualKeys: [asks] })).privileges.demask, true)
  t.equal(onlyKey(build({ organizations, virtualKeys: [virtualKey()] })).privileges.overrideRouting, true)
})

t.test(
  'the keys of one namespace belong to so many organizations at most, of which the oldest keys decide',
  async (t) => {
    const of = (name: string, organizationName: string, createdAt: string) =>
      virtualKey({ organizationRef: { name: organizationName } }, name, createdAt)
    const organizations = ['a', 'b', 'c'].map((name) => organization({ grants: [grant({})] }, name))
    const virtualKeys = [
      of('late', 'c', '2026-03-01T00:00:00Z'),
      of('late-too', 'a', '2026-03-02T00:00:00Z'),
      of('first', 'a', '2026-01-01T00:00:00Z'),
      of('second', 'b', '2026-02-01T00:00:00Z'),
    ]
    const output = build({ organizations, virtualKeys, maxOrganizationsPerNamespace: 2 })
    t.same(
      output.snapshot.virtualKeys.map(({ id }) => id),
      ['team/first', 'team/late-too', 'team/second'],
    )
    t.match(conditionOf(output, 'VirtualKey', 'late', 'Ready'), { status: 'False', reason: 'TooManyOrganizations' })
    t.equal(build({ organizations, virtualKeys }).snapshot.virtualKeys.length, 4, 'any number where nothing is said')
  },
)

t.test('the keys of one namespace take so much room at most, of which the oldest keys decide', async (t) => {
  const models = Array.from({ length: 20 }, (_unused, index) => `"model"-${index}`)
  const of = (name: string, month: number) =>
    virtualKey({ access: { models, allowAuto: true } }, name, new Date(Date.UTC(2026, month, 1)).toISOString())
  const organizations = [organization({ grants: [grant({})] })]
  const virtualKeys = [of('third', 3), of('first', 1), of('second', 2)]
  const lengthOf = (keys: readonly object[]) => JSON.stringify(JSON.stringify(keys)).length
  const all = build({ organizations, virtualKeys }).snapshot.virtualKeys
  t.equal(all.length, 3, 'any where nothing is said')
  const maxKeysLengthPerNamespace = lengthOf(all.filter(({ id }) => id !== 'team/third'))
  const output = build({ organizations, virtualKeys, maxKeysLengthPerNamespace })
  t.same(
    output.snapshot.virtualKeys.map(({ id }) => id),
    ['team/first', 'team/second'],
  )
  t.match(conditionOf(output, 'VirtualKey', 'third', 'Ready'), { status: 'False', reason: 'TooManyKeys' })
  const less = build({ organizations, virtualKeys, maxKeysLengthPerNamespace: maxKeysLengthPerNamespace - 5 })
  t.equal(less.snapshot.virtualKeys.length, 1)
})
