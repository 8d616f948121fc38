import t from 'tap'
import type { QuotaWarning } from '../../../../src/domain/quota/outcome.ts'
import { QuotaWarningLog } from '../../../../src/proxy/pipeline/quota/quota-warnings.ts'
import { createTestClock } from '../../../helpers/clock.ts'
import { plan } from '../../../helpers/quota.ts'

const NEAR: QuotaWarning = {
  type: 'near',
  scope: 'organization',
  window: 'Day',
  reset: 'Calendar',
  unit: 'cost',
  limit: 1_000,
  spent: 900,
}

/** A log of warnings, its clock, and whose requests it has told of since the last look. */
function scene() {
  const clock = createTestClock()
  const lines: object[] = []
  const ignore = () => undefined
  const log = { debug: ignore, info: ignore, error: ignore, warn: (fields: object) => void lines.push(fields) }
  return { clock, warnings: new QuotaWarningLog(log, clock.now), told: () => lines.splice(0) }
}

/** As of a configuration of its own: nothing of it is the same object. */
function organizationPlan(limit = 1_000, names = {}) {
  return plan({ organization: { budgets: [{ limit }] } }, names)
}

t.test('a limit is told of every ten minutes at most, whatever configurations come into force meanwhile', async (t) => {
  const { clock, warnings, told } = scene()
  warnings.tell('team/app', organizationPlan(), [NEAR])
  t.match(told(), [{ organization: 'acme', virtualKey: 'team/app', type: 'near', spent: 900 }])
  clock.advance(599_999)
  warnings.tell('team/app', organizationPlan(), [NEAR])
  warnings.tell('team/other', organizationPlan(1_000, { key: 'team/other' }), [NEAR])
  t.strictSame(told(), [])
  clock.advance(1)
  warnings.tell('team/app', organizationPlan(), [NEAR])
  t.equal(told().length, 1)
})

t.test('limits are told of apart, and one that has changed is another', async (t) => {
  const { warnings, told } = scene()
  const ofKey = { ...NEAR, scope: 'key' } as const
  const both = { key: { budgets: [{}] }, organization: { budgets: [{}] } }
  warnings.tell('team/app', plan(both), [NEAR, ofKey])
  warnings.tell('team/other', plan(both, { key: 'team/other' }), [NEAR, ofKey])
  t.match(told(), [{ scope: 'organization' }, { scope: 'key' }, { scope: 'key', virtualKey: 'team/other' }])
  warnings.tell('team/app', organizationPlan(), [{ ...NEAR, reset: 'Rolling' }])
  t.match(told(), [{ reset: 'Rolling' }])
  warnings.tell('team/app', organizationPlan(2_000), [{ ...NEAR, limit: 2_000, spent: 1_900 }])
  warnings.tell('team/app', organizationPlan(), [{ ...NEAR, type: 'exceeded', spent: 1_000 }])
  warnings.tell('team/app', plan(both, { organization: 'other' }), [NEAR])
  t.match(told(), [{ limit: 2_000 }, { type: 'exceeded' }, { organization: 'other' }])
})

t.test('what is remembered is bounded', async (t) => {
  const { warnings, told } = scene()
  const ofOrganization = (number: number) =>
    warnings.tell('team/app', organizationPlan(1_000, { organization: `o${number}` }), [NEAR])
  for (let number = 0; number <= 10_000; number++) ofOrganization(number)
  t.equal(told().length, 10_001)
  ofOrganization(10_000)
  ofOrganization(1)
  t.equal(told().length, 0)
  ofOrganization(0)
  t.equal(told().length, 1)
})
