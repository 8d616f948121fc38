import t from 'tap'
import { planOf, plannedScope, quotaPlanOf } from '../../../src/domain/quota/limits.ts'
import type { OrganizationEntry, ProjectEntry, VirtualKeyEntry } from '../../../src/domain/snapshot/snapshot.ts'
import { limits, plan } from '../../helpers/quota.ts'

t.test('a plan lists key, project and organization, and leaves out what limits nothing', async (t) => {
  const key = keyWith({ budgets: [{}] })
  const project: ProjectEntry = { name: 'search', defaults: {}, limits: limits({}) }
  const organization = organizationWith({ rateLimits: { maxConcurrent: 3 } })
  const built = quotaPlanOf(key, project, organization)
  t.match(built, {
    organization: 'acme',
    scopes: [
      { kind: 'key', name: 'key/team/app' },
      { kind: 'organization', name: 'organization' },
    ],
    whenUnavailable: 'Closed',
  })
  t.equal(built.scopes.length, 2)
  t.match(quotaPlanOf(keyWith({}), undefined, undefined), { scopes: [], blocksOnCost: false, blocksOnSize: false })
})

t.test('a plan knows what its limits can block on', async (t) => {
  t.match(plan({ key: { budgets: [{}] } }), { blocksOnCost: true, blocksOnSize: true })
  t.match(plan({ key: { budgets: [{ onExceed: 'Warn' }] } }), { blocksOnCost: false, blocksOnSize: false })
  t.match(plan({ key: { tokenQuotas: [{ kind: 'Output' }] } }), { blocksOnCost: false, blocksOnSize: true })
  t.match(plan({ key: { tokenQuotas: [{ kind: 'Input' }] } }), { blocksOnCost: false, blocksOnSize: false })
})

t.test('limits of one window share its counter, and a total does not roll', async (t) => {
  const scope = plannedScope(
    'key',
    'key/a/b',
    limits({
      budgets: [
        { window: 'Day', limit: 5, warnAtPercent: 80 },
        { window: 'Total', reset: 'Rolling' },
      ],
      tokenQuotas: [
        { window: 'Day', kind: 'Input', limit: 7 },
        { window: 'Day', reset: 'Rolling' },
        { window: 'Total', reset: 'Calendar', kind: 'Output' },
      ],
    }),
  )
  t.strictSame(
    scope.windows.map(({ window, reset, limits: inWindow }) => [window, reset, inWindow.map(({ unit }) => unit)]),
    [
      ['Day', 'Calendar', ['cost', 'input']],
      ['Total', 'Calendar', ['cost', 'output']],
      ['Day', 'Rolling', ['total']],
    ],
  )
  t.strictSame(scope.windows[0]?.limits[0], { unit: 'cost', limit: 5, onExceed: 'Block', warnAtPercent: 80 })
})

t.test('the organization says what to do without a store', async (t) => {
  const organization = { ...organizationWith({}), compliance: { quotaFailure: 'Open' } } as const
  t.equal(quotaPlanOf(keyWith({ budgets: [{}] }), undefined, organization).whenUnavailable, 'Open')
  t.equal(planOf('acme', []).whenUnavailable, 'Closed')
})

function keyWith(own: Parameters<typeof limits>[0]): VirtualKeyEntry {
  return {
    id: 'team/app',
    organization: 'acme',
    digests: [],
    suspended: false,
    privileges: { demask: false, trace: false, overrideRouting: false, asyncBilling: false },
    policies: {},
    access: { models: [], providers: [], allowAuto: true, adapters: [], serviceAccounts: [] },
    limits: limits(own),
  }
}

function organizationWith(own: Parameters<typeof limits>[0]): OrganizationEntry {
  return { name: 'acme', defaults: {}, compliance: {}, limits: limits(own), projects: [] }
}
