import * as fc from 'fast-check'
import t from 'tap'
import { NO_OVERRIDES } from '../../../src/domain/policy/overrides.ts'
import type { ControlOverrides, PolicyChange } from '../../../src/domain/policy/overrides.ts'
import { applyOverrides, basePolicy, resolvePolicy } from '../../../src/domain/policy/resolve-policy.ts'
import type { PolicyLevels } from '../../../src/domain/policy/resolve-policy.ts'
import { FLAGS, SCORING_METHODS } from '../../../src/domain/snapshot/snapshot.ts'
import type { ComplianceSettings, PolicySettings } from '../../../src/domain/snapshot/snapshot.ts'
import type { EffectivePolicy } from '../../../src/domain/policy/effective-policy.ts'

const ALL = { demask: true, trace: true, overrideRouting: true, asyncBilling: true }

function levels(
  key: PolicySettings = {},
  organization: PolicySettings = {},
  compliance: ComplianceSettings = {},
): PolicyLevels {
  return {
    key: { policies: key, privileges: ALL },
    project: undefined,
    organization: { defaults: organization, compliance },
  }
}

function isWithin<Element>(set: ReadonlySet<Element>, other: ReadonlySet<Element>): boolean {
  return [...set].every((element) => other.has(element))
}

function asking(change: PolicyChange): ControlOverrides {
  return { change, needs: [] }
}

function policyOf(scope: PolicyLevels, overrides: ControlOverrides = NO_OVERRIDES): EffectivePolicy {
  const outcome = resolvePolicy({ ...scope, overrides })
  if (outcome.type === 'refused') throw outcome.error
  return outcome.policy
}

t.test('all keys of an organization share the object that the compiled rules of masking are kept by', async (t) => {
  const { organization, project } = levels({}, {}, { masking: { custom: [{ kind: 'BADGE', pattern: 'B[0-9]{4}' }] } })
  const maskingOf = (policies: PolicySettings) =>
    basePolicy({ key: { policies, privileges: ALL }, project, organization }).policy.masking
  t.equal(maskingOf({ flags: ['pii-safe'] }), maskingOf({ tags: { team: 'a' } }))
  const other = levels({}, {}, { masking: { custom: [{ kind: 'BADGE', pattern: 'B[0-9]{4}' }] } })
  t.not(basePolicy(other).policy.masking, maskingOf({}), 'organizations keep theirs apart')
})

t.test('a request without control headers gets the base policy itself', async (t) => {
  const base = basePolicy(levels({ flags: ['pii-safe'] }))
  const outcome = applyOverrides(base, NO_OVERRIDES)
  t.equal(outcome.type === 'policy' && outcome.policy, base.policy)
})

t.test('overrides leave the base policy as it was', async (t) => {
  const base = basePolicy(levels({ flags: ['pii-safe'], tags: { a: '1' }, excludeModels: ['m'] }))
  const before = structuredClone(base)
  applyOverrides(
    base,
    asking({ flags: ['force-json'], tags: { a: '2' }, excludeModels: ['n'], maxCost: 1, trace: true }),
  )
  t.strictSame(base, before)
})

t.test('the built-in values apply where nobody speaks', async (t) => {
  t.strictSame(policyOf(levels()), {
    flags: new Set(),
    excludeProviders: new Set(),
    excludeModels: new Set(),
    excludeCountries: new Set(),
    maxCost: undefined,
    minQuality: undefined,
    scoringMethod: undefined,
    billing: 'sync',
    trace: false,
    tags: {},
    fallback: 'AnyModel',
    cache: {},
    quotaFailure: 'Closed',
    injectionThreshold: undefined,
    masking: { kinds: [], custom: [] },
  })
})

t.test('what only compliance says comes through', async (t) => {
  const masking = { kinds: ['PHONE'], custom: [{ kind: 'BADGE', pattern: 'B[0-9]{4}' }] }
  const policy = policyOf(levels({}, {}, { quotaFailure: 'Open', injectionThreshold: 0, masking }))
  t.match(policy, { quotaFailure: 'Open', injectionThreshold: 0 })
  t.strictSame(policy.masking, masking)
})

t.test('providers excluded by a policy are compared in lower case', async (t) => {
  const policy = policyOf(levels({ excludeProviders: ['OpenAI'] }, {}, { deniedProviders: ['Azure'] }))
  t.strictSame(policy.excludeProviders, new Set(['openai', 'azure']))
})

t.test('cache settings merge field by field', async (t) => {
  const key = { cache: { exact: { ttlMs: 1000 } } }
  const organization = { cache: { exact: { enabled: false, ttlMs: 5000 }, semantic: { model: 'embed' } } }
  t.strictSame(policyOf(levels(key, organization)).cache, {
    exact: { enabled: false, ttlMs: 1000 },
    semantic: { model: 'embed' },
  })
})

