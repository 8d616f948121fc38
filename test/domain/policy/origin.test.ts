import t from 'tap'
import { describeOrigin, originOf, originOfElement } from '../../../src/domain/policy/origin.ts'
import { resolvePolicy } from '../../../src/domain/policy/resolve-policy.ts'
import type { EffectivePolicy } from '../../../src/domain/policy/effective-policy.ts'
import type { PolicyChange } from '../../../src/domain/policy/overrides.ts'

const SCOPE = {
  key: {
    policies: { maxCost: 50, excludeModels: ['k'] },
    privileges: { demask: true, trace: true, overrideRouting: true, asyncBilling: true },
  },
  project: { defaults: { scoringMethod: 'cost' as const, minQuality: 0.2 } },
  organization: {
    defaults: { maxCost: 30, fallback: 'SameModel' as const, excludeModels: ['k', 'o'] },
    compliance: { maxCost: 30, deniedProviders: ['Azure'], deniedModels: ['o'] },
  },
}

function policyOf(change: PolicyChange): EffectivePolicy {
  const outcome = resolvePolicy({ ...SCOPE, overrides: { change, needs: [] } })
  if (outcome.type === 'refused') throw outcome.error
  return outcome.policy
}

t.test('a value comes from the strongest level that set it, unless compliance tightened it', async (t) => {
  const plain = policyOf({})
  t.equal(
    originOf(plain, 'maxCost'),
    'compliance',
    'the key asked for more; that the organization names 30 too is chance',
  )
  t.equal(originOf(plain, 'minQuality'), 'project')
  t.equal(originOf(plain, 'scoringMethod'), 'project')
  t.equal(originOf(plain, 'fallback'), 'organization')
  t.equal(originOf(plain, 'billing'), 'built-in')
  t.equal(originOf(policyOf({ maxCost: 20 }), 'maxCost'), 'header')
  t.equal(originOf(policyOf({ maxCost: 30 }), 'maxCost'), 'header', 'the same bound as compliance')
  t.equal(originOf(policyOf({ maxCost: 31 }), 'maxCost'), 'compliance')
})

t.test('an element comes from the strongest level that lists it', async (t) => {
  const policy = policyOf({ excludeCountries: ['us'], excludeModels: ['h'] })
  t.equal(originOfElement(policy, 'excludeCountries', 'us'), 'header')
  t.equal(originOfElement(policy, 'excludeModels', 'h'), 'header')
  t.equal(originOfElement(policy, 'excludeModels', 'k'), 'key')
  t.equal(originOfElement(policy, 'excludeModels', 'o'), 'organization')
  t.equal(originOfElement(policy, 'excludeProviders', 'Azure'), 'compliance')
  t.equal(originOfElement(policy, 'excludeProviders', 'nobody'), 'built-in')
})

t.test('a policy without sources says built-in', async (t) => {
  const { sources: _, ...policy } = policyOf({ maxCost: 1 })
  t.equal(originOf(policy, 'maxCost'), 'built-in')
  t.equal(originOfElement(policy, 'excludeModels', 'k'), 'built-in')
})

t.test('every origin has words of its own', async (t) => {
  const origins = ['header', 'key', 'project', 'organization', 'compliance', 'built-in'] as const
  const words = origins.map((origin) => describeOrigin(origin, 'x-llm-max-cost'))
  t.equal(words[0], 'x-llm-max-cost')
  t.equal(new Set(words).size, origins.length)
})