t.test('a refusal for a privilege is a 403 that names header and privilege', async (t) => {
  const overrides = {
    change: { maxCost: 1 },
    needs: [{ header: 'x-llm-max-cost', privilege: 'overrideRouting' as const }],
  }
  const scope = levels()
  const outcome = resolvePolicy({
    ...scope,
    key: { ...scope.key, privileges: { ...ALL, overrideRouting: false } },
    overrides,
  })
  t.match(outcome, { type: 'refused', error: { code: 'privilege_required', status: 403, message: /overrideRouting/ } })
})

t.test('a refusal for a tag is a 400 that names the tag', async (t) => {
  const scope = levels({}, {}, { requiredTags: ['cost-center'] })
  const outcome = resolvePolicy({ ...scope, overrides: asking({ tags: { team: 'a' } }) })
  t.match(outcome, { type: 'refused', error: { code: 'missing_required_tag', status: 400, message: /cost-center/ } })
})

t.test('a tag named __proto__ survives the merge and changes no prototype', async (t) => {
  const policy = policyOf(levels({ tags: { a: '1' } }), asking({ tags: Object.fromEntries([['__proto__', 'x']]) }))
  t.strictSame(Object.entries(policy.tags), [
    ['a', '1'],
    ['__proto__', 'x'],
  ])
  t.equal(Object.getPrototypeOf(policy.tags), Object.prototype)
})

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))
const price = fc.integer({ min: 0, max: 10 })
const quality = fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10)

const change = fc.record(
  {
    flags: fc.uniqueArray(fc.constantFrom(...FLAGS)),
    excludeProviders: names,
    excludeModels: names,
    excludeCountries: names,
    maxCost: price,
    minQuality: quality,
    scoringMethod: fc.constantFrom(...SCORING_METHODS),
    billing: fc.constantFrom('sync' as const, 'async' as const),
    trace: fc.boolean(),
    tags: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2')),
  },
  { requiredKeys: [] },
)

const compliance = fc.record(
  {
    requiredFlags: fc.uniqueArray(fc.constantFrom(...FLAGS)),
    deniedProviders: names,
    deniedModels: names,
    deniedCountries: names,
    maxCost: price,
    minQuality: quality,
  },
  { requiredKeys: [] },
)

t.test('no level and no header can relax compliance', async () => {
  fc.assert(
    fc.property(change, change, change, compliance, (header, key, organization, floor) => {
      const policy = policyOf(levels(key, organization, floor), asking(header))
      return (
        (floor.requiredFlags ?? []).every((flag) => policy.flags.has(flag)) &&
        (floor.deniedProviders ?? []).every((name) => policy.excludeProviders.has(name)) &&
        (floor.deniedModels ?? []).every((name) => policy.excludeModels.has(name)) &&
        (floor.deniedCountries ?? []).every((name) => policy.excludeCountries.has(name)) &&
        (floor.maxCost === undefined || (policy.maxCost ?? Infinity) <= floor.maxCost) &&
        (floor.minQuality === undefined || (policy.minQuality ?? 0) >= floor.minQuality)
      )
    }),
  )
})

t.test('adding compliance only ever tightens', async () => {
  fc.assert(
    fc.property(change, change, compliance, (header, key, floor) => {
      const free = policyOf(levels(key), asking(header))
      const bound = policyOf(levels(key, {}, floor), asking(header))
      return (
        isWithin(free.flags, bound.flags) &&
        isWithin(free.excludeProviders, bound.excludeProviders) &&
        isWithin(free.excludeModels, bound.excludeModels) &&
        isWithin(free.excludeCountries, bound.excludeCountries) &&
        (bound.maxCost ?? Infinity) <= (free.maxCost ?? Infinity) &&
        (bound.minQuality ?? 0) >= (free.minQuality ?? 0)
      )
    }),
  )
})

t.test('a header never takes away a flag, an exclusion or a tag of the policy', async () => {
  fc.assert(
    fc.property(change, change, (header, key) => {
      const before = policyOf(levels(key))
      const after = policyOf(levels(key), asking(header))
      return (
        isWithin(before.flags, after.flags) &&
        isWithin(before.excludeProviders, after.excludeProviders) &&
        isWithin(before.excludeModels, after.excludeModels) &&
        isWithin(before.excludeCountries, after.excludeCountries) &&
        Object.keys(before.tags).every((tag) => Object.hasOwn(after.tags, tag))
      )
    }),
  )
})
